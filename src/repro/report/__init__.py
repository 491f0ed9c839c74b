"""Figures, tables and claims from checked rows; one package per paper."""
