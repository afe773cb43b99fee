import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refgpu
from refgpu.base.errors import InputError
from refgpu.base.pointers import uint8_at
from refgpu.memory import Memory, normalize


class Log:
    def __init__(self):
        self.calls = []

    def before_read(self, address, nbytes):
        self.calls.append(("read", address, nbytes))

    def before_write(self, address, nbytes):
        self.calls.append(("write", address, nbytes))


def test_views_are_the_bytes_and_read_only():
    memory = refgpu.Memory()
    array = np.arange(64, dtype=np.uint32).reshape(8, 8)
    memory.map(0x1_0000_0000, array)
    view = memory.view(0x1_0000_0010, 16, np.uint32)
    assert view.tolist() == [4, 5, 6, 7]
    assert np.shares_memory(view, array)
    array[0, 4] = 99
    assert view[0] == 99
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    assert memory.view(0x1_0000_0002, 8, np.uint16).tolist() == [0, 1, 0, 2]
    assert memory.view(0x1_0000_0001, 4, np.uint32)[0] == 0x01000000
    assert memory.word(0x1_0000_0004) == 1
    assert memory.view(0x1_0000_0000, 0).size == 0


def test_sign_extended_addresses_name_the_same_bytes():
    memory = Memory()
    memory.map(0xFFFF_8000_0020_0000, 4096)
    memory.fill(0x8000_0020_0000, 8, 0x12345678)
    assert memory.word(0xFFFF_8000_0020_0004) == 0x12345678
    assert memory.word(0xFFFF_8000_0020_0004 - (1 << 64)) == 0x12345678
    assert memory.regions[0].address == 0x8000_0020_0000
    with pytest.raises(InputError, match="overlaps"):
        memory.map(0x8000_0020_0FFF, 1)
    for bad in (0x1_0000_0000_0000, 0xFFFF_0000_0020_0000, 0xFFFE_8000_0000_0000, 1 << 64, -1 << 70):
        with pytest.raises(InputError, match="48-bit"):
            normalize(bad)


def test_file_is_mapped_and_stays_as_it_was(tmp_path):
    path = tmp_path / "big.bin"
    with path.open("wb") as file:
        file.truncate(1 << 34)  # sparse: loading it would not fit
        file.seek(0x1_0000_0100)
        file.write(b"\x07\x00\x00\x00")
    memory = Memory()
    memory.map(0x10_0000_0000, path)
    memory.map(0x5000, path, offset=0x1_0000_00FF, nbytes=5)
    memory.map(0x4000, path, offset=0x1_0000_0000, nbytes=0x200, read_only=True)
    assert memory.word(0x11_0000_0100) == 7
    assert memory.word(0x4100) == 7
    assert memory.word(0x5001) == 7
    memory.write(0x11_0000_0100, np.uint32(8))
    assert memory.word(0x11_0000_0100) == 8
    assert np.fromfile(path, np.uint8, 4, offset=0x1_0000_0100)[0] == 7
    with pytest.raises(InputError, match="read-only"):
        memory.write(0x4100, np.uint8(1))
    with pytest.raises(InputError, match="missing"):
        memory.map(0, tmp_path / "missing.bin")
    for offset, nbytes in ((0, (1 << 34) + 1), (1 << 34, None), (-1, 4), (0, 0)):
        with pytest.raises(InputError, match="cannot map"):
            memory.map(0, path, offset=offset, nbytes=nbytes)


def test_large_anonymous_region_costs_nothing_until_touched():
    memory = Memory()
    memory.map(0, 1 << 36)
    memory.write((1 << 36) - 4, np.uint32(5))
    assert memory.word((1 << 36) - 4) == 5
    assert memory.word(0x8_0000_0000) == 0
    for size in (0, -1, 1 << 48):
        with pytest.raises(InputError, match="cannot be mapped"):
            memory.map(1 << 40, size)
    with pytest.raises(InputError, match="cannot map"):
        memory.map(1 << 40, (1 << 48) - 1)


def test_errors_name_the_address_and_change_nothing():
    memory = Memory()
    memory.map(0x1000, 0x100, name="a")
    memory.map(0x1100, 0x100, name="b")
    memory.map(0x3000, np.zeros(16, np.uint8), read_only=True)
    frozen = np.zeros(16, np.uint8)
    frozen.flags.writeable = False
    memory.map(0x4000, frozen)
    cases = [
        (lambda: memory.view(0x2000, 4), "0x2000: nothing is mapped"),
        (lambda: memory.view(0x0FFF, 4), "0xfff: nothing"),
        (lambda: memory.view(0x10FE, 4), r"0x10fe: <Region 0x1000\.\.0x1100 a> ends before"),
        (lambda: memory.write(0x11FE, np.uint32(1)), "0x11fe"),
        (lambda: memory.fill(0x1000, 0x101, 1), "0x1000"),
        (lambda: memory.write(0x3000, np.uint8(1)), "0x3000.*read-only"),
        (lambda: memory.fill(0x4000, 4, 1), "0x4000.*read-only"),
        (lambda: memory.pointer(0x4000, 4, write=True), "read-only"),
        (lambda: memory.pointer(0x10FE, 4), "0x10fe"),
        (lambda: memory.view(0x1000, 3, np.uint32), "whole number"),
        (lambda: memory.view(0x1000, -4), "-4 bytes"),
        (lambda: memory.fill(0x1000, 4, 1 << 32), "32 bits"),
        (lambda: memory.unmap(0x1001), "no region starts at 0x1001"),
        (lambda: memory.map(0x10F0, 0x20), "overlaps"),
        (lambda: memory.map(0x0FF0, 0x11), "overlaps"),
        (lambda: memory.map((1 << 48) - 1, 2), "48-bit address space"),
        (lambda: memory.map(0x9000, np.zeros((4, 4))[:, 1]), "contiguous"),
        (lambda: memory.map(0x9000, np.zeros(0)), "empty"),
    ]
    for use, message in cases:
        with pytest.raises(InputError, match=message):
            use()
    assert not any(region.data.any() for region in memory.regions)
    assert [region.name for region in memory.regions[:2]] == ["a", "b"]
    assert len(memory.regions) == 4


def test_unmapped_ranges_can_be_mapped_again():
    memory = Memory()
    memory.map(0x1000, 0x1000)
    memory.map(0x2000, 0x1000)
    memory.unmap(0x1000)
    with pytest.raises(InputError, match="0x1800"):
        memory.view(0x1800, 1)
    memory.map(0x1800, 0x800)
    assert [region.address for region in memory.regions] == [0x1800, 0x2000]
    assert memory.region_at(0x17FF) is None
    assert memory.region_at(0x1800) is memory.regions[0]


def test_watchers_hear_of_guest_access_only():
    memory = Memory()
    memory.map(0x1000, 0x1000)
    log = Log()
    memory.watch(log)
    memory.view(0x1010, 4)
    memory.write(0x1020, np.uint16(1))
    memory.fill(0x1030, 8, 0)
    memory.touch(0x1040, 2)
    expected = [("read", 0x1010, 4), ("write", 0x1020, 2), ("write", 0x1030, 8), ("write", 0x1040, 2)]
    assert log.calls == expected
    memory.write_back(0x1050, np.zeros(4, np.uint8))
    memory.pointer(0x1060, 4, write=True)
    memory.view(0x1010, 0)
    with pytest.raises(InputError):
        memory.view(0x3000, 4)
    assert log.calls == expected
    memory.unwatch(log)
    memory.view(0x1010, 4)
    assert log.calls == expected


def test_a_watcher_may_write_back_before_the_read():
    memory = Memory()
    memory.map(0, 64)

    class Surface:
        def before_read(self, address, nbytes):
            memory.write_back(0, np.full(64, 7, np.uint8))

        def before_write(self, address, nbytes):
            raise AssertionError("write-back must not come here")

    memory.watch(Surface())
    assert memory.view(8, 4).tolist() == [7] * 4


@given(st.lists(st.tuples(st.integers(0, 0x3FFFF), st.integers(1, 0x8000)), max_size=8), st.data())
def test_versions_never_miss_a_write(writes, data):
    memory = Memory()
    memory.map(0x10_0000, 0x50000)
    for offset, nbytes in writes:
        start = data.draw(st.integers(0, 0x4FFFF))
        length = data.draw(st.integers(1, 0x50000 - start))
        before = memory.version(0x10_0000 + start, length)
        memory.fill(0x10_0000 + offset, nbytes, 1)
        after = memory.version(0x10_0000 + start, length)
        if offset < start + length and start < offset + nbytes:
            assert after > before
        if offset + nbytes <= (start & ~0xFFFF) or offset >= ((start + length + 0xFFFF) & ~0xFFFF):
            assert after == before


def test_every_kind_of_write_moves_the_version():
    memory = Memory()
    memory.map(0, 0x1000)
    seen = [memory.version(0, 0x1000)]
    for use in (
        lambda: memory.write(0, np.uint8(1)),
        lambda: memory.fill(0, 4, 1),
        lambda: memory.write_back(0, np.zeros(1, np.uint8)),
        lambda: memory.pointer(0, 4, write=True),
        lambda: memory.touch(0, 1),
    ):
        use()
        seen.append(memory.version(0, 0x1000))
    assert seen == sorted(set(seen))
    memory.view(0, 4)
    memory.pointer(0, 4)
    assert memory.version(0, 0x1000) == seen[-1]


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 0xFFFFFFFF))
def test_fill_repeats_the_pattern_from_its_first_byte(offset, nbytes, pattern):
    memory = Memory()
    array = np.zeros(128, np.uint8)
    memory.map(0x100, array)
    memory.fill(0x100 + offset, nbytes, pattern)
    expected = bytes(offset) + (pattern.to_bytes(4, "little") * 16)[:nbytes]
    assert array.tobytes() == expected.ljust(128, b"\0")


@pytest.mark.jit_off
def test_pointer_is_the_host_address():
    memory = Memory()
    memory.map(0x1000, np.arange(64, dtype=np.uint8))
    address, owner = memory.pointer(0x1010, 4)
    assert uint8_at(np.int64(address), np.int64(4)).tolist() == [16, 17, 18, 19]
    assert owner is memory.regions[0].data
