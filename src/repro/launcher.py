"""What launchers of several ranks tell each of them, which is known before MPI is loaded."""

import os

from repro.errors import InputError

# How many there are and the number of this one: Hydra (MPICH, Intel MPI), Open MPI's, and srun.
_VARIABLES = (
    ("PMI_SIZE", "PMI_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
)


def ranks_started() -> int:
    """How many ranks were started, of which this process is one.

    Raises InputError naming the variable of the environment that holds no number.
    """
    most = 1
    for name, _ in _VARIABLES:
        text = os.environ.get(name) or "1"
        try:
            most = max(most, int(text))
        except ValueError:
            raise InputError(f"{name}={text!r} in the environment is no number of ranks; unset it") from None
    return most


def speaks_for_all() -> bool:
    """Whether this process is the only one, or the first of the ranks: what all of them find is said once."""
    return not any(
        os.environ.get(size, "1") not in ("", "0", "1") and os.environ.get(rank, "0") not in ("", "0")
        for size, rank in _VARIABLES
    )
