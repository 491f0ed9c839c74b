"""Five GPU papers on sequence comparison and related matrix problems, reproduced and checked."""
