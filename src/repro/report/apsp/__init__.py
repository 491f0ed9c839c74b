"""Figures, tables and claims of the shortest paths."""
