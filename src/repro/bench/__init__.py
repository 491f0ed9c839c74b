"""How a variant is described, measured and checked; shared by all papers' packages."""
