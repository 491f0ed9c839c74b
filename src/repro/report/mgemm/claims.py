"""The paper's claims, and what is promised beyond it."""

import pandas as pd

from repro.mgemm.model import predict
from repro.mgemm.schedule import Decomposition, steps_of_row, work_of
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim, judged, reached, told_apart
from repro.report.mgemm.data import BEST, CODE, CPU, KINDS, RATE, SAME, SHORT_FIELDS, Published, fastest, side_by_side
from repro.report.mgemm.predictions import Fitted, at_scale, best_strong, gpus, weak_runs

SYSTEM = "mgemm"
BEYOND = "beyond the paper"
BLOCKS = range(1, 11)  # numbers of blocks for which the schedules are counted
BLOCK_VECTORS = 60
LARGE = 0.5  # fraction of the rate of products and sums in the same tiling
NEAR = 0.05  # of a load imbalance, whose formula counts slices as equally large
TWO_DEVICES = 1.9

Machines = dict[tuple[str, str], Fitted]


def claims(rows: pd.DataFrame, machines: Machines, published: Published) -> list[Claim]:
    """Every claim with its verdict. rows: checked rows of this run and of resources/measured."""
    gpu = rows[rows["device_kind"] == "cuda"]
    return [
        *_schedules(),
        _checksums(rows),
        *_kernels(gpu, published),
        *_speed_ups(gpu, published),
        *_faster(gpu),
        *_strong(gpu, machines, published),
        *_losses(machines, published),
        *_scale(gpu, machines, published),
        *_goals(gpu, published),
        *_two_devices(gpu),
        _peers(gpu, published),
    ]


def _claim(section: str, claim: str, paper: str, ours: str, verdict: str) -> Claim:
    return Claim(SYSTEM, section, claim, paper, ours, verdict)


def _schedules() -> list[Claim]:
    """Counted from the schedules that the ranks follow: the same on every machine."""
    pairs = {blocks: _row_counts(2, blocks) for blocks in BLOCKS}
    odd = [counts for blocks, counts in pairs.items() if blocks % 2]
    equal = sum(len(set(counts)) == 1 for counts in odd)
    apart = [(max(counts) - min(counts)) / BLOCK_VECTORS**2 for counts in pairs.values()]
    slices = sum(len(steps_of_row(3, Decomposition(1, b, 2))) == (b + 1) * (b + 2) for b in BLOCKS)
    near = sum(abs(_useful(b) / (b**2 / ((b + 1) * (b + 2))) - 1) <= NEAR for b in BLOCKS)
    balanced = sum(max(counts) - min(counts) <= BLOCK_VECTORS**2 for counts in pairs.values())
    ours, verdict = judged(balanced, len(pairs))
    return [
        _claim(
            "Fig. 2", "2-way: every block row has as much work, odd n_pv", "the same", *_of(equal, len(odd), "n_pv")
        ),
        _claim(
            "Fig. 2",
            "2-way: block rows are at most one block apart, any n_pv",
            "the same",
            ours.replace("runs", "n_pv") + f" ({max(apart):.0f} at most)",
            verdict,
        ),
        _claim("Figs. 3 to 5", "3-way: slices of a slab", "(n_pv + 1)(n_pv + 2)", *_of(slices, len(BLOCKS), "n_pv")),
        _claim(
            "Figs. 3 to 5",
            f"3-way: load imbalance, to within {NEAR:.0%}",
            "n_pv² / ((n_pv + 1)(n_pv + 2))",
            *_of(near, len(BLOCKS), "n_pv"),
        ),
    ]


def _of(passed: int, total: int, what: str) -> tuple[str, str]:
    ours, verdict = judged(passed, total)
    return ours.replace("runs", what), verdict


def _row_counts(way: int, blocks: int) -> list[int]:
    """Results of each block row."""
    steps = steps_of_row(way, Decomposition(1, blocks, 1))
    vectors = BLOCK_VECTORS * blocks
    return [sum(work_of(step, block, vectors, blocks).count for step in steps) for block in range(blocks)]


def _useful(blocks: int) -> float:
    """The share of a slab's slices that are results, a slice being a sixth of a block."""
    steps = steps_of_row(3, Decomposition(1, blocks, 2))
    count = sum(work_of(step, 0, BLOCK_VECTORS * blocks, blocks).count for step in steps)
    return count / (len(steps) * BLOCK_VECTORS**3 / 6)


def _checksums(rows: pd.DataFrame) -> Claim:
    """One checksum for each problem and precision, whatever computed it. A stage's results depend on the blocks."""
    whole = rows[rows["result.checksum"].notna() & ((rows["stages"] == 1) | (rows["ranks"] == 1))]
    groups = whole.groupby(["kind", "measure", "input.name", "stages", "stage"])["result.checksum"]
    several = groups.nunique()[groups.size() > 1]
    ours, verdict = _of(int((several == 1).sum()), len(several), "problems")
    claim = "the checksum is the same for every decomposition, device and variant"
    return _claim("Figs. 2 to 5", claim, "exact", ours, verdict)


def _kernels(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    kernels = gpu[gpu["measure"] == "kernel"]
    auto, gemm = (_precisions(kernels[kernels["variant"] == name]) for name in (BEST, "gemm"))
    section = published.sections["kernel_single"]
    found = []
    for precision, minima, products in zip(KINDS, auto, gemm, strict=True):
        ours, verdict = "-", NOT_MEASURED
        if (line := _fastest(minima, products, SAME)) is not None:
            rates = f"{line[RATE]:.3g} of {line[f'{RATE}_below']:.3g} T/s"
            ours = f"{line['ratio']:.0%} of the same tiling's: {rates} ({line['device']})"
            verdict = HOLDS if LARGE <= line["ratio"] < 1 else FAILS
        share = published.stated[f"kernel_{precision}"] / published.stated[f"peak_{precision}"]
        paper = f"{share:.0%} of the peak flop rate"
        claim = f"the mGEMM runs at a large fraction of GEMM's rate, {LARGE:.0%} or more, {precision}"
        found.append(_claim(section, claim, paper, ours, verdict))
    paper_ratio = published.stated["kernel_single"] / published.stated["kernel_double"]
    return [*found, _ratio(section, "single over double precision, mGEMM kernel", paper_ratio, *auto, SAME)]


def _precisions(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Those in single and those in double precision."""
    return rows[rows["kind"] == KINDS["single"]], rows[rows["kind"] == KINDS["double"]]


def _fastest(above: pd.DataFrame, below: pd.DataFrame, same: list[str]) -> pd.Series | None:
    """The line of `side_by_side` with the highest rate, if there is one."""
    both = side_by_side(above, below, same)
    return both.loc[both[RATE].idxmax()] if len(both) else None


def _ratio(section: str, claim: str, least: float, above: pd.DataFrame, below: pd.DataFrame, same: list[str]) -> Claim:
    """The highest rate of some rows over that of others, on a device that has both. same: columns they must share."""
    ours, verdict = "-", NOT_MEASURED
    if (line := _fastest(above, below, same)) is not None:
        ratio, verdict = reached(line["ratio"], least)
        ours = f"{ratio} times ({line['device']}, {_sizes(line)})"
    return _claim(section, claim, f"{least:.3g} times" if least > 1 else "faster", ours, verdict)


def _sizes(line: pd.Series) -> str:
    """Vectors and elements of both rows of a line of `side_by_side`, once if they are equal."""
    above, below = (f"{line[f'vectors{end}']:,} × {line[f'fields{end}']:,}" for end in ("", "_below"))
    return above if above == below else f"{above} over {below}"


def _faster(gpu: pd.DataFrame) -> list[Claim]:
    """What the text says to be faster than something else, of whole similarities on one device."""
    whole = gpu[(gpu["measure"] != "kernel") & (gpu["variant"] == BEST) & (gpu["devices"] == 1)]
    pairs, triples = (whole[whole["measure"] == measure] for measure in ("2-way", "3-way"))
    single, _ = _precisions(pairs)
    long, short = single[single["fields"] > SHORT_FIELDS], single[single["fields"] == SHORT_FIELDS]
    bits = pairs[pairs["kind"] == "bits"]
    return [
        _ratio("Fig. 8", "2-way: single over double precision", 2.0, *_precisions(pairs), SAME),
        _ratio("Fig. 10", "3-way: single over double precision", 2.0, *_precisions(triples), SAME),
        _ratio(
            "Table 5", "as many vectors, longer than the sample's 385 elements", 1.0, long, short, [CODE, "vectors"]
        ),
        _ratio("Metrics", "Sorenson on bits over single precision", 1.0, bits, single, []),
    ]


def _speed_ups(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    """A GPU over the CPU of its host, by rates: the CPU is given fewer vectors, and both sizes are told."""
    found = []
    for way in (2, 3):
        own = gpu[(gpu["measure"] == f"{way}-way") & (gpu["kind"] == "float64") & (gpu["devices"] == 1)]
        ours, verdict = "-", NOT_MEASURED
        paper = published.stated[f"speed_up_{way}way"]
        if (line := _fastest(own[own["variant"] == BEST], own[own["variant"] == CPU], [])) is not None:
            ours = f"{line['ratio']:.0f} times by rate ({line['device']} over {line['cpu_below']}, {_sizes(line)})"
            verdict = HOLDS if line["ratio"] >= paper else FAILS
        claim = f"{way}-way, double precision: GPU over CPU"
        found.append(_claim(published.sections[f"speed_up_{way}way"], claim, f"{paper:.0f} times", ours, verdict))
    return found


def _strong(gpu: pd.DataFrame, machines: Machines, published: Published) -> list[Claim]:
    """64 nodes are more than were measured on; what the model says is said as such."""
    found = []
    for way in (2, 3):
        name = f"strong_efficiency_{way}way"
        predicted = [
            f"{best_strong(fitted.machine, way, 2).seconds / best_strong(fitted.machine, way, 64).seconds / 32:.0%} "
            f"predicted for {device}"
            for device, fitted in gpus(machines, "float64").items()
        ]
        claim = f"{way}-way: efficiency of 64 nodes relative to 2"
        paper = f"{published.stated[name]:.0f} %"
        found.append(_claim(published.sections[name], claim, paper, "; ".join(predicted) or "-", NOT_MEASURED))
    return found


def _losses(machines: Machines, published: Published) -> list[Claim]:
    """How much of a node's rate is lost from the fewest nodes to the most."""
    found = []
    for _, run in published.runs.dropna(subset=["loss_percent"]).iterrows():
        parts = []
        for device, fitted in gpus(machines, run["kind"]).items():
            runs = weak_runs(run)
            first, *_, last = (
                predict(fitted.machine, each).comparisons_per_second / each.decomposition.ranks for each in runs
            )
            parts.append(f"{1 - last / first:.0%} predicted for {device}, as if all nodes had one host")
        claim = f"{run['way']}-way, {run['precision']} precision: rate of a node lost up to {run['nodes']:,} nodes"
        paper = f"{run['loss_percent']:.0f} %"
        found.append(_claim(f"Fig. {run['figure']}", claim, paper, "; ".join(parts) or "-", NOT_MEASURED))
    return found


def _scale(gpu: pd.DataFrame, machines: Machines, published: Published) -> list[Claim]:
    """The highest rates, beside those of a device that was measured and of as many nodes as predicted."""
    scale = at_scale(machines, published)
    found = []
    for _, run in published.runs.iterrows():
        own = gpu[(gpu["measure"] == f"{run['way']}-way") & (gpu["kind"] == run["kind"]) & (gpu["variant"] == BEST)]
        parts = []
        if len(own):
            best = own.loc[own[RATE].idxmax()]
            parts.append(f"{best[RATE]:.3g} T/s on {best['devices']} x {best['device']}")
        same = (scale["way"] == run["way"]) & (scale["kind"] == run["kind"]) & scale["device"].isin(gpu["device"])
        parts += [
            f"{line[f'predicted_{RATE}'] / 1e3:,.3g} P/s predicted for {line['nodes']:,} of them, communication "
            f"{line['communication']}"
            for _, line in scale[same].iterrows()
        ]
        claim = f"{run['way']}-way, {run['precision']} precision: comparisons per second on {run['nodes']:,} nodes"
        section = f"Fig. {run['figure']}, Table {run['table']}"
        found.append(_claim(section, claim, f"{run[RATE] / 1e3:.3g} P/s", "; ".join(parts) or "-", NOT_MEASURED))
    least = published.stated["node_rate_3way_double"]
    own = gpu[(gpu["measure"] == "3-way") & (gpu["kind"] == "float64") & (gpu["variant"] == BEST)]
    ours, verdict = "-", NOT_MEASURED
    if len(own):
        rates = 2e3 * own[RATE] / own["devices"]
        best = own.loc[rates.idxmax()]
        ours, verdict = f"{rates.max():,.0f} Gop/s ({best['device']})", HOLDS if rates.max() >= least else FAILS
    section = published.sections["node_rate_3way_double"]
    return [
        *found,
        _claim(section, "3-way, double precision: operations of a node", f"{least:.0f} Gop/s", ours, verdict),
    ]


def _goals(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    found = []
    own = gpu[(gpu["variant"] == BEST) & (gpu["devices"] == 1)]
    for goal in published.goals.to_dict("records"):
        same = (own[["measure", "kind", "vectors", "fields"]] == pd.Series(goal).drop(RATE)).all(axis="columns")
        ours, verdict = "-", NOT_MEASURED
        if same.any():
            best = own.loc[own.loc[same, RATE].idxmax()]
            ours = f"{told_apart(best[RATE], goal[RATE], digits=4)} T/s ({best['device']})"
            verdict = HOLDS if best[RATE] >= goal[RATE] else FAILS
        claim = f"{goal['measure']}, {goal['kind']}, {goal['vectors']:,} vectors of {goal['fields']:,} elements"
        found.append(_claim(BEYOND, claim, f"{goal[RATE]:g} T comparisons/s", ours, verdict))
    return found


def _two_devices(gpu: pd.DataFrame) -> list[Claim]:
    """The same problem on one and on two devices of one host."""
    whole = gpu[(gpu["measure"] == "2-way") & (gpu["variant"] == BEST)]
    found = []
    for precision, kind in KINDS.items():
        one, two = (whole[(whole["kind"] == kind) & (whole["devices"] == devices)] for devices in (1, 2))
        claim = f"2-way, {precision} precision: two devices of one host over one"
        found.append(_ratio(BEYOND, claim, TWO_DEVICES, two, one, SAME))
    return found


def _peers(gpu: pd.DataFrame, published: Published) -> Claim:
    """Against the fastest other program of each measure, kind and size, on its GPU."""
    keys = ["measure", "kind", "vectors", "fields"]
    peers = published.peers.groupby(keys)[RATE].max().rename("peer").reset_index()
    own = gpu[(gpu["device"] == "NVIDIA H200") & (gpu["variant"] == BEST) & (gpu["devices"] == 1)]
    both = fastest(own, keys).merge(peers, on=keys)
    ours, verdict = judged(int((both[RATE] > both["peer"]).sum()), len(both))
    if len(both):
        ratio = both[RATE] / both["peer"]
        ours += f" ({ratio.min():.2f} to {ratio.max():.2f} times)"
    return _claim(BEYOND, "faster than every other program measured", "-", ours, verdict)
