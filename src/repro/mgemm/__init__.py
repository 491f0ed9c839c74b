"""Similarities of all pairs and triples of vectors, on one core to many GPUs (Joubert et al. 2018, CoMet)."""
