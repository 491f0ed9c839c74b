"""Figures, tables and claims of the wavefront edit distance (Castells-Rufas 2023)."""
