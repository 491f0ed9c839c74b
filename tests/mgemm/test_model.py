"""The performance model follows the schedule, and what it is fitted to."""

from dataclasses import replace
from math import comb

import pytest

from repro.mgemm.model import Line, Machine, Run, predict
from repro.mgemm.schedule import Decomposition, steps_of_row

FREE = Line(0, (0,))
PRODUCT_ALONE = Machine(Line(0, (0, 1e-9)), None, FREE, FREE, FREE, FREE, 4, 4)


@pytest.mark.parametrize(("base", "per"), [(0.001, (2e-9, 3e-12)), (0.0, (0.0, 5e-12))])
def test_a_line_is_found_again(base, per):
    amounts = [(v * v, v * v * f) for v in (100, 500, 3000) for f in (10, 1000, 20000)]
    line = Line(base, per)
    fitted = Line.fitted(amounts, [line.at(*amount) for amount in amounts])
    assert fitted.base == pytest.approx(base, rel=1e-6, abs=1e-12)
    assert fitted.per == pytest.approx(per, rel=1e-6, abs=1e-20)


def test_few_points_give_the_coefficients_that_matter_most():
    assert Line.fitted([(9.0, 100.0)], [5.0]).per == pytest.approx((0.0, 0.05))
    two = Line.fitted([(10.0, 100.0), (30.0, 200.0)], [3.0, 5.0])
    assert two.base == pytest.approx(1)
    assert two.per == pytest.approx((0, 0.02))


def test_a_small_launch_and_a_large_one_predict_no_more_than_the_rate_of_the_large_one():
    """Launches of triples on an NVIDIA H200: 50 vectors of 225 fields, 2,880 of 10,000, and what 20,000 would take."""
    values = [50**2 * 16, 2880**2 * 16]
    fitted = Line.fitted([(values[0], values[0] * 225), (values[1], values[1] * 10_000)], [0.000245, 0.0996])
    assert fitted.at(values[1], values[1] * 20_000) == pytest.approx(2 * 0.0996, rel=0.003)


def test_a_line_has_no_negative_coefficient():
    fitted = Line.fitted([(1.0,), (2.0,)], [2.0, 1.0])
    assert fitted.per == (0.0,)
    assert 1.0 < fitted.base < 2.0


@pytest.mark.parametrize(
    ("way", "blocks", "load", "nodes"), [(2, 672, 13, 17472), (3, 47, 6, 18424), (2, 1, 13, 1), (3, 1, 6, 1)]
)
def test_weak_scaling_has_the_papers_node_counts(way, blocks, load, nodes):
    run = Run.weak(way, blocks, block_vectors=100, fields=10, load=load)
    assert run.decomposition.ranks == nodes
    assert run.vectors == 100 * blocks


def test_comparisons_are_those_of_unique_pairs_and_triples():
    assert Run(2, 10, 7, Decomposition()).comparisons == 45 * 7
    assert Run(3, 10, 7, Decomposition()).comparisons == 120 * 7


def test_a_stage_has_the_comparisons_of_its_part_of_the_schedule():
    """Of one block the middle pivots have the most triples: 180 of 2,880 pivots are a stage of 16."""
    run = Run(3, 2880, 10, Decomposition(), stages=16, stage=8)
    assert run.comparisons == 10 * sum(j * (2879 - j) for j in range(1440, 1620))
    assert Run(3, 2880, 10, Decomposition(), stages=16).comparisons < run.comparisons / 5
    whole = Run(3, 72, 7, Decomposition(1, 3, 1))
    assert sum(replace(whole, stages=2, stage=stage).comparisons for stage in range(2)) == whole.comparisons
    assert replace(whole, stages=2).comparisons == replace(whole, stages=2, stage=1).comparisons


def test_pairs_take_the_products_of_the_slowest_rank():
    """Three blocks of 128 vectors: row 0 has three tiles of 64 x 64 on the diagonal and a square of four."""
    tile = 64**2 * 7e-9
    together = predict(PRODUCT_ALONE, Run(2, 384, 7, Decomposition(1, 3, 1)))
    assert together.seconds == pytest.approx(7 * tile)
    apart = predict(PRODUCT_ALONE, Run(2, 384, 7, Decomposition(1, 3, 2)))
    assert apart.seconds == pytest.approx(4 * tile)
    assert apart.comparisons_per_second == pytest.approx(comb(384, 2) * 7 / (4 * tile))
    fields = predict(PRODUCT_ALONE, Run(2, 384, 14, Decomposition(2, 3, 1)))
    assert fields.seconds == pytest.approx(together.seconds)


def test_ranks_that_share_devices_take_turns():
    """Four blocks, of which the first two have the one half around too: two devices with as much work each."""
    run = Run(2, 4 * 128, 7, Decomposition(1, 4, 1))
    tile = 64**2 * 7e-9
    assert predict(PRODUCT_ALONE, run).seconds == pytest.approx((3 + 4 + 4) * tile)
    assert predict(PRODUCT_ALONE, run, devices=2).seconds == pytest.approx((3 + 4 + 4 + 3 + 4) * tile)
    assert predict(PRODUCT_ALONE, run, devices=1).seconds == pytest.approx(2 * (3 + 4 + 4 + 3 + 4) * tile)


def test_products_are_whole_tiles():
    found = predict(PRODUCT_ALONE, Run(2, 2 * 65, 7, Decomposition(1, 2, 2)))
    assert found.shares["product"] == pytest.approx(4 * 64**2 * 7e-9)


def test_triples_take_their_pairs_too():
    """One block of 12 vectors: a tile for each of 10 pivots with results, and three for pairs."""
    found = predict(PRODUCT_ALONE, Run(3, 12, 5, Decomposition()))
    assert found.shares["triples"] == pytest.approx(10 * 64**2 * 5e-9)
    assert found.shares["product"] == pytest.approx(3 * 64**2 * 5e-9)
    assert found.seconds == pytest.approx(13 * 64**2 * 5e-9)


def test_triples_have_a_line_of_their_own_over_launches():
    """40 pivots of a slice are three launches of at most 16."""
    machine = replace(PRODUCT_ALONE, product=Line(0, (0, 0)), triples=Line(1.0, (0, 0)))
    run = Run(3, 3 * 240, 5, Decomposition(1, 3, 20))
    assert run.work(steps_of_row(3, run.decomposition)[-1]).kind == "volume"
    assert predict(machine, run).seconds == pytest.approx(3.0)


MOVING = Machine(
    product=Line(0, (0, 1e-9)),
    triples=None,
    quotients=Line(0, (1e-8,)),
    communication=Line(1e-3, (0,)),
    upload=Line(0, (1e-8,)),
    download=Line(0, (2e-8,)),
    bytes_per_element=4,
    bytes_per_value=8,
)


def test_the_slowest_term_of_a_step_counts_and_the_ends_of_the_pipeline_are_added():
    upload, square, triangle = 64 * 7 * 4e-8, 64**2, 64 * 63 // 2
    device = square * 7e-9, square * 7e-9  # the triangle is a tile too
    first = max(device[0] + triangle * 1e-8, 3 * upload / 4, triangle * 8 * 2e-8)
    second = max(device[1] + square * 1e-8, upload, 3 / 4 * square * 8 * 2e-8, 1e-3)
    found = predict(MOVING, Run(2, 3 * 64, 7, Decomposition(1, 3, 1)))
    assert found.seconds == pytest.approx(upload / 4 + first + second + square * 8 * 2e-8 / 4)
    assert found.shares["communication"] == pytest.approx(1e-3)
    assert found.shares["upload"] == pytest.approx(2 * upload)
    assert found.shares["quotients"] == pytest.approx((square + triangle) * 1e-8)


def test_of_one_step_what_passes_before_and_after_counts_once():
    upload, results = 64 * 7 * 4e-8, 64 * 63 // 2
    download = results * 8 * 2e-8
    slowest = max(64**2 * 7e-9 + results * 1e-8, 3 / 4 * upload, 3 / 4 * download)
    found = predict(MOVING, Run(2, 64, 7, Decomposition(1, 1, 1)))
    assert found.seconds == pytest.approx(upload / 4 + slowest + download / 4)


def test_what_does_not_overlap_is_added():
    found = predict(replace(MOVING, overlaps=False), Run(2, 3 * 64, 7, Decomposition(1, 3, 1)))
    assert found.seconds == pytest.approx(sum(found.shares.values()))


def test_a_reduction_takes_the_logarithm_of_its_parts():
    machine = replace(PRODUCT_ALONE, communication=Line(0, (1e-9,)))
    shares = predict(machine, Run(2, 10, 8, Decomposition(4, 1, 1))).shares
    assert shares["communication"] == pytest.approx(2 * 45 * 4e-9)
