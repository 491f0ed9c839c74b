import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from repro.errors import InputError
from repro.inputs.vectors.files import read_vectors, write_vectors
from repro.inputs.vectors.synthetic import KINDS, largest_exact_value, random_vectors
from repro.inputs.vectors.vectorset import pack_bits, unpack_bits, vector_set

SHARED = Path(__file__).parents[3] / "shared/data/vectors"
shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40)
floats = {"allow_nan": False, "allow_infinity": False, "min_value": 0}
values = st.one_of(
    hnp.arrays(np.float64, shapes, elements=st.floats(**floats)),
    hnp.arrays(np.float32, shapes, elements=st.floats(width=32, **floats)),
    hnp.arrays(np.int64, shapes, elements=st.integers(0, 2**40)),
    hnp.arrays(np.uint8, shapes),
    hnp.arrays(np.bool_, shapes),
)


@given(values)
@pytest.mark.parametrize("ending", ["npy", "npz", "csv", "tsv"])
def test_round_trip(tmp_path, ending, values):
    written = vector_set(values, [f"v{i}" for i in range(len(values))])
    write_vectors(tmp_path / f"v.{ending}", written)
    read = read_vectors(tmp_path / f"v.{ending}")
    np.testing.assert_array_equal(read.values, written.values)
    if ending in ("npy", "npz"):
        assert read.sha256 == written.sha256
    if ending != "npy":
        assert read.names == written.names


@given(hnp.arrays(np.float32, shapes, elements=st.floats(width=32, **floats)))
@pytest.mark.parametrize("ending", ["f32", "f64"])
def test_raw_round_trip_is_one_vector_after_another(tmp_path, ending, values):
    path = tmp_path / f"v.{ending}"
    write_vectors(path, vector_set(values))
    fields_by_vectors = np.fromfile(path, dtype=f"<f{4 if ending == 'f32' else 8}").reshape(
        values.shape[::-1], order="F"
    )
    np.testing.assert_array_equal(fields_by_vectors, values.T)
    np.testing.assert_array_equal(read_vectors(path, fields=values.shape[1]).values, values)


@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=100)))
def test_packed_bits(tmp_path, bits):
    written = vector_set(bits)
    words = pack_bits(written)
    assert words.dtype == np.uint32
    assert words.shape == (len(bits), -(-bits.shape[1] // 32))
    for i, q in np.ndindex(bits.shape):
        assert words[i, q // 32] >> np.uint32(q % 32) & 1 == bits[i, q]
    assert np.bitwise_count(words).sum() == bits.sum()
    np.testing.assert_array_equal(unpack_bits(words, bits.shape[1]), bits)
    write_vectors(tmp_path / "v.bits.npz", written)
    assert read_vectors(tmp_path / "v.bits.npz").sha256 == written.sha256


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1,2,3\n4,5.5,6\n", ("0", "1")),
        ("a,b,c\n1,2,3\n4,5.5,6\n", ("0", "1")),
        ("x,1,2,3\ny,4,5.5,6\n", ("x", "y")),
        ("name,a,b,c\nx,1,2,3\ny,4,5.5,6\n", ("x", "y")),
        (",a,b,c\n7,1,2,3\n8,4,5.5,6\n", ("7", "8")),
        (",1,2,3\n7,1,2,3\n8,4,5.5,6\n", ("7", "8")),
        ('"name","a","b, c","d"\r\n"x",1,2,3\r\n"y",4,5.5,6\r\n', ("x", "y")),
        ("# a comment\n\nx,1,2,3\n\ny,4,5.5,6", ("x", "y")),
        ("\ufeffx,1, 2 ,3\ny,4,5.5,6e0\n", ("x", "y")),
        (",a,b,c\n1;2,1,2,3\n3;4,4,5.5,6\n", ("1;2", "3;4")),
        ("1;2,1,2,3\nx,4,5.5,6\n", ("1;2", "x")),
    ],
)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_tables_with_and_without_names(tmp_path, text, names, separator):
    path = tmp_path / ("v.csv" if separator == "," else "v.tsv.gz")
    content = text.replace(",", separator).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    read = read_vectors(path)
    np.testing.assert_array_equal(read.values, [[1, 2, 3], [4, 5.5, 6]])
    assert read.names == names


def test_single_column_and_whole_numbers(tmp_path):
    (tmp_path / "v.csv").write_text("1\n2.0\n300\n")
    read = read_vectors(tmp_path / "v.csv")
    assert read.values.tolist() == [[1], [2], [300]]
    assert read.values.dtype == np.uint16


def test_zero_vectors_are_allowed():
    assert vector_set(np.zeros((2, 3))).values.sum() == 0


@pytest.mark.parametrize(
    ("value", "shown"), [(-1.0, r"-1\.0"), (float("nan"), "nan"), (float("inf"), "inf"), (-0.5, r"-0\.5")]
)
def test_bad_values_are_named_by_vector_and_field(value, shown):
    values = np.ones((3, 4))
    values[1, 2] = value
    with pytest.raises(InputError, match=rf"s: row 2, vector b, field 3: {shown}; give a finite number of 0 or more"):
        vector_set(values, ["a", "b", "c"], source="s")


@pytest.mark.parametrize(
    ("values", "names", "message"),
    [
        (np.ones(3), None, r"shape \(3,\); give one row"),
        (np.ones((0, 3)), None, r"shape \(0, 3\)"),
        (np.array([["a"]]), None, "values of type <U1; give numbers"),
        (np.ones((1, 1), complex), None, "values of type complex128"),
        (np.ones((2, 1)), ["a"], "1 names for 2 vectors"),
        (np.ones((2, 1)), ["a", "a"], "two vectors are named a"),
        (np.ones((3, 1)), ["a", " ", ""], "vectors: row 2: the vector has an empty name; name all vectors, or none"),
    ],
)
def test_arrays_that_are_no_vectors(values, names, message):
    with pytest.raises(InputError, match=message):
        vector_set(values, names)


def test_conversion_must_be_exact():
    vectors = vector_set(np.array([[1, 2**24 + 1]]))
    assert vectors.astype(np.float64).values[0, 1] == 2**24 + 1
    with pytest.raises(InputError, match="row 1, vector 0, field 2: 16777217 is not exact in float32"):
        vectors.astype(np.float32)
    for value, dtype in (
        (2**53 + 1, np.float64),
        (2**64 - 1, np.float64),
        (256, np.uint8),
        (1.5, np.int64),
        (1e300, np.float32),
    ):
        with pytest.raises(InputError, match=f"is not exact in {np.dtype(dtype)}"):
            vector_set(np.array([[value]])).astype(dtype)
    with pytest.raises(InputError, match="row 1, vector 0, field 2: 2 where 0/1 data has only 0, 1"):
        pack_bits(vector_set(np.array([[1, 2]])))
    with pytest.raises(InputError, match=r"^v\.npy: row 1, vector a, field 2: 1\.5 is not exact in uint8"):
        vector_set(np.array([[1, 1.5]]), ["a"], source="v.npy").astype(np.float32).astype(np.uint8)
    with pytest.raises(InputError, match="row 1, vector 0, field 1: 3 where allele counts has only 0, 1, 2"):
        vector_set(np.array([[3]])).require((0, 1, 2), "allele counts")


def save(path: Path, **arrays) -> Path:
    np.savez(path, **arrays)
    return path


def npy(shape: str) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, {shape}".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(72)


def archive(version: int) -> bytes:
    """A .npz whose directory asks for another version of zip."""
    stream = io.BytesIO()
    np.savez(stream, a=np.eye(2))
    data = bytearray(stream.getvalue())
    entry = data.index(b"PK\x01\x02")
    data[entry + 6] = version
    return bytes(data)


NO_ARRAYS = ": is no NumPy file, is damaged or holds Python objects; write it with numpy.save or numpy.savez$"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.csv", b"", "has no vectors; write one on each line; cells are separated by commas"),
        ("v.csv", b"a,b\n", "has no vectors"),
        ("v.tsv", b"1,2\n", "has no vectors; write one on each line; cells are separated by tabs"),
        ("v.csv", b"1,2\n3\n", r"line 2: has 1 cell, 2 are expected; cells are separated by commas"),
        ("v.csv", b"1;2\n3;4\n", r"line 2: '3;4' is a name without numbers; cells are separated by commas"),
        ("v.csv", b"1\t2\n3\t4\n", r"line 2: '3\\t4' is a name without numbers; cells are separated by commas"),
        ("v.tsv", b"x,y\n1,2\n3,4\n", r"line 2: '1,2' is a name without numbers; cells are separated by tabs"),
        ("v.csv", b"1;2,5\n3;4,5\n", r"line 1, column 1: '1;2' is not a number; .*commas, decimals by a point"),
        ("v.csv", b"a;1,5;2,5\nb;3,5;4,5\n", r"line 1, column 2: '5;2' is not a number; cells are separated by comm"),
        ("v.tsv", b"1,5\t2\n3\t4\n", r"line 1, column 1: '1,5' is not a number; .*tabs, decimals by a point"),
        ("v.tsv", b"a\t2\nb\t3,5\n", r"line 2, column 2: '3,5' is not a number; .*tabs, decimals by a point"),
        ("v.tsv", b"\ta\nx\t1\n\t2\n", r"line 3, column 1: the name is empty; name all vectors, or none"),
        ("v.csv", b"1,2\n\n3,x\n", r"line 3, column 2: 'x' is not a number"),
        ("v.csv", b"1,2,x\n3,4,5\n", r"line 1, column 3: 'x' is not a number"),
        ("v.csv", b"a,1,2,x\nb,3,4,5\n", r"line 1, column 4: 'x' is not a number"),
        ("v.csv", b"a,1,\nb,3,4\n", r"line 1, column 3: '' is not a number"),
        ("v.csv", b"a,1\x0c2,3\nb,1,2\n", r"line 1, column 2: '1\\x0c2' is not a number"),
        ("v.csv", b"#\x0bc\na,1,2\nb\x0b,3,1\nc,1,x\n", r"line 4, column 3: 'x' is not a number"),
        ("v.csv", "a,1,2\nb,\x85\u20283,1\nc,1,x\n".encode(), r"line 3, column 3: 'x' is not a number"),
        ("v.csv", b"a,1,2\r\nb,3,1\rc,1,x\n", r"line 3, column 3: 'x' is not a number"),
        ("v.csv", b"a,1,-2\n", r"line 1, vector a, field 2: -2; give a finite number of 0 or more"),
        ("v.csv", b"a,1,inf\n", r"line 1, vector a, field 2: inf; give a finite number of 0 or more"),
        ("v.csv", b"a,1\na,2\n", r"lines 1 and 2: two vectors are named a; rename one of them"),
        ("v.csv", b"\xff1,2\n", r"byte 1: is not UTF-8"),
        ("v.csv", b'1,2\n3,"4\n', r"line 2: cannot be split into cells \(unexpected end of data\)"),
        ("v.npy", npy("'shape': (3"), NO_ARRAYS),
        ("v.npy", npy("'shape': (3, 99999999999999), }"), NO_ARRAYS),
        ("v.npz", archive(version=77), NO_ARRAYS),
        ("v.npy", b"", "is empty"),
        ("v.npy", b"nonsense", NO_ARRAYS),
        ("v.npz", b"PK\x03\x04nonsense", NO_ARRAYS),
        ("v.f32", bytes(12), "raw numbers do not say how long a vector is; give its fields: --fields N"),
        ("v.xyz", b"", r"is no vector file; known endings are \.npy"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_bad_archives(tmp_path):
    path = tmp_path / "v.npz"
    with pytest.raises(InputError, match=r"has 2 two-dimensional arrays \(a, b\); keep one"):
        read_vectors(save(path, a=np.ones((2, 2)), b=np.ones((2, 2))))
    with pytest.raises(InputError, match=NO_ARRAYS):
        read_vectors(save(path, a=np.array([[{}]], dtype=object)))
    for fields, size in ((3, 20), (0, 12), (2, 0)):
        (tmp_path / "v.f32").write_bytes(bytes(size))
        with pytest.raises(InputError, match=f"{size} bytes are not vectors of {fields} fields of 4 bytes"):
            read_vectors(tmp_path / "v.f32", fields=fields)


WORDS = np.array([[5, 1], [0xFFFFFFFF, 3]], np.uint32)
PACKED = {"words": WORDS, "fields": 34, "names": np.array(["a", "b"])}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": None}, "has no array fields; packed bits have words, fields and names"),
        ({"fields": [33, 34]}, r"fields is an array of int64 of shape \(2,\); give one whole number above 0"),
        ({"fields": [34]}, r"fields is an array of int64 of shape \(1,\); give one whole number above 0"),
        *(({"fields": value}, f"fields is {value!r}; give one whole number above 0") for value in ("x", 34.0, True)),
        *(({"fields": value}, f"fields is {value}; give one whole number above 0") for value in (0, -34)),
        ({"fields": 65}, r"words of shape \(2, 2\) do not hold vectors of 65 fields"),
        ({"fields": 32}, r"words of shape \(2, 2\) do not hold vectors of 32 fields"),
        ({"fields": 2**63}, r"words of shape \(2, 2\) do not hold vectors of 9223372036854775808 fields"),
        ({"fields": 33}, "words, row 2, column 2: the bit of field 34 is set, behind the last of 33 fields; clear it"),
        ({"words": WORDS[0]}, r"words of shape \(2,\) do not hold vectors of 34 fields"),
        *(
            ({"words": WORDS.astype(dtype)}, f"words are of type {np.dtype(dtype)}; give uint32, each with 32 fields")
            for dtype in (np.uint64, np.int64, np.float64, np.uint8)
        ),
        ({"names": [1, 2]}, r"names is an array of int64 of shape \(2,\); give a string for each vector"),
        ({"names": [["a"], ["b"]]}, r"names is an array of <U1 of shape \(2, 1\); give a string for each vector"),
        ({"names": ["a"]}, "1 names for 2 vectors"),
    ],
)
def test_broken_packed_bits(tmp_path, change, message):
    path = save(tmp_path / "v.bits.npz", **{k: v for k, v in (PACKED | change).items() if v is not None})
    with pytest.raises(InputError, match=f"v.bits.npz: {message}"):
        read_vectors(path)


def test_packed_bits_of_either_byte_order(tmp_path):
    for dtype in ("<u4", ">u4"):
        read = read_vectors(save(tmp_path / "v.bits.npz", **PACKED | {"words": WORDS.astype(dtype)}))
        assert read.values.sum(axis=1).tolist() == [3, 34]
        assert np.flatnonzero(read.values[0]).tolist() == [0, 2, 32]


def test_packed_bits_are_an_archive(tmp_path):
    with (tmp_path / "v.bits.npz").open("wb") as stream:
        np.save(stream, WORDS)
    with pytest.raises(InputError, match="has no array words"):
        read_vectors(tmp_path / "v.bits.npz")


@pytest.mark.parametrize("name", ["v.csv", "v.tsv.gz", "v.npy", "v.npz", "v.bits.npz"])
def test_only_raw_numbers_take_fields(tmp_path, name):
    with pytest.raises(
        InputError, match=f"{name}: says itself how many fields .*; --fields is for .f32 and .f64 alone"
    ):
        read_vectors(tmp_path / name, fields=3)


@pytest.mark.parametrize("kind", KINDS)
def test_random_vectors_are_the_same_for_a_seed(kind):
    a, b, other = (random_vectors(kind, 20, 50, seed) for seed in (1, 1, 2))
    assert a.sha256 == b.sha256 != other.sha256
    assert a.values.shape == (20, 50)


def test_random_values_are_what_their_kind_says():
    integers = random_vectors("integers", 100, 2000, 1).values
    assert integers.max() == largest_exact_value(2000) == (2**24 - 1) // 18_000
    assert integers.min() == 0
    bits = random_vectors("bits", 100, 2000, 1).values
    assert set(np.unique(bits)) == {0, 1}
    # 5 standard deviations of the share of ones among 200,000.
    assert abs(bits.mean() - 0.5) < 5 * 0.5 / np.sqrt(200_000)
    alleles = random_vectors("alleles", 400, 500, 1).values
    assert set(np.unique(alleles)) == {0, 1, 2}
    frequency = alleles.mean(axis=1) / 2
    assert frequency.min() + 0.05 > 0.05
    assert frequency.std() == pytest.approx(0.9 / np.sqrt(12), rel=0.15)


@given(st.integers(1, 1_800_000))
def test_sums_of_integer_vectors_are_exact_in_float32(fields):
    largest = largest_exact_value(fields)
    assert 2 * 1.5 * 3 * fields * largest < 2**24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("floats", 1, 1, 1), "kind 'floats'; choose integers, bits, alleles"),
        (("bits", 0, 1, 1), "0 random vectors of 1 fields"),
        (("bits", 1, 1, -1), "seed -1"),
        (("integers", 1, 2_000_000, 1), "vectors of 2000000 fields: sums are exact up to 1864135 fields"),
    ],
)
def test_impossible_random_vectors(arguments, message):
    with pytest.raises(InputError, match=message):
        random_vectors(*arguments)


@pytest.mark.skipif(not SHARED.exists(), reason="the larger example data is not beside this checkout")
def test_larger_examples_load():
    genotypes = read_vectors(SHARED / "eagle_EUR_test_a1count.npz")
    genotypes.require((0, 1, 2), "allele counts")
    assert genotypes.values.shape == (2000, 379)
    assert genotypes.names[0] == "rs11702480"
    assert read_vectors(SHARED / "sklearn_digits.npz").values.shape == (1797, 64)
    assert read_vectors(SHARED / "vegan_BCI.tsv").values.shape == (50, 225)
    assert read_vectors(SHARED / "vegan_dune.tsv").values.shape == (20, 30)
