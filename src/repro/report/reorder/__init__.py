"""Figures, tables and claims of Needleman-Wunsch with the reordered matrix."""
