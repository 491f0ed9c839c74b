"""What the text says of the paper's own tables and charts, against their numbers."""

import numpy as np
import pandas as pd

from repro.report.claims import FAILS, HOLDS, Claim
from repro.report.shuffle.data import PROBLEM, Published

SYSTEM = "shuffle"
GPU_PROGRAMS = ["AnySeq1", "GASAL2", "NVBIO", "ADEPT"]


def by_its_own_tables(published: Published) -> list[Claim]:
    """The claims on Tables 1 and 2 and on the charts."""
    stated, table = published.stated, published.table1
    paper = table[table["library"] == "AnySeq/GPU"]
    keys = ["mode", "gap", "result", "reads"]
    gpu = table[table["library"].isin(GPU_PROGRAMS) & (table["platform"] != "AVX512")]
    cpu = table[table["platform"] == "AVX512"]
    bars = published.bars
    others = bars[bars["library"].isin(GPU_PROGRAMS[1:])]
    in_bars = ratios_of(bars[bars["library"] == "AnySeq/GPU"], others, [*PROBLEM, "platform"])
    found = []
    for claim, names, ratios in (
        ("speed-up over other GPU programs, by Table 1", "speed_up", ratios_of(paper, gpu, [*keys, "platform"])),
        ("speed-up over other GPU programs without AnySeq 1, by the bar charts", "without_anyseq1", in_bars),
        *(
            (f"speed-up of the {name} over CPU libraries, by Table 1", f"cpu_{name.lower()}",
             ratios_of(paper[paper["platform"] == name], cpu.drop(columns="platform"), keys))
            for name in ("GV100", "MI100")
        ),
    ):  # fmt: skip
        least, median = stated[f"minimum_{names}"], stated[f"median_{names}"]
        agrees = np.isclose([ratios.min(), ratios.median()], [least, median], atol=0.05).all()
        found.append(
            claim_of(
                published,
                f"minimum_{names}",
                claim,
                f"at least {least:g}, median {median:g}, to the digits printed",
                f"at least {ratios.min():.1f}, median {ratios.median():.1f}",
                HOLDS if agrees else FAILS,
            )
        )
    efficiency = published.table2["efficiency_percent"]
    found.append(
        claim_of(
            published,
            "peak_share",
            "share of the peak, by Table 2",
            f"over {stated['peak_share']:.0%} on every GPU",
            f"{efficiency.min():g} to {efficiency.max():g} %",
            HOLDS if efficiency.min() > 100 * stated["peak_share"] else FAILS,
        )
    )
    losses = published.scaling.groupby(["mode", "gap", "platform"]).apply(loss_of, include_groups=False)
    worst = losses.idxmax()
    found.append(
        claim_of(
            published,
            "long_loss",
            "loss of reads of up to 4,096 letters, by the charts",
            f"no more than {stated['long_loss']:.0%}",
            f"up to {losses.max():.1%} ({worst[2]}, {worst[0]}, {worst[1]})",
            HOLDS if losses.max() <= stated["long_loss"] else FAILS,
        )
    )
    return found


def ratios_of(own: pd.DataFrame, others: pd.DataFrame, keys: list[str]) -> pd.Series:
    """How many times faster the `gcups` of `own` are than those of `others` with the same keys."""
    both = others.merge(own, on=keys, suffixes=("_other", ""))
    return both["gcups"] / both["gcups_other"]


def loss_of(line: pd.DataFrame, speed: str = "gcups") -> float:
    """How much slower the slowest of the longer reads is than the better of 250 and 512 letters."""
    best = line.loc[line["read_length"].between(250, 512), speed].max()
    return float(1 - line.loc[line["read_length"] > 512, speed].min() / best)


def claim_of(published: Published, name: str, claim: str, paper: str, ours: str, verdict: str) -> Claim:
    """A claim on the stated value of that name, in its section."""
    return Claim(SYSTEM, str(published.sections[name]), claim, paper, ours, verdict)
