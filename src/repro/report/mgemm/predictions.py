"""The performance model fitted to our rows, compared with them, and used for the paper's numbers of nodes."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from repro.mgemm.model import Line, Machine, Prediction, Run, computed, predict
from repro.mgemm.schedule import Decomposition
from repro.report.mgemm.data import BEST, RATE, SECONDS, TITAN, VALUE_BYTES, Published

ELEMENT_BYTES = {"float32": 4.0, "float64": 8.0, "bytes": 1.0, "alleles": 1.0, "bits": 1 / 8}
FREE = Line(0.0, (0.0,))  # a term that was not measured is taken to be hidden
STRONG = {2: (20_000, 16_384), 3: (20_000, 1_544)}  # Fig. 6: fields and vectors by way


@dataclass(frozen=True)
class Fitted:
    """A machine, and what it stands on.

    device_kind: "cuda" or "emulator". rows: how many were measured.
    complete: whether communication was one of the terms.
    """

    machine: Machine
    device_kind: str
    rows: int
    complete: bool


def fit(rows: pd.DataFrame) -> dict[tuple[str, str], Fitted]:
    """The machine of each device and kind of elements of which an mGEMM was measured alone."""
    found = {}
    for (device, kind), own in modelled(rows).groupby(["device", "kind"]):
        if (product := _line_of(_products(own))) is not None:
            found[str(device), str(kind)] = _fitted(own, str(kind), product)
    return found


def modelled(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that the model speaks of: on the emulator those of ranks, which have a core each."""
    of_ranks = (rows["device_kind"] == "cuda") | rows["result.transport"].notna()
    return rows[(rows["variant"] == BEST) & of_ranks]


def _fitted(rows: pd.DataFrame, kind: str, product: Line) -> Fitted:
    element = ELEMENT_BYTES[kind]
    block_bytes = rows["block_vectors"] * rows["fields"] / rows["n_pf"] * element
    squares = rows["result.terms.vectors"] ** 2
    device_kind = str(rows["device_kind"].iloc[0])
    machine = Machine(
        product=product,
        triples=_line_of(_triples(rows)),
        quotients=_line(rows, "quotients", squares) or FREE,
        communication=_line(rows, "communication", block_bytes) or FREE,
        upload=_line(rows, "upload", block_bytes) or FREE,
        download=_line(rows, "download", squares * rows["value_bytes"]) or FREE,
        bytes_per_element=element,
        bytes_per_value=VALUE_BYTES.get(kind, 4.0),
        overlaps=device_kind == "cuda",
    )
    return Fitted(machine, device_kind, len(rows), complete=machine.communication is not FREE)


def _products(rows: pd.DataFrame) -> pd.DataFrame:
    """Values computed, fields and seconds of every mGEMM measured alone: whole kernels, and those among the terms."""
    kernels, terms = rows[rows["measure"] == "kernel"], rows[rows["result.terms.product"] > 0]
    seconds = terms["result.terms.product"]
    found = [(kernels["vectors"], kernels["fields"], kernels[SECONDS])]
    found.append((terms["result.terms.vectors"], terms["fields"] / terms["n_pf"], seconds))
    return pd.concat(
        [pd.DataFrame({"values": _squares(vectors), "fields": fields, "seconds": s}) for vectors, fields, s in found]
    )


def _triples(rows: pd.DataFrame) -> pd.DataFrame:
    """The same of launches of triples."""
    terms = rows[rows["result.terms.triples"] > 0]
    values = _squares(terms["result.terms.vectors"]) * terms["result.terms.pivots"]
    fields = terms["fields"] / terms["n_pf"]
    return pd.DataFrame({"values": values, "fields": fields, "seconds": terms["result.terms.triples"]})


def _squares(vectors: pd.Series) -> pd.Series:
    """Values that are computed of so many vectors with each other, as predictions count them."""
    return vectors.map(lambda count: computed(int(count), int(count)))


def _line_of(launches: pd.DataFrame) -> Line | None:
    values = launches["values"].astype(float)
    amounts = list(zip(values, values * launches["fields"], strict=True))
    return Line.fitted(amounts, launches["seconds"].tolist()) if amounts else None


def _line(rows: pd.DataFrame, term: str, amounts: pd.Series) -> Line | None:
    measured = rows[rows[f"result.terms.{term}"] > 0]
    if not len(measured):
        return None
    return Line.fitted([(amount,) for amount in amounts[measured.index]], measured[f"result.terms.{term}"].tolist())


def titan(published: Published, precision: str) -> Fitted:
    """The paper's machine as far as the text gives it: the kernel's rate, with all else hidden behind it."""
    per = 1e-12 / published.kernel_rate(precision)
    machine = Machine(Line(0.0, (0.0, per)), None, FREE, FREE, FREE, FREE, 4.0, 4.0)
    return Fitted(machine, "cuda", 0, complete=False)


def gpus(machines: dict[tuple[str, str], Fitted], kind: str) -> dict[str, Fitted]:
    """The machines of GPUs for a kind of elements, by device: nothing is predicted of the emulator at scale."""
    return {
        device: fitted
        for (device, elements), fitted in machines.items()
        if elements == kind and fitted.device_kind == "cuda"
    }


def compare(rows: pd.DataFrame, machines: dict[tuple[str, str], Fitted]) -> pd.DataFrame:
    """Our runs of whole similarities with the model's seconds, `predicted`, under the rows' index."""
    own = modelled(rows)
    whole = own[own["measure"] != "kernel"]
    fitted = [key in machines for key in zip(whole["device"], whole["kind"], strict=True)]
    known = whole[np.array(fitted, dtype=bool)]
    return known.assign(predicted=[_predicted(row, machines) for _, row in known.iterrows()])


def _predicted(row: pd.Series, machines: dict[tuple[str, str], Fitted]) -> float:
    decomposition = Decomposition(int(row["n_pf"]), int(row["n_pv"]), int(row["n_pr"]))
    run = Run(int(row["way"]), int(row["vectors"]), int(row["fields"]), decomposition, row["stages"], row["stage"])
    machine = replace(machines[row["device"], row["kind"]].machine, bytes_per_value=row["value_bytes"])
    return predict(machine, run, None if row["ranks"] == row["devices"] else row["devices"]).seconds


def weak_runs(run: pd.Series) -> list[Run]:
    """The paper's weak scaling towards one of its largest runs: from the fewest blocks that have its load."""
    largest = int(run["vector_blocks"])
    fewest = 2 * (int(run["load"]) - 1) if run["way"] == 2 else 2
    blocks = sorted({largest, *(fewest * 2**k for k in range(10) if fewest * 2**k < largest)})
    return [
        Run.weak(run["way"], count, run["block_vectors"], run["fields"], run["load"], run["stages"]) for count in blocks
    ]


def best_strong(machine: Machine, way: int, nodes: int) -> Prediction:
    """Fig. 6: a fixed problem on so many nodes, by the decomposition that the model finds fastest.

    Of an even number of blocks, the first half of the rows has a block more than the others: with one rank a node, two
    nodes have three quarters and a quarter of the pairs. Two ranks a node, one of each half, have the same.
    """
    fields, vectors = STRONG[way]
    found = []
    for ranks, devices in ((nodes, None), (2 * nodes, nodes))[: 2 if way == 2 else 1]:
        divisors = [count for count in range(1, ranks + 1) if ranks % count == 0]
        runs = [Run(way, vectors, fields, Decomposition(1, count, ranks // count)) for count in divisors]
        found += [predict(machine, run, devices) for run in runs if _busy(run)]
    return min(found, key=lambda prediction: prediction.seconds)


def _busy(run: Run) -> bool:
    """Whether every rank has a step."""
    blocks = run.decomposition.vectors
    steps = blocks // 2 + 1 if run.way == 2 else (blocks + 1) * (blocks + 2)
    return run.decomposition.rows <= steps


def at_scale(machines: dict[tuple[str, str], Fitted], published: Published) -> pd.DataFrame:
    """The paper's largest runs by the model: on our devices, and on the paper's with all but the mGEMMs hidden."""
    lines = []
    for _, run in published.runs.iterrows():
        machines_of_run = {TITAN: titan(published, run["precision"]), **gpus(machines, run["kind"])}
        for device, fitted in machines_of_run.items():
            found = predict(fitted.machine, weak_runs(run)[-1])
            lines.append(
                {
                    "way": run["way"],
                    "kind": run["kind"],
                    "nodes": run["nodes"],
                    "device": device,
                    "predicted_seconds": found.seconds,
                    f"predicted_{RATE}": found.comparisons_per_second / 1e12,
                    "communication": "as measured" if fitted.complete else "taken to be hidden",
                    f"paper_{RATE}": run[RATE],
                }
            )
    return pd.DataFrame(lines)
