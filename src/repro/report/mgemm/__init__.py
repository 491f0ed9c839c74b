"""Figures, tables and claims of the vector similarities."""
