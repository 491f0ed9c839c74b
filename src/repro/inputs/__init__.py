"""What is computed on: FASTA, NCBI downloads, read simulators, mutated pairs, vector sets and graphs."""
