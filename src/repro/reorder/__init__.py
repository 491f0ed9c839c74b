"""Needleman-Wunsch on a GPU, with the matrix reordered so that the accesses of a warp coalesce (a paper in Russian)."""
