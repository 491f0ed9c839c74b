"""Figures, tables and claims of the batches of alignments."""
