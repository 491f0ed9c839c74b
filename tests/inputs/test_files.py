"""What is read as data, and what is written where: whole, or not at all."""

import gzip
import os
from pathlib import Path

import pytest

from repro.errors import InputError
from repro.inputs.files import all_or_none, check_writable, complete_or_absent, read_arrays, read_text, refuse_same
from repro.inputs.graphs.files import read_graph
from repro.inputs.sheets import read_rows
from repro.inputs.vectors.files import read_vectors

PAGES = [
    b"<!DOCTYPE html>\n<html>",
    b"\xef\xbb\xbf<HTML lang='en'>",
    b'<?xml version="1.0"?>\n<html>',
    b"<!-- cached -->\n<html>",
    gzip.compress(b"<html><body>404</body></html>", mtime=0),
]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "read", [read_text, read_arrays, lambda path: read_rows(path, ("name",)), lambda path: read_vectors(path, fields=1)]
)
def test_a_web_page_is_no_data(tmp_path, page, read):
    path = tmp_path / "data.f32"
    path.write_bytes(page)
    with pytest.raises(InputError, match=r"data\.f32: line 1: is an HTML or XML page, not data; download the file"):
        read(path)


def test_a_node_may_be_named_like_a_tag(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("<s>\tthe\t2\nthe\t</s>\t1\n")
    assert read_graph(path).names == ("<s>", "the", "</s>")


def test_what_is_written_through_a_link_lands_where_it_points(tmp_path):
    (tmp_path / "data").mkdir()
    target, link, dangling = tmp_path / "data" / "real.txt", tmp_path / "link.txt", tmp_path / "new.txt"
    target.write_text("old")
    link.symlink_to(target)
    dangling.symlink_to("data/later.txt")
    for path in (link, dangling):
        with complete_or_absent(path) as partial:
            assert partial.parent == tmp_path / "data"
            partial.write_text("new")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert target.read_text() == (tmp_path / "data" / "later.txt").read_text() == "new"
    with pytest.raises(ZeroDivisionError), complete_or_absent(link) as partial:
        partial.write_text(str(1 // 0))
    assert target.read_text() == "new"
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["later.txt", "real.txt"]


def test_a_device_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (Path("/dev/null"), pipe):
        with pytest.raises(InputError, match=f"{path}: is a device or a pipe; give the name of a file"):
            check_writable([path])
        with pytest.raises(InputError, match=f"{path}: is a device or a pipe"), complete_or_absent(path):
            pass
    assert not Path("/dev/null").is_file()


def test_of_several_files_one_that_cannot_be_written_keeps_back_all(tmp_path):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    with pytest.raises(ZeroDivisionError), all_or_none(paths) as partials:
        assert [partial.write_text(str(1 // (number - 2))) for number, partial in enumerate(partials)]
    assert list(tmp_path.iterdir()) == []
    paths[1].mkdir()
    with pytest.raises(InputError, match="b: is a directory"), all_or_none(paths):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    with all_or_none([paths[0], paths[2]]) as partials:
        for number, partial in enumerate(partials):
            partial.write_text(str(number))
    assert (paths[0].read_text(), paths[2].read_text()) == ("0", "1")


def test_what_cannot_be_written_is_said_before_the_work(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match=r"file/x\.npy: cannot be written \(Not a directory\)"):
        check_writable([file / "x.npy"])
    check_writable([tmp_path / "new" / "folder" / "x.npy"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_links_to_one_file_are_the_same_output(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    refuse_same([tmp_path / "round"], [tmp_path / "file"])
    with pytest.raises(InputError, match="link: is written already"):
        refuse_same([], [tmp_path / "file", tmp_path / "link"])
