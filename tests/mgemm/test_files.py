"""Files of similarities: what is written is read again, index by index, and nothing unfinished counts."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.errors import InputError
from repro.inputs.files import complete_or_absent
from repro.mgemm.files import (
    Manifest,
    RankFile,
    begin,
    finish_stage,
    read_manifest,
    read_results,
    read_stage,
    remove_empty,
    remove_unfinished,
)
from repro.mgemm.metrics import as_bytes
from repro.mgemm.reference import all_indices
from repro.mgemm.results import at_least, flat, indices
from repro.mgemm.schedule import Decomposition, Tile

MANIFEST = Manifest(
    metric="czekanowski",
    way=2,
    vectors=7,
    fields=5,
    precision="float64",
    decomposition=(1, 2, 1),
    stages=2,
    values="float32",
    threshold=None,
    checksum=False,
    sha256="0" * 64,
    names=tuple("abcdefg"),
)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.integers(0, 6),
    columns=st.integers(0, 6),
    row_start=st.integers(0, 5),
    column_start=st.integers(0, 5),
    pivot=st.sampled_from([None, 20]),
    seed=st.integers(0, 9),
)
def test_results_of_a_tile(rows, columns, row_start, column_start, pivot, seed):
    tile = Tile(
        range(row_start, row_start + rows), range(column_start, column_start + columns), pivot, triangle=pivot is None
    )
    values = np.random.default_rng(seed).random((rows, columns))
    expected = [
        (sorted([r, c, *([] if pivot is None else [pivot])]), values[r - row_start, c - column_start])
        for r in tile.rows
        for c in tile.columns
        if not tile.triangle or c > r
    ]
    assert len(expected) == tile.count
    assert indices(tile).tolist() == [index for index, _ in expected]
    assert flat(tile, values).tolist() == [value for _, value in expected]
    found, reached = at_least(tile, values, 0.5)
    assert found.tolist() == [index for index, value in expected if value >= 0.5]
    assert reached.tolist() == [value for _, value in expected if value >= 0.5]


def similarity(found):
    """A made-up value for every index, which rounds differently in every type."""
    return (1 + (found.astype(np.int64) * [3, 5, 7][: found.shape[-1]]).sum(axis=-1) % 11) / 12


def write(folder, manifest):
    """All stages, as the ranks would write them."""
    for stage in set(range(manifest.stages)) - set(begin(folder, manifest)):
        stored = []
        for rank in range(Decomposition(*manifest.decomposition).ranks):
            file = RankFile(manifest, folder / manifest.rank_file(stage, rank))
            for tile in manifest.tiles(stage, rank):
                shape = len(tile.rows), len(tile.columns)
                axes = [*np.meshgrid(tile.rows, tile.columns, indexing="ij")]
                axes += [] if tile.pivot is None else [np.full(shape, tile.pivot)]
                file.write(tile, similarity(np.sort(np.stack(axes, axis=-1), axis=-1)))
            file.close()
            stored.append(file.stored)
        finish_stage(folder, manifest, stage, stored, 12)


@pytest.mark.parametrize("decomposition", [(1, 1, 1), (1, 3, 2), (2, 2, 1)])
@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("values", ["float32", "byte"])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_what_is_written_is_read_again(tmp_path, decomposition, way, values, threshold):
    manifest = replace(MANIFEST, decomposition=decomposition, way=way, values=values, threshold=threshold)
    write(tmp_path / "out", manifest)
    assert read_manifest(tmp_path / "out") == manifest
    found = {}
    for stage in range(manifest.stages):
        for index, value in read_results(tmp_path / "out", stage):
            assert value.dtype == (np.float32 if values == "float32" else np.uint8)
            for key, one in zip(map(tuple, index.tolist()), value, strict=True):
                assert key not in found
                found[key] = one
    every = all_indices(manifest.vectors, way)
    similarities = similarity(every)
    expected = similarities.astype(np.float32) if values == "float32" else as_bytes(similarities)
    kept = similarities >= (threshold or 0)
    assert found == dict(zip(map(tuple, every[kept].tolist()), expected[kept], strict=True))


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_parts_of_a_tile_that_come_last_first(tmp_path, threshold):
    """As pairs are computed; the file is that of the whole tiles."""
    manifest = replace(MANIFEST, vectors=23, names=("x",) * 23, threshold=threshold, decomposition=(1, 3, 1))
    write(tmp_path, manifest)
    path = tmp_path / "parts"
    file = RankFile(manifest, path)
    for whole in manifest.tiles(0, 0):
        for start in reversed(range(whole.rows.start, whole.rows.stop, 2)):
            rows = range(start, min(start + 2, whole.rows.stop))
            before = replace(whole, rows=range(whole.rows.start, start)).count
            part = replace(whole, rows=rows, before=before)
            file.write(part, similarity(np.moveaxis(np.array(np.meshgrid(rows, whole.columns, indexing="ij")), 0, -1)))
    file.close()
    assert file.stored == read_stage(tmp_path, manifest, 0)[0][0]
    written = [np.fromfile(one, manifest.stored_type) for one in (path, tmp_path / manifest.rank_file(0, 0))]
    assert np.array_equal(*map(np.sort, written) if threshold else written)


def test_a_file_of_values_is_little_endian_and_has_nothing_else(tmp_path):
    manifest = replace(MANIFEST, vectors=3, decomposition=(1, 1, 1), stages=1, names=("a", "b", "c"))
    write(tmp_path / "out", manifest)
    expected = similarity(np.array([(0, 1), (0, 2), (1, 2)]))
    assert (tmp_path / "out" / "similarities.stage-0.rank-0.f32").read_bytes() == expected.astype("<f4").tobytes()
    write(tmp_path / "records", replace(manifest, threshold=0.6, values="byte"))
    assert (tmp_path / "records" / "similarities.stage-0.rank-0.records").read_bytes() == b"".join(
        np.array(index, "<u4").tobytes() + bytes([round(255 * value)])
        for index, value in zip([(0, 1), (0, 2), (1, 2)], expected, strict=True)
        if value >= 0.6
    )


def test_a_folder_continues_after_its_complete_stages(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".partial-1.json").touch()  # of a run that was killed, or another that is at work
    manifest = replace(MANIFEST, checksum=True)
    assert begin(tmp_path / "out", manifest) == []
    for rank in range(2):
        (tmp_path / "out" / manifest.rank_file(1, rank)).touch()
    finish_stage(tmp_path / "out", manifest, 1, [0, 0], 2**100)
    assert begin(tmp_path / "out", manifest) == [1]
    assert read_stage(tmp_path / "out", manifest, 1) == ([0, 0], 2**100)
    with pytest.raises(InputError, match="stage 0 of 2 is not complete; compute it first"):
        next(read_results(tmp_path / "out", 0))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"sha256": "1" * 64}, "of other vectors"),
        ({"names": tuple("gfedcba")}, "of vectors with other names"),
        ({"stages": 3}, "with stages 2, not 3"),
        ({"threshold": 0.1}, r"with threshold None, not 0\.1"),
    ],
)
def test_a_folder_of_something_else_is_refused(tmp_path, change, named):
    begin(tmp_path / "out", MANIFEST)
    with pytest.raises(InputError, match=f"holds similarities {named}; give another folder"):
        begin(tmp_path / "out", replace(MANIFEST, **change))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is no folder of similarities; give a new one"):
        begin(tmp_path / "other", MANIFEST)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 1}', '{"format": 2}', "way", "values", "stages"])
def test_a_damaged_manifest_is_refused(tmp_path, text):
    if text in asdict(MANIFEST):
        text = json.dumps({"format": 1, **asdict(MANIFEST), text: "0"})
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json: (is damaged|has another format than 1)"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"a": 1}', '{"stored": 3, "checksum": "1"}', '{"stored": [1], "checksum": "1"}'),
        *('{"stored": [0, 0], "checksum": null}', '{"stored": [Infinity, 0], "checksum": "1"}'),
    ],
)
def test_a_damaged_stage_is_refused_and_computed_again(tmp_path, text):
    manifest = replace(MANIFEST, checksum=True)
    write(tmp_path / "out", manifest)
    (tmp_path / "out" / "stage-1.json").write_text(text)
    with pytest.raises(InputError, match=r"stage-1\.json: is damaged; compute stage 1 again"):
        next(read_results(tmp_path / "out", 1))
    assert begin(tmp_path / "out", manifest) == [0]


def test_a_folder_that_another_job_begins_meanwhile(tmp_path, monkeypatch):
    """Its manifest appears while the folder is looked at."""
    folder = tmp_path / "out"
    folder.mkdir()
    looked = type(folder).iterdir

    def appears(path):
        monkeypatch.undo()
        begin(folder, MANIFEST)
        return looked(path)

    monkeypatch.setattr(type(folder), "iterdir", appears)
    assert begin(folder, MANIFEST) == []


def test_a_folder_without_results_is_removed_and_made_again(tmp_path):
    """A job that fails may remove the manifest of another, which writes it again."""
    folder = tmp_path / "out"
    manifest = replace(MANIFEST, decomposition=(1, 1, 1))
    begin(folder, manifest)
    (folder / ".partial-a.stage-0.rank-0.f32").touch()
    (folder / ".partial-b.stage-1.rank-0.f32").touch()
    remove_empty(folder)
    remove_unfinished(folder, range(1))
    assert sorted(path.name for path in folder.iterdir()) == [".partial-b.stage-1.rank-0.f32", "manifest.json"]
    remove_unfinished(folder, [0, 1])
    remove_empty(folder)
    remove_empty(folder)
    assert not folder.exists()
    with complete_or_absent(folder / manifest.rank_file(0, 0)):
        pass
    finish_stage(folder, manifest, 0, [0], None)
    assert read_manifest(folder) == manifest


def test_a_truncated_or_missing_file_is_refused_and_its_stage_computed_again(tmp_path):
    write(tmp_path / "out", MANIFEST)
    path = tmp_path / "out" / "similarities.stage-0.rank-1.f32"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"rank-1\.f32: has 19 bytes, 20 were written; compute stage 0 again"):
        next(read_results(tmp_path / "out", 0))
    assert begin(tmp_path / "out", MANIFEST) == [1]
    path.unlink()
    with pytest.raises(InputError, match=r"rank-1\.f32: is missing; compute stage 0 again"):
        next(read_results(tmp_path / "out", 0))
    assert begin(tmp_path / "out", MANIFEST) == [1]
