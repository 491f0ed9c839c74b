"""Sets of vectors whose similarities are computed: profiles, genotypes, bits."""
