"""The table of all measurements, Tables 1 and 2 with ours, and those of goals and peers."""

from pathlib import Path

import numpy as np
import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.report.shuffle.data import (
    ENGINES,
    KERNEL,
    PACBIO,
    PROBLEM,
    SPEED,
    TOTAL,
    TOTAL_SPEED,
    Published,
    engine,
    fastest,
    of_their_own,
    papers_scores,
    with_enough_to_do,
)
from repro.shuffle.peers import PEERS

COLUMNS = {
    "variant": "variant",
    "mode": "mode",
    "gap": "gap",
    "result": "result",
    "input.name": "reads",
    "input.against": "against",
    "input.pairs": "pairs",
    "read_length": "read_length",
    "input.cells": "cells",
    "device": "device",
    "device_kind": "device_kind",
    "seconds": "kernel_seconds",
    "kernel_seconds.min": "kernel_seconds_min",
    "kernel_seconds.max": "kernel_seconds_max",
    TOTAL: "total_seconds",
    SPEED: "kernel_gcups",
    TOTAL_SPEED: "total_gcups",
    "repetitions": "repetitions",
    "result.sum": "sum_of_scores",
    "types": "number_types",
    "counters.launches": "launches",
    "work": "cells_computed",
}
READS = ("125bp", "512bp", PACBIO)
PAPER, OTHERS, HERE = "paper", "other programs", "here"


def measurements(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per row; times in seconds, GCUPS by kernel and by total time."""
    types = rows.filter(regex=r"^result\.types\.").rename(columns=lambda name: name.rpartition(".")[2])
    texts = [" ".join(f"{name}:{count:.0f}" for name, count in row.dropna().items()) for _, row in types.iterrows()]
    return rows.assign(types=texts)[list(COLUMNS)].rename(columns=COLUMNS)


def table1(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Table 1, global alignments with linear gaps of three read sets, and ours.

    Reads of many lengths are aligned here semi-globally, each with the window it comes from.
    """
    own = papers_scores(rows[(rows["gap"] == "linear") & rows["reads"].isin(READS)])
    own = own[own["mode"] == np.where(own["reads"] == PACBIO, "semi-global", "global")]
    own = own[(own["reads"] != PACBIO) | (own["input.against"] == "window")]
    best = fastest(own, ["device", "variant", "reads", "input.name", "result"])
    names = {
        "variant": "library",
        "device": "platform",
        SPEED: "gcups",
        TOTAL_SPEED: "total_gcups",
        "input.name": "set",
    }
    ours = best[["mode", "gap", "result", "reads", "device_kind", *names]].rename(columns=names).assign(source=HERE)
    joined = pd.concat([published.table1.assign(source=PAPER), ours])
    return joined.sort_values(["reads", "result", "source"], ascending=[True, True, False], kind="stable")


def table2(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Table 2: what share of the peak is reached by scores of global alignments with affine gaps, and ours on GPUs.

    peak_tcups: by the paper's model. ceiling_tcups: by the instruction rates as measured. achieved_tcups: of the
    fastest read length.
    """
    paper = published.table2.assign(library="AnySeq/GPU", source=PAPER)
    problem = {"mode": "global", "gap": "affine"}
    own = papers_scores(
        rows[(rows["device_kind"] == "cuda") & (rows["result"] == "score") & ~rows["variant"].isin(PEERS)]
    )
    own = of_their_own(
        own[(own["mode"] == problem["mode"]) & (own["gap"] == problem["gap"]) & own["read_length"].notna()]
    )
    ceilings = published.ceilings
    ceilings = ceilings[(ceilings["mode"] == problem["mode"]) & (ceilings["gap"] == problem["gap"])]
    lines = []
    for row in fastest(own, ["device", "variant"]).itertuples():
        limited = "s16x2" if row.variant in ENGINES else row.variant
        known = ceilings[(ceilings["device"] == row.device) & (ceilings["variant"] == limited)].set_index("model")
        tcups = known["tcups"].reindex(["paper", "hardware"]).tolist()
        achieved = row.kernel_gcups / 1e3
        lines.append(
            {
                "platform": row.device,
                "library": row.variant,
                "read_length": row.read_length,
                "peak_tcups": tcups[0],
                "ceiling_tcups": tcups[1],
                "achieved_tcups": achieved,
                "efficiency_percent": 100 * achieved / tcups[0],
                "ceiling_percent": 100 * achieved / tcups[1],
                "source": HERE,
            }
        )
    columns = [*paper.columns, "read_length", "ceiling_tcups", "ceiling_percent"]
    return pd.concat([paper, pd.DataFrame(lines)]).reindex(columns=columns).reset_index(drop=True)


def goals_table(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """What scores are to reach on one NVIDIA H200 and what they and tracebacks reach there, in TCUPS of kernel time.

    traceback_share: of the speed of the scores. total_over_kernel: seconds of the scores. limit_tcups: what the
    instruction rates allow.
    """
    own = fastest(papers_scores(engine(rows[rows["device_kind"] == "cuda"])), [*PROBLEM, "read_length"])
    speeds = own.pivot_table(SPEED, ["mode", "gap", "read_length"], "result") / 1e3
    speeds = speeds.reindex(columns=["score", "traceback"]).add_suffix("_tcups")
    scores = own[own["result"] == "score"].set_index(["mode", "gap", "read_length"])
    speeds["total_over_kernel"] = scores[TOTAL] / scores[KERNEL]
    speeds["device"] = scores["device"]
    speeds["traceback_share"] = speeds["traceback_tcups"] / speeds["score_tcups"]
    limits = published.ceilings.query("model == 'hardware' and variant == 's16x2'").set_index(["mode", "gap"])["tcups"]
    joined = published.goals.merge(speeds.reset_index(), on=["mode", "gap", "read_length"], how="left")
    return joined.merge(limits.rename("limit_tcups").reset_index(), on=["mode", "gap"], how="left")


def peers_table(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Our fastest variant on a GPU beside every other program measured there or on its host, in GCUPS.

    Kernel times are compared where the program reports them, else total times.
    """
    keys = [*PROBLEM, "read_length"]
    own = fastest(papers_scores(engine(rows[rows["device_kind"] == "cuda"])), ["device", *keys])
    own = own[["device", *keys, "variant", SPEED, TOTAL_SPEED]].rename(
        columns={SPEED: "ours", TOTAL_SPEED: "our_total"}
    )
    peers = published.comparable_peers()
    peers = peers.assign(on=peers["device"].str.replace(r".*(NVIDIA H200).*", r"\1", regex=True))
    both = peers.merge(own, left_on=["on", *keys], right_on=["device", *keys], suffixes=("", "_ours"))
    ours = both["ours"].where(both["kernel_gcups"].notna(), both["our_total"])
    both["times_faster"] = ours / both["speed"]
    return both[["peer", "device", *keys, "kernel_gcups", "total_gcups", "variant", "ours", "our_total", "times_faster",
                 "note"]]  # fmt: skip


def write_tables(folder: str | Path, rows: pd.DataFrame, published: Published) -> None:
    """Write every table as FOLDER/NAME.tsv, tab-separated."""
    speeds = with_enough_to_do(rows)
    tables = {
        "measurements": measurements(rows),
        "table1": table1(rows, published),
        "table2": table2(speeds, published),
        "goals": goals_table(speeds, published),
        "peers": peers_table(speeds, published),
    }
    for name, table in tables.items():
        with complete_or_absent(Path(folder) / f"{name}.tsv") as partial:
            table.convert_dtypes().to_csv(partial, sep="\t", index=False, float_format="%.6g")
