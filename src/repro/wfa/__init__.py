"""Edit distance of very long strings by the wavefront algorithm on a GPU (Castells-Rufas 2023)."""
