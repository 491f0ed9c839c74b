"""Every measured distance is compared with the CPU's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from repro.bench.rows import Row
from repro.errors import ReproError
from repro.inputs.pairs import edit_distance
from repro.wfa.experiment import PairFiles
from repro.wfa.reference import wagner_fischer

MOST_REFERENCE_CELLS = 10**9  # beyond this matrix size edlib alone is the reference
# Beyond this one the sheet's distance, which was found before, spares its users ten minutes, or days.
MOST_EDLIB_CELLS = 2 * 10**12


@dataclass(frozen=True)
class Reference:
    """The edit distance of a pair by the CPU: by edlib, and by the paper's Eq. (1) where the matrix is small enough.

    sheet: the distance that the sheet of pairs lists, if any. edlib: None where that stands instead.
    """

    sha256_a: str
    sha256_b: str
    edlib: int | None
    wagner_fischer: int | None
    sheet: int | None

    @classmethod
    def of(cls, files: PairFiles) -> "Reference":
        """Compute it. Raises ReproError when the answers differ."""
        a, b = files.read()
        cells = len(a) * len(b)
        own = wagner_fischer(a.letters, b.letters) if cells <= MOST_REFERENCE_CELLS else None
        known = files.distance is not None and cells > MOST_EDLIB_CELLS
        reference = cls(a.sha256, b.sha256, None if known else edit_distance(a, b), own, files.distance)
        answers = reference.answers()
        if len(set(answers.values())) > 1:
            raise ReproError(f"{files.a}, {files.b}: the references differ: {answers}")
        return reference

    def answers(self) -> dict[str, int]:
        """The distance by the name of where it comes from."""
        named = {"edlib": self.edlib, "wagner_fischer": self.wagner_fischer, "sheet": self.sheet}
        return {name: distance for name, distance in named.items() if distance is not None}

    @property
    def distance(self) -> int:
        """The one answer."""
        return next(iter(self.answers().values()))


def check(rows: Iterable[Row], references: Mapping[str, Reference]) -> list[Row]:
    """The rows with what they were compared with. references: by the name of the pair.

    Raises ReproError for the first row whose distance or path is wrong or whose input is not that of its reference.
    """
    checked = []
    for row in rows:
        reference = references[row["input"]["name"]]
        where = f"{row['experiment']}: {row['variant']} {row['parameters']} on {row['input']['name']}, {row['device']}"
        if (row["input"]["sha256_a"], row["input"]["sha256_b"]) != (reference.sha256_a, reference.sha256_b):
            raise ReproError(f"{where}: the reference was computed for other sequences; remove results and run again")
        if row["result"] != reference.distance:
            raise ReproError(f"{where}: distance {row['result']} is wrong, the CPU gives {reference.distance}")
        path = row.get("path", {"cost": reference.distance, "replayed": True})
        if path["cost"] != reference.distance:
            raise ReproError(f"{where}: a path of cost {path['cost']} is not optimal, the distance is {row['result']}")
        if not path["replayed"]:
            raise ReproError(f"{where}: the path does not turn one string into the other")
        checked.append({**row, "check": {"passed": True, "against": reference.answers()}})
    return checked
