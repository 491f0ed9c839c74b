"""Alignments of batches of sequences by warp shuffles, after AnySeq/GPU."""
