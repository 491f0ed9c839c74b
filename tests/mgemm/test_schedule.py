"""Every pair and triple is computed once, by the rank and in the step that the paper's schedule says."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.errors import InputError
from repro.mgemm.reference import all_indices
from repro.mgemm.schedule import Decomposition, part, steps_of_rank, steps_of_row, work_of


def results(tile):
    for row in tile.rows:
        for column in tile.columns:
            if not tile.triangle or column > row:
                yield tuple(sorted((row, column) if tile.pivot is None else (row, tile.pivot, column)))


def all_work(way, vectors, decomposition, stages=1):
    for stage in range(stages):
        for block in range(decomposition.vectors):
            for row in range(decomposition.rows):
                for step in steps_of_rank(way, decomposition, row):
                    yield step, block, work_of(step, block, vectors, decomposition.vectors, stage, stages)


@settings(max_examples=60, deadline=None)
@given(
    way=st.sampled_from([2, 3]),
    vectors=st.integers(1, 30),
    blocks=st.integers(1, 7),
    rows=st.integers(1, 8),
    stages=st.integers(1, 4),
)
def test_every_value_is_computed_once(way, vectors, blocks, rows, stages):
    decomposition = Decomposition(1, blocks, rows)
    found = Counter()
    for _, _, work in all_work(way, vectors, decomposition, stages):
        for tile in work.tiles:
            cells = list(results(tile))
            assert len(cells) == tile.count > 0
            found.update(cells)
    assert sorted(found) == list(map(tuple, all_indices(vectors, way).tolist()))
    assert set(found.values()) <= {1}


@pytest.mark.parametrize("blocks", range(1, 9))
def test_steps_of_a_block_row(blocks):
    assert len(steps_of_row(2, Decomposition(1, blocks, 1))) == blocks // 2 + 1
    assert len(steps_of_row(3, Decomposition(1, blocks, 1))) == blocks**2 - 2 * blocks + 2
    assert len(steps_of_row(3, Decomposition(1, blocks, 2))) == (blocks + 1) * (blocks + 2)


def test_steps_are_dealt_round_robin():
    decomposition = Decomposition(1, 4, 3)
    assert [[step.number for step in steps_of_rank(2, decomposition, row)] for row in range(3)] == [[0], [1], [2]]
    numbers = [[step.number for step in steps_of_rank(3, decomposition, row)] for row in range(3)]
    assert numbers == [list(range(row, 30, 3)) for row in range(3)]


def test_the_order_of_steps():
    """Diagonal edge, faces with the slice outermost, volumes with the offset of k outermost."""
    steps = steps_of_row(3, Decomposition(1, 3, 2))
    assert [(step.kind, step.section) for step in steps[:6]] == [("edge", s) for s in range(6)]
    assert [(step.section, step.offsets) for step in steps[6:10]] == [(0, (1,)), (0, (2,)), (1, (1,)), (1, (2,))]
    assert [(step.kind, step.offsets) for step in steps[18:]] == [("volume", (2, 1)), ("volume", (1, 2))]


def test_blocks_half_around_the_circle_meet_once():
    step = steps_of_row(2, Decomposition(1, 4, 1))[2]
    assert [work_of(step, block, 8, 4).count for block in range(4)] == [4, 4, 0, 0]


def test_slices_of_volumes():
    """Blocks 0, 1, 2 of 12 vectors: the sliced axis is that of block 0, and the order says which sixth."""
    found = {}
    for step, block, work in all_work(3, 36, Decomposition(1, 3, 2)):
        if step.kind == "volume":
            order = (block, *((block + offset) % 3 for offset in step.offsets))
            found[order] = (work.pivots, work.rows.start // 12, work.columns.start // 12)
    assert found == {
        (0, 2, 1): (range(0, 2), 2, 1),  # i < k < j
        (0, 1, 2): (range(2, 4), 1, 2),  # i < j < k
        (1, 0, 2): (range(4, 6), 1, 2),  # j < i < k
        (2, 0, 1): (range(6, 8), 2, 1),  # j < k < i
        (2, 1, 0): (range(8, 10), 2, 1),  # k < j < i
        (1, 2, 0): (range(10, 12), 1, 2),  # k < i < j
    }


def test_a_stage_is_a_part_of_every_slice():
    """The paper's largest runs: 2,880 vectors in a block, 16 stages, so that 30 products make a pipeline."""
    step = steps_of_row(3, Decomposition(1, 3, 2))[-1]
    for stage in range(16):
        work = work_of(step, 0, 3 * 2880, 3, stage, 16)
        assert work.pivots == range(480 + 30 * stage, 480 + 30 * (stage + 1))
        assert work.count == 30 * 2880**2


@pytest.mark.parametrize("blocks", [2, 3, 5, 8])
def test_load_imbalance_of_triples(blocks):
    """n_pv^2 / ((n_pv + 1)(n_pv + 2)), section 4: what is left of a slab whose every slice were a full one."""
    per_block = 60
    decomposition = Decomposition(1, blocks, 2)
    works = [work for _, block, work in all_work(3, per_block * blocks, decomposition) if block == 0]
    useful = sum(work.count for work in works) / (len(works) * per_block**3 / 6)
    assert useful == pytest.approx(blocks**2 / ((blocks + 1) * (blocks + 2)), rel=0.05)


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("blocks", [3, 5])
def test_every_block_row_has_the_same_work(way, blocks):
    counts = Counter()
    for _, block, work in all_work(way, 12 * blocks, Decomposition(1, blocks, 1)):
        counts[block] += work.count
    assert len(set(counts.values())) == 1


def test_places_of_ranks():
    decomposition = Decomposition(2, 3, 2)
    places = [decomposition.place(rank) for rank in range(decomposition.ranks)]
    assert len(set(places)) == decomposition.ranks == 12
    assert [decomposition.rank(*place) for place in places] == list(range(12))
    assert str(decomposition) == "2 x 3 x 2"


def test_parts_are_even():
    assert [part(7, 3, number) for number in range(3)] == [range(0, 2), range(2, 4), range(4, 7)]


def test_what_makes_no_schedule_is_refused():
    with pytest.raises(InputError, match="decomposition 1 x 0 x 1: give 1 or more of each"):
        Decomposition(1, 0, 1)
    with pytest.raises(InputError, match="way 4: choose 2 or 3"):
        steps_of_row(4, Decomposition())
