"""NCBI records whose letters are known beforehand: number and SHA-256.

They come from copies whose identity something else backs: the edit distance the WFA paper prints for the pair
(NC_000898.1 / NC_007605.1, BA000035.2 / BX927147.1), the MD5 in the header of the 1000 Genomes reference
(NC_012920.1), or Debian's copy (NC_001416.1).
"""

LENGTH_AND_SHA256 = {
    "BA000035.2": (3147090, "d59720063e69db6d6df50c45fc8b7ed415d7ca3f9cc17044878cb18339aa3153"),
    "BX927147.1": (3282708, "aed8f6c80ee8a6cc450b4f03f0028c4bf005ca38e722b672652e6f8c60ec8392"),
    "NC_000898.1": (162114, "2174bca343e42182575da29d55ff8bc4f6834bae41aa81bbac1bf66bbb0332fa"),
    "NC_001416.1": (48502, "36432a40f602258d19ae7c8152ddbc30390b559f2859c01d7047c77b048c71b3"),
    "NC_007605.1": (171823, "38f5d42e1662f853f2cf2fa583f5d43e03609cea48e9a4fb21551216ae4e4fd6"),
    "NC_012920.1": (16569, "f156ff3f65bbcc80c7ebb9936dceb96b1477b4f8f535c4e1dbe7baea225cbc66"),
}
