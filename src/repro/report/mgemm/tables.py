"""The table of all measurements, tables 1 to 6 with ours beside the paper's, the model's, and the limits'."""

from pathlib import Path
from typing import Any

import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.report.mgemm.data import (
    BEST,
    CPU,
    KINDS,
    PEERS_DEVICE,
    RATE,
    SECONDS,
    SHORT_FIELDS,
    TITAN,
    Published,
    fastest,
    side_by_side,
)
from repro.report.mgemm.predictions import Fitted, at_scale, compare

PRECISION = {kind: precision for precision, kind in KINDS.items()}
COLUMNS = {
    "measure": "measure",
    "variant": "variant",
    "input.name": "input",
    "kind": "kind",
    "vectors": "vectors",
    "fields": "fields",
    "stages": "stages",
    "stage": "stage",
    "n_pf": "n_pf",
    "n_pv": "n_pv",
    "n_pr": "n_pr",
    "devices": "devices",
    "device": "device",
    "device_kind": "device_kind",
    SECONDS: SECONDS,
    RATE: RATE,
    "total_seconds.min": "total_seconds_min",
    "total_seconds.median": "total_seconds",
    "total_seconds.max": "total_seconds_max",
    "kernel_seconds.median": "kernel_seconds",
    "work": "comparisons",
    "result.checksum": "checksum",
    "cpu": "cpu",
}
PEAK_DOUBLE = {PEERS_DEVICE: 64 * 2 * 132 * 1.98e9}  # flop/s: lanes, multiply-add, multiprocessors, clock
SOURCES = "measured here", "predicted by our model", "stated in the paper", "another program"


def table1(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """One mGEMM: every variant at its largest size, and the rate relative to `gemm` on the same device."""
    kernels = rows[(rows["measure"] == "kernel") & rows["kind"].isin(PRECISION)]
    largest = kernels["vectors"] == kernels.groupby(["device", "kind", "variant"])["vectors"].transform("max")
    found = fastest(kernels[largest], ["device", "kind", "variant"])
    gemm = found[found["variant"] == "gemm"].set_index(["device", "kind"])[RATE]
    lines = [
        _rate_line(row["kind"], row["variant"], row["device"], row[RATE], SOURCES[0], row["vectors"], row["fields"])
        | {"share_of_gemm": row[RATE] / gemm.get((row["device"], row["kind"]), float("nan"))}
        for _, row in found.iterrows()
    ]
    for kind, precision in PRECISION.items():
        lines.append(
            _rate_line(kind, "fmin", TITAN, published.kernel_rate(precision), SOURCES[2], 10240, 12288)
            | {"share_of_peak": published.stated[f"kernel_{precision}"] / published.stated[f"peak_{precision}"]}
        )
    peers = published.peers[
        published.peers["measure"].isin(["kernel", "gemm"]) & published.peers["kind"].isin(PRECISION)
    ]
    for peer in peers.itertuples():
        rate = getattr(peer, RATE)
        lines.append(_rate_line(peer.kind, peer.peer, PEERS_DEVICE, rate, SOURCES[3], peer.vectors, peer.fields))
    return pd.DataFrame(lines)


def _rate_line(
    kind: str, variant: str, device: str, rate: float, source: str, vectors: int, fields: int
) -> dict[str, Any]:
    return {
        "precision": PRECISION[kind],
        "variant": variant,
        "device": device,
        "vectors": vectors,
        "fields": fields,
        RATE: rate,
        "gop_per_second": 2e3 * rate,
        "source": source,
    }


def table2(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Whole similarities on a device over the CPU: by rates, since the CPU is given fewer vectors."""
    whole = rows[(rows["measure"] != "kernel") & (rows["devices"] == 1)]
    found = side_by_side(whole[whole["variant"] == BEST], whole[whole["variant"] == CPU], ["measure", "kind"])
    paper = {f"{way}-way": published.stated[f"speed_up_{way}way"] for way in (2, 3)}
    found["paper_speed_up"] = found["measure"].map(paper).where(found["kind"] == "float64")
    beside = {"cpu_below": "host", "vectors_below": "cpu_vectors", "fields_below": "cpu_fields"}
    columns = {
        **{name: name for name in ("measure", "kind", "device", "device_kind", "vectors", "fields", RATE)},
        **beside,
        f"{RATE}_below": f"cpu_{RATE}",
        "ratio": "speed_up",
        "paper_speed_up": "paper_speed_up",
    }
    return found[list(columns)].rename(columns=columns)


def highest_rates(
    rows: pd.DataFrame, way: int, machines: dict[tuple[str, str], Fitted], published: Published
) -> pd.DataFrame:
    """Tables 3 (2-way) and 4 (3-way): the highest rates by precision, as stated, as measured, and as predicted."""
    lines = [
        _scale_line(run["kind"], TITAN, run["nodes"], run[RATE], SOURCES[2])
        for _, run in published.runs[published.runs["way"] == way].iterrows()
    ]
    whole = rows[(rows["measure"] == f"{way}-way") & (rows["variant"] == BEST) & rows["kind"].isin(PRECISION)]
    for _, row in fastest(whole, ["kind", "device", "devices"]).iterrows():
        lines.append(_scale_line(row["kind"], row["device"], row["devices"], row[RATE], SOURCES[0]))
    predicted = at_scale(machines, published)
    for _, row in predicted[predicted["way"] == way].iterrows():
        lines.append(_scale_line(row["kind"], row["device"], row["nodes"], row[f"predicted_{RATE}"], SOURCES[1]))
    return pd.DataFrame(lines)


def _scale_line(kind: str, device: str, devices: int, rate: float, source: str) -> dict[str, Any]:
    return {
        "precision": PRECISION[kind],
        "device": device,
        "devices": devices,
        "gop_per_second_and_device": 2e3 * rate / devices,
        RATE: rate,
        "source": source,
    }


def table5(rows: pd.DataFrame) -> pd.DataFrame:
    """Real data, and made vectors as short as the paper's. Its own set is not at hand: these stand in for it."""
    whole = rows[rows["measure"] != "kernel"]
    real, short = whole["input.set"].notna(), whole["fields"] == SHORT_FIELDS
    found = fastest(whole[real | short], ["device", "input.name", "measure", "stages"])
    found["data"] = found["input.set"].map("{}, in place of the poplar set".format).where(real, "made, short vectors")
    kept = ["data", "kind", "measure", "vectors", "fields", "stages", "stage", "device", "devices", SECONDS, RATE]
    return found[kept]


def table6(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Comparisons per second, and per flop of the double-precision peak; the paper's others are not in the text."""
    titan = published.stated["peak_double"] * 1e9
    lines = []
    for _, run in published.runs.iterrows():
        what = f"CoMet, {run['way']}-way, {run['precision']}"
        lines.append(_related(what, f"{run['nodes']:,} nodes of {TITAN}", run[RATE], run["nodes"] * titan, SOURCES[2]))
    for peer in published.peers[published.peers["measure"].isin(["2-way", "3-way"])].itertuples():
        what = f"{peer.peer}, {peer.measure}, {PRECISION[peer.kind]}"
        lines.append(_related(what, PEERS_DEVICE, getattr(peer, RATE), PEAK_DOUBLE[PEERS_DEVICE], SOURCES[3]))
    whole = rows[(rows["measure"] != "kernel") & (rows["variant"] == BEST) & rows["device"].isin(PEAK_DOUBLE)]
    for _, row in fastest(whole, ["measure", "kind", "devices"]).iterrows():
        what = f"repro, {row['measure']}, {row['kind']}"
        peak = PEAK_DOUBLE[row["device"]] * row["devices"]
        lines.append(_related(what, f"{row['devices']} x {row['device']}", row[RATE], peak, SOURCES[0]))
    return pd.DataFrame(lines)


def _related(what: str, hardware: str, rate: float, peak: float, source: str) -> dict[str, Any]:
    return {"method": what, "hardware": hardware, RATE: rate, "per_flop": rate * 1e12 / peak, "source": source}


def model_table(rows: pd.DataFrame, machines: dict[tuple[str, str], Fitted]) -> pd.DataFrame:
    """Every whole run beside the model's seconds; communication says whether it was measured or taken to be hidden."""
    kept = [
        "device",
        "kind",
        "measure",
        "vectors",
        "fields",
        "stages",
        "stage",
        "n_pf",
        "n_pv",
        "n_pr",
        "devices",
        SECONDS,
    ]
    compared = compare(rows, machines)
    return compared[[*kept, "predicted"]].assign(ratio=compared[SECONDS] / compared["predicted"])


def limits_of(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The fastest rate of every measure and kind on the goals' device beside goal and limit."""
    own = rows[(rows["device"] == PEERS_DEVICE) & (rows["variant"] == BEST) & (rows["devices"] == 1)]
    best = fastest(own, ["measure", "kind", "vectors", "fields"])
    goals = published.goals.rename(columns={RATE: "goal"})
    joined = best.merge(goals, on=["measure", "kind", "vectors", "fields"], how="left")
    joined = joined.merge(published.limits.rename(columns={RATE: "limit"}), on="kind")
    joined["share_of_limit"] = joined[RATE] / joined["limit"]
    return joined[["measure", "kind", "vectors", "fields", RATE, "goal", "limit", "share_of_limit", "bound_by"]]


def write_tables(
    folder: Path, rows: pd.DataFrame, machines: dict[tuple[str, str], Fitted], published: Published
) -> None:
    """Write all but the claims into a folder, tab-separated; rates in 10^12 comparisons per second."""
    tables = {
        "measurements": rows[list(COLUMNS)].rename(columns=COLUMNS),
        "table1": table1(rows, published),
        "table2": table2(rows, published),
        "table3": highest_rates(rows, 2, machines, published),
        "table4": highest_rates(rows, 3, machines, published),
        "table5": table5(rows),
        "table6": table6(rows, published),
        "model": model_table(rows, machines),
        "limits": limits_of(rows, published),
    }
    for name, table in tables.items():
        with complete_or_absent(folder / f"{name}.tsv") as partial:
            table.to_csv(partial, sep="\t", index=False, float_format="%.6g")
