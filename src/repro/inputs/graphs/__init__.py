"""Weighted graphs whose shortest paths are computed."""
