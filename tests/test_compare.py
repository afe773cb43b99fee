"""`refgpu.compare`: exact figures against hand-worked ones and against `math.nextafter`."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refgpu
from refgpu import report
from refgpu.compare import INFINITE_ULP, compare, compare_files, ulp_distance
from refgpu.image_files import load_arrays, picture, png_bytes


def f32(*words):
    return np.array(words, np.uint32).view(np.float32)


def test_equal_images():
    image = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    result = compare(image, image.copy())
    assert result.equal
    assert (result.pixels, result.first, result.bounding_box) == (6, None, None)


def test_figures_of_a_hand_made_difference():
    expected = np.zeros((2, 200, 300, 4), np.uint8)
    actual = expected.copy()
    actual[0, 100, 290, 3] = 7
    actual[0, 150, 10] = [1, 0, 200, 0]
    actual[1, 0, 0, 0] = 255
    result = compare(expected, actual)
    assert not result.equal
    assert (result.differing_pixels, result.differing_values, result.channel_counts) == (3, 4, (2, 0, 1, 1))
    assert (result.max_ulp, result.max_difference) == (255, 255.0)
    assert result.bounding_box == (0, 0, 291, 151)
    assert result.first == (0, 100, 290)
    assert (result.tile.x, result.tile.y) == (256, 64)
    assert result.tile.actual.shape == (64, 44, 1, 4)
    assert result.tile.actual[100 - 64, 290 - 256, 0, 3] == 7
    assert list(result.actual) == [0, 0, 0, 7]


def test_zeros_and_nans_of_other_bits_differ_unless_a_tolerance_is_given():
    expected, actual = f32(0x00000000, 0x7FC00000), f32(0x80000000, 0xFFC00001)
    assert compare(expected, actual).differing_values == 2
    assert compare(expected, actual).max_ulp == 0
    assert compare(expected, actual, max_ulp=1).equal


def test_a_nan_is_infinitely_far_from_a_number():
    result = compare(f32(0x7FC00000, 0x3F800000), f32(0x3F800000, 0x3F800000), max_ulp=2**63 - 1)
    assert (result.differing_values, result.nan_mismatches, result.max_ulp) == (1, 1, -1)


def test_distance_across_zero_is_the_sum_of_both_sides():
    assert ulp_distance(f32(0x80000001), f32(0x00000001))[0] == 2
    assert ulp_distance(f32(0xBF800000), f32(0x3F800000))[0] == 2 * 0x3F800000


def test_infinity_is_one_ulp_above_the_largest_number():
    assert ulp_distance(f32(0x7F7FFFFF), f32(0x7F800000))[0] == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 40), st.booleans())
def test_ulps_count_steps_of_nextafter(value, steps, up):
    other, taken = value, 0
    while taken < steps and math.isfinite(other):
        other, taken = math.nextafter(other, math.inf if up else -math.inf), taken + 1
    assert ulp_distance(np.array([value]), np.array([other]))[0] == taken


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_integer_distance_is_exact_for_64_bits(a, b):
    assert int(ulp_distance(np.array([a], np.uint64), np.array([b], np.uint64))[0]) == abs(a - b)
    x, y = (np.array([v], np.uint64).view(np.int64) for v in (a, b))
    assert int(ulp_distance(x, y)[0]) == abs(int(x[0]) - int(y[0]))


@given(st.lists(st.integers(0, 0xFFFF), min_size=2, max_size=8))
def test_half_floats_match_their_widened_order(words):
    halves = np.array(words, np.uint16).view(np.float16)
    ordered = sorted({float(h) for h in halves if not np.isnan(h)})
    for low, high in pairwise(ordered):
        step = ulp_distance(np.array([low], np.float16), np.array([high], np.float16))[0]
        assert 0 < step < INFINITE_ULP


def test_tolerance_counts_only_what_lies_outside():
    expected = np.array([[10, 20, 30]], np.uint8)
    result = compare(expected, np.array([[11, 22, 30]], np.uint8), max_ulp=1)
    assert (result.differing_pixels, result.first) == (1, (0, 0, 1))


@pytest.mark.parametrize(("expected", "actual", "words"), [
    (np.zeros((2, 3), np.uint8), np.zeros((3, 2), np.uint8), "shape"),
    (np.zeros(3, np.uint8), np.zeros(3, np.int8), "int8"),
    (np.zeros(3, np.float32), np.zeros(3, np.float64), "float64"),
    (np.zeros(3, np.complex64), np.zeros(3, np.complex64), "complex64"),
    (np.zeros((1,) * 6), np.zeros((1,) * 6), "axes"),
])
def test_what_cannot_be_compared_is_an_input_error(expected, actual, words):
    with pytest.raises(refgpu.InputError, match=words):
        compare(expected, actual)


def test_single_values_bools_and_empty_images():
    assert compare(np.float32(1), np.float32(2)).differing_pixels == 1
    assert compare(np.array([True, False]), np.array([True, True])).bounding_box == (1, 0, 2, 1)
    assert compare(np.zeros((0, 4), np.uint8), np.zeros((0, 4), np.uint8)).equal


def test_byte_order_and_strides_do_not_matter():
    image = np.arange(12, dtype=np.uint32).reshape(3, 4)
    assert compare(image, np.asfortranarray(image)).equal
    assert compare(image.astype(">u4"), image.astype(">u4")).equal



def test_files_round_trip(tmp_path):
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    np.save(tmp_path / "a.npy", image)
    (tmp_path / "a.png").write_bytes(png_bytes(image))
    np.savez(tmp_path / "a.npz", color=image, depth=image[..., 0])
    assert compare_files(tmp_path / "a.npy", tmp_path / "a.png")[""].equal
    assert set(compare_files(tmp_path / "a.npz", tmp_path / "a.npz")) == {"color", "depth"}
    with pytest.raises(refgpu.InputError, match="color"):
        compare_files(tmp_path / "a.npz", tmp_path / "a.npy")


@pytest.mark.parametrize(("name", "content"), [
    ("a.npy", b""), ("a.npy", b"\x93NUMPY\x01\x00"), ("a.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': garbage"),
    ("a.npz", b"PK\x03\x04"), ("a.npz", b"text"), ("a.png", b"text"), ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(40)),
    ("a.txt", b"text"),
])
def test_damaged_files_are_input_errors_that_name_the_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(refgpu.InputError, match=name):
        load_arrays(tmp_path / name)


def test_truncated_files_are_input_errors(tmp_path):
    image = np.random.default_rng(0).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    np.save(tmp_path / "a.npy", image)
    np.savez(tmp_path / "a.npz", image)
    (tmp_path / "a.png").write_bytes(png_bytes(image))
    for path in sorted(tmp_path.iterdir()):
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(refgpu.InputError, match=path.name):
            load_arrays(path)


def test_arrays_of_objects_are_never_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(refgpu.InputError, match=r"a\.npy"):
        load_arrays(tmp_path / "a.npy")


def test_pictures_of_any_array():
    assert picture(np.array([[0.0, 0.5], [np.nan, np.inf]])).tolist() == [[0, 255], [0, 255]]
    assert picture(np.array([[[0.0, 0.5, 2.0, 1.0]]], np.float32)).tolist() == [[[0, 128, 255]]]
    assert picture(np.full((2, 2), np.nan)).tolist() == [[0, 0], [0, 0]]
    assert picture(np.array([[3, 5]], np.uint32)).tolist() == [[0, 255]]


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "int16", "float32", "float16", "bool"])
@pytest.mark.parametrize("shape", [(5, 7), (2, 5, 7), (5, 7, 4), (2, 5, 7, 4), (1, 3, 5, 2, 4), (9,)])
def test_a_page_can_be_made_of_any_comparison(dtype, shape):
    expected = np.zeros(shape, dtype)
    actual = expected.copy()
    actual.reshape(-1)[-1] = 1
    result = compare(expected, actual)
    text = report.page("title & more", report.comparison_blocks("", result, expected, actual))
    assert text.count("<img") == 6
    assert "title &amp; more" in text


def test_difference_picture_marks_what_differs():
    expected = np.zeros((4, 4), np.float32)
    actual = expected.copy()
    actual[1, 2] = -0.0
    image = report.difference_picture(expected, actual)
    assert np.argwhere(image[..., 0] > image[..., 1]).tolist() == [[1, 2]]
