import gzip
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import mmread
from scipy.sparse.csgraph import connected_components

from repro.errors import InputError
from repro.inputs.graphs.files import read_graph, write_graph
from repro.inputs.graphs.graph import graph
from repro.inputs.graphs.synthetic import KINDS, random_graph

SHARED = Path(__file__).parents[3] / "shared/data/graphs"
ENDINGS = ["gr", "mtx", "txt", "tsv", "csv", "edges", "npy", "gr.gz", "mtx.gz"]


@st.composite
def graphs(draw, names="numbers"):
    nodes = draw(st.integers(1, 12))
    weight = draw(
        st.sampled_from([st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, width=32)])
    )
    ends = st.integers(0, nodes - 1)
    edges = draw(st.lists(st.tuples(ends, ends, weight), max_size=40))
    labels = [str(i) for i in range(nodes)]
    if names == "words":
        labels = draw(
            st.lists(
                st.text("abcÄ -'1,", min_size=1, max_size=6).map(lambda s: f"x{s}x"),
                min_size=nodes,
                max_size=nodes,
                unique=True,
            )
        )
        edges += [(i, (i + 1) % nodes, 1) for i in range(nodes)]
    columns = list(zip(*edges, strict=True)) if edges else ([], [], [])
    integers = all(isinstance(w, int) for w in columns[2])
    weights = np.array(columns[2], dtype=np.int64 if integers else np.float64)
    return graph(labels, columns[0], columns[1], weights, draw(st.booleans()))


def edge_multiset(g, by_name=False):
    label = g.names if by_name else range(g.nodes)
    edges = []
    for u, v, w in zip(g.sources.tolist(), g.targets.tolist(), g.weights.tolist(), strict=True):
        pair = (label[u], label[v])
        edges.append((*(pair if g.directed else sorted(pair)), w))
    return sorted(edges)


@given(graphs())
@pytest.mark.parametrize("ending", ["gr", "mtx", "tsv"])
def test_round_trip_keeps_every_edge(tmp_path, ending, g):
    path = tmp_path / f"g.{ending}"
    if ending == "gr" and not g.directed:
        with pytest.raises(InputError, match=r"g\.gr: a \.gr file is directed"):
            write_graph(path, g)
        return
    write_graph(path, g)
    read = read_graph(path)
    assert (read.nodes, read.directed) == (g.nodes, g.directed)
    assert edge_multiset(read) == edge_multiset(g)
    if g.edges:
        assert read.weights.dtype == g.weights.dtype


@given(graphs(names="words"))
def test_round_trip_keeps_names(tmp_path, g):
    write_graph(tmp_path / "g.tsv", g)
    read = read_graph(tmp_path / "g.tsv")
    assert set(read.names) == set(g.names)
    assert read.directed == g.directed
    assert edge_multiset(read, by_name=True) == edge_multiset(g, by_name=True)


@given(graphs())
def test_dense_round_trip_keeps_the_matrix(tmp_path, g):
    write_graph(tmp_path / "g.npy", g)
    np.testing.assert_array_equal(read_graph(tmp_path / "g.npy").dense(), g.dense())


@given(graphs())
def test_dense_has_the_smallest_of_parallel_edges_in_the_right_directions(g):
    expected = np.full((g.nodes, g.nodes), np.inf)
    for u, v, w in zip(g.sources, g.targets, g.weights, strict=True):
        expected[u, v] = min(expected[u, v], w)
        if not g.directed:
            expected[v, u] = min(expected[v, u], w)
    for i in range(g.nodes):
        expected[i, i] = min(0, expected[i, i])
    np.testing.assert_array_equal(g.dense(), expected)


@given(graphs())
def test_scipy_reads_the_same_matrix(tmp_path, g):
    """Of parallel edges SciPy takes the sum, so there are none here."""
    once = {(u, v): w for u, v, w in edge_multiset(g)}
    ends = np.array(list(once), dtype=int).reshape(-1, 2)
    g = graph(g.names, ends[:, 0], ends[:, 1], np.array(list(once.values()), dtype=g.weights.dtype), g.directed)
    write_graph(tmp_path / "g.mtx", g)
    theirs = mmread(tmp_path / "g.mtx").toarray()
    ours = np.zeros((g.nodes, g.nodes), dtype=g.weights.dtype)
    ours[g.sources, g.targets] = g.weights
    if not g.directed:
        ours[g.targets, g.sources] = g.weights
    np.testing.assert_array_equal(theirs, ours)


def test_zero_and_tiny_weights_are_edges(tmp_path):
    (tmp_path / "g.tsv").write_text("0\t1\t0\n1\t2\t1e-300\n2\t0\t0.0\n")
    dense = read_graph(tmp_path / "g.tsv").dense()
    assert dense.tolist() == [[0, 0, np.inf], [np.inf, 0, 1e-300], [0, np.inf, 0]]
    (tmp_path / "g.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0\n2 1 1e-300\n")
    assert read_graph(tmp_path / "g.mtx").dense().tolist() == [[0, 0], [1e-300, 0]]
    np.save(tmp_path / "g.npy", [[5.0, 0.0], [np.inf, 0.0]])
    assert read_graph(tmp_path / "g.npy").dense().tolist() == [[0, 0], [np.inf, 0]]


@pytest.mark.parametrize(
    ("text", "names", "edges"),
    [
        ("# SNAP\n# FromNodeId\tToNodeId\n7\t30\n30\t7\n4\t7\n", ["4", "7", "30"], [(1, 2, 1), (2, 1, 1), (0, 1, 1)]),
        ("% comment\n1 2 0.5\n2   3  1e3\n", ["1", "2", "3"], [(0, 1, 0.5), (1, 2, 1000.0)]),
        ("a,b,3\nb,c,-4\n", ["a", "b", "c"], [(0, 1, 3), (1, 2, -4)]),
        ("a;b;3\n\n\nb;c;4\n", ["a", "b", "c"], [(0, 1, 3), (1, 2, 4)]),
        ("Jean Valjean\tJavert\t17\r\n", ["Jean Valjean", "Javert"], [(0, 1, 17)]),
        ('"Valjean, Jean",Javert,17\n', ["Valjean, Jean", "Javert"], [(0, 1, 17)]),
        ("source,target,weight\na,b,1\n", ["a", "b"], [(0, 1, 1)]),
        ("From To\n1 0\n", ["0", "1"], [(1, 0, 1)]),
        (f"{'9' * 30} 5\n10 5\n", ["5", "10", "9" * 30], [(2, 0, 1), (1, 0, 1)]),
        ("01 1\n1 2\n", ["01", "1", "2"], [(0, 1, 1), (1, 2, 1)]),
        ("# vertices=4 edges=1\n1\t2\n", ["0", "1", "2", "3"], [(1, 2, 1)]),
        ("# vertices=2\n", ["0", "1"], []),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_edge_lists_with_any_separator(tmp_path, text, names, edges, compress):
    path = tmp_path / ("g.txt" if compress is bytes else "g.txt.gz")
    path.write_bytes(compress(text.encode()))
    read = read_graph(path)
    assert list(read.names) == names
    assert list(zip(read.sources, read.targets, read.weights, strict=True)) == edges
    assert read.directed
    assert read.weights.dtype == (np.float64 if any(isinstance(w, float) for *_, w in edges) else np.int64)


def test_direction_of_an_edge_list(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("1 2\n")
    assert read_graph(path).directed
    assert not read_graph(path, directed=False).directed
    path.write_text("# directed=0\n1 2\n")
    assert not read_graph(path).directed
    with pytest.raises(InputError, match="says directed=0 in a comment"):
        read_graph(path, directed=True)


def test_matrix_market_kinds(tmp_path):
    path = tmp_path / "g.mtx"
    head = "%%MatrixMarket matrix "
    path.write_text(head + "coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n")
    read = read_graph(path)
    assert (read.directed, edge_multiset(read)) == (False, [(0, 1, 1), (2, 2, 1)])
    path.write_text(head + "coordinate integer general\n% two arcs\n3 3 3\n1 2 4\n1 2 3\n3 1 -1\n")
    read = read_graph(path)
    assert (read.directed, read.weights.dtype) == (True, np.int64)
    assert edge_multiset(read) == [(0, 1, 3), (0, 1, 4), (2, 0, -1)]
    path.write_text(head + "array real general\n2 2\n0\n3\n4\n0\n")
    assert edge_multiset(read_graph(path)) == [(0, 1, 4.0), (1, 0, 3.0)]
    path.write_text(head + "array integer symmetric\n3 3\n0 7\n0\n-1\n5\n0\n")
    assert edge_multiset(read_graph(path)) == [(0, 1, 7), (1, 1, -1), (1, 2, 5)]


MTX = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.gr", "", "has no problem line"),
        ("g.gr", "c x\na 1 2 3\n", "line 2: an arc before the problem line"),
        ("g.gr", "p sp 2\n", "line 1: 'p sp 2' is no problem line"),
        ("g.gr", "p max 2 1\n", "line 1: 'p max 2 1' is no problem line"),
        ("g.gr", "p sp 2 1\np sp 2 1\n", "line 2: a second problem line"),
        ("g.gr", "p sp 2 1\na 1 2\n", "line 2: 'a 1 2' is no arc"),
        ("g.gr", "p sp 2 1\na 0 2 1\n", "line 2: node '0'; give a number from 1 to 2"),
        ("g.gr", "p sp 2 1\na 1 3 1\n", "line 2: node '3'; give a number from 1 to 2"),
        ("g.gr", "p sp 2 1\na 1 2 x\n", "line 2: weight 'x' is not a number"),
        ("g.gr", "p sp 2 1\nb 1 2 1\n", "line 2: begins with 'b'"),
        ("g.gr", "p sp 2 2\na 1 2 1\n", "has 1 arc, the problem line says 2; it may be cut off"),
        ("g.gr", "p sp 0 0\n", "has no nodes"),
        ("g.gr", f"p sp {'9' * 20} 0\n", "line 1: '9{20}' nodes; give a whole number up to 10000000"),
        ("g.gr", f"p sp 2 1\na {'9' * 5000} 1 1\n", "line 2: node '9+'; give a number from 1 to 2"),
        ("g.gr", f"p sp 2 {'9' * 5000}\n", "has 0 arcs, the problem line says 9+; it may be cut off"),
        ("g.txt", f"# vertices={'9' * 5000}\n0 1\n", "line 1: '9+' nodes; give a whole number"),
        ("g.txt", f"# vertices=3\n0 {'9' * 5000}\n", "but has a node 9+"),
        ("g.mtx", MTX + f"{'9' * 20} {'9' * 20} 0\n", "line 2: '9{20}' nodes; give a whole number"),
        ("g.txt", "", "has no nodes"),
        ("g.txt", "1 2 3 4\n", "line 1: 4 columns; an edge is"),
        ("g.txt", "1\n", "line 1: 1 columns; an edge is"),
        ("g.txt", "1 2\n# x\n1 2 3\n", "line 3: 3 columns where the first line has 2"),
        ("g.txt", "1 2 3\n1 2 nan\n", "line 2: weight nan; give a finite number"),
        ("g.txt", "1 2 inf\n", "line 1: weight inf; give a finite number"),
        ("g.txt", "1 2 99999999999999999999\n", "line 1: weight 99999999999999999999; give a finite number"),
        ("g.csv", 'a,b,1\nb,"c,1\n', "line 2: cannot be split into cells"),
        ("g.csv", "a,b,1\n,b,1\n", "line 2: an end of the edge has no name"),
        ("g.txt", "# vertices=2\n0 2\n", "says vertices=2 in a comment, but has a node 2"),
        ("g.txt", "# vertices=2\na b\n", "says vertices=2 in a comment, but has a node a"),
        ("g.mtx", "", "line 1: is no Matrix Market file"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real\n", "line 1: is no Matrix Market file"),
        ("g.mtx", MTX, "line 1: the size is missing; write rows, columns, entries"),
        ("g.mtx", MTX + "2 2\n", "line 2: the size is missing"),
        ("g.mtx", MTX + "% c\n2 2 -2\n", "line 3: the size is missing"),
        ("g.mtx", MTX + "2 2 2\n1 2 3\n2 x 3\n", "line 4: node 'x'; give a number from 1 to 2"),
        ("g.mtx", MTX + "2 2 1\n0 2 3\n", "line 3: node '0'; give a number from 1 to 2"),
        ("g.mtx", MTX + "2 2 1\n1 3 3\n", "line 3: node '3'; give a number from 1 to 2"),
        ("g.mtx", MTX + "2 2 1\n1 2\n", "line 3: 2 columns, not 3; line 1 says"),
        ("g.mtx", MTX + "2 2 1\n1 2 x\n", "line 3: weight 'x' is not a number"),
        ("g.mtx", MTX + "2 2 1\n2 1 nan\n", "line 3: weight nan; give a finite number"),
        ("g.mtx", MTX + "2 2 2\n1 2 3\n", "has 1 entries where line 2 says 2; it may be cut off"),
        ("g.mtx", MTX + "2 2 1\n1 2 3\n2 1 3\n", "has 2 entries where line 2 says 1"),
        ("g.mtx", MTX + "2 3 1\n1 2 3\n", "has 2 rows and 3 columns"),
        ("g.mtx", MTX.replace("real", "integer") + "2 2 1\n1 2 3.5\n", "line 3: weight 3.5 is not an integer"),
        ("g.mtx", MTX.replace("real", "complex") + "2 2 1\n2 1 3 1\n", "line 1: is complex, which is no graph"),
        ("g.mtx", MTX.replace("general", "skew-symmetric") + "2 2 0\n", "line 1: is skew-symmetric, which is"),
        ("g.mtx", MTX.replace("general", "symmetric") + "2 2 1\n1 2 3\n", "line 3: is above the diagonal"),
        ("g.mtx", MTX.replace("coordinate real", "array pattern") + "2 2\n", "line 1: is pattern, which is no graph"),
        ("g.mtx", MTX.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "has 3 values where 4 are expected"),
        ("g.mtx", MTX.replace("coordinate", "array") + "1 1\n1\n2\n", "line 4: more values than 1 x 1; correct either"),
        ("g.mtx", MTX + "%\x0c\x85\x0b\n2 2 1\r1 2 x\n", "line 4: weight 'x' is not a number"),
        ("g.gr", "c \x0c\x85\x0b\np sp 2 1\ra 1 2 x\n", "line 3: weight 'x' is not a number"),
        ("g.txt", "# \x0c\x85\x0b\r\na b 1\ra c x\n", "line 3: weight 'x' is not a number"),
        (
            "g.npy",
            "nonsense",
            "is no NumPy file, is damaged or holds Python objects; write it with numpy.save or numpy.savez$",
        ),
        ("g.xyz", "", r"is no graph file; known endings are \.gr, \.mtx, \.npy"),
    ],
)
def test_malformed_files_are_named_by_line(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"has shape \(2, 3\); a dense graph is a square"),
        (np.ones(4), r"has shape \(4,\)"),
        (np.array([[0, np.nan], [1, 0]]), "row 1, column 2: nan is no weight; inf is no edge"),
        (np.array([[0, 1], [-np.inf, 0]]), "row 2, column 1: -inf is no weight"),
        (np.array([["a"]]), "weights are <U1"),
        (np.ones((0, 0)), "has no nodes"),
    ],
)
def test_bad_dense_matrices(tmp_path, matrix, message):
    np.save(tmp_path / "g.npy", matrix)
    with pytest.raises(InputError, match=message):
        read_graph(tmp_path / "g.npy")


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "g.txt").write_bytes(b"1 2\n\xff\xfe")
    with pytest.raises(InputError, match=r"g\.txt: byte 5: is not UTF-8"):
        read_graph(tmp_path / "g.txt")


def test_asking_for_the_other_direction_is_refused(tmp_path):
    (tmp_path / "g.gr").write_text("p sp 2 1\na 1 2 3\n")
    assert read_graph(tmp_path / "g.gr", directed=True).directed
    with pytest.raises(InputError, match="is directed, which the file says itself"):
        read_graph(tmp_path / "g.gr", directed=False)


@pytest.mark.parametrize(
    ("names", "ends", "weights", "message"),
    [
        (["a", "b"], ([0], [2]), [1], "edge 1: node 2 is outside 0 to 1"),
        (["a", "b"], ([0, -1], [1, 1]), [1, 1], "edge 2: node -1 is outside 0 to 1"),
        (["a", "a"], ([0], [1]), [1], "two nodes are named a"),
        (["a"], ([0], [0, 0]), [1], "1 sources, 2 targets and 1 weights"),
        (["a"], ([0], [0]), [np.inf], "edge 1: weight inf; give a finite number"),
    ],
)
def test_arrays_that_are_no_graph(names, ends, weights, message):
    with pytest.raises(InputError, match=message):
        graph(names, *ends, weights, directed=True)


@pytest.mark.parametrize("weight", [2**53 + 1, 2**63 - 1, -(2**62) - 1])
def test_weights_beyond_float64_are_not_rounded_silently(weight):
    with pytest.raises(InputError, match=f"edge 1: weight {weight} is not exact in float64"):
        graph(["a", "b"], [0], [1], [weight], directed=True).dense()


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a\tb", "c"], "node named"), (["a\rb", "c"], "node named"), (["a", "b", "c"], "node c, which has")],
)
def test_what_an_edge_list_cannot_hold(tmp_path, names, message):
    with pytest.raises(InputError, match=message):
        write_graph(tmp_path / "g.txt", graph(names, [0], [1], [1], directed=True))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_are_the_same_for_a_seed(kind):
    a, b, other = (random_graph(kind, 100, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.dense(), b.dense())
    assert not np.array_equal(a.dense(), other.dense())
    assert a.weights.min() >= 1
    assert a.weights.max() <= 1000
    assert a.weights.dtype == np.int64


def test_random_graphs_have_their_shape():
    sparse = random_graph("erdos-renyi", 200, 1, density=0.05)
    assert sparse.directed
    # 5 standard deviations of a binomial.
    assert abs(sparse.edges - 200 * 199 * 0.05) < 5 * np.sqrt(200 * 199 * 0.05 * 0.95)
    grid = random_graph("grid", 144, 1)
    degrees = np.bincount(np.concatenate([grid.sources, grid.targets]))
    assert np.bincount(degrees).tolist() == [0, 0, 4, 40, 100]
    assert connected_components(grid.dense() < np.inf)[0] == 1
    hubs = random_graph("scale-free", 500, 1)
    degrees = np.bincount(np.concatenate([hubs.sources, hubs.targets]))
    assert hubs.edges == 4 * (500 - 4)
    assert degrees.max() > 8 * np.median(degrees)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tree", 9, 1), "kind 'tree'; choose erdos-renyi, grid, scale-free"),
        (("grid", 10, 1), "a grid of 10 nodes; give a square number, such as 9"),
        (("grid", 1, 1), "random graph of 1 nodes"),
        (("grid", 9, -1), "seed -1"),
        (("erdos-renyi", 9, 1, 1.5), "density 1.5"),
    ],
)
def test_impossible_random_graphs(arguments, message):
    with pytest.raises(InputError, match=message):
        random_graph(*arguments)


@pytest.mark.skipif(not SHARED.exists(), reason="the larger example data is not beside this checkout")
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "directed"),
    [
        ("rome99.gr", 3353, 8870, True),
        ("celegansneural.tsv", 297, 2359, True),
        ("lesmis.tsv", 77, 254, False),
        ("netscience.tsv", 1589, 2742, False),
    ],
)
def test_larger_examples_load(name, nodes, edges, directed):
    read = read_graph(SHARED / name)
    assert (read.nodes, read.edges, read.directed) == (nodes, edges, directed)


@pytest.mark.skipif(not SHARED.exists(), reason="the larger example data is not beside this checkout")
def test_les_miserables_is_the_graph_of_networkx():
    ours = read_graph(SHARED / "lesmis.tsv")
    theirs = nx.les_miserables_graph()
    assert sorted(ours.weights) == sorted(weight for _, _, weight in theirs.edges(data="weight"))
