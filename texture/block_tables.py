"""Tables of BC6H and BC7 as the Direct3D specification gives them: partitions, anchors, modes, bit layouts."""

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

# Two subsets: bit t of a word is the subset of texel t
_TWO = """
CCCC 8888 EEEE ECC8 C880 FEEC FEC8 EC80 C800 FFEC FE80 E800 FFE8 FF00 FFF0 F000
F710 008E 7100 08CE 008C 7310 3100 8CCE 088C 3110 6666 366C 17E8 0FF0 718E 399C
AAAA F0F0 5A5A 33CC 3C3C 55AA 9696 A55A 73CE 13C8 324C 3BDC 6996 C33C 9966 0660
0272 04E4 4E40 2720 C936 936C 39C6 639C 9336 9CC6 817E E718 CCF0 0FCC 7744 EE22
"""
# Three subsets: two bits a texel
_THREE = """
AA685050 6A5A5040 5A5A4200 5450A0A8 A5A50000 A0A05050 5555A0A0 5A5A5050
AA550000 AA555500 AAAA5500 90909090 94949494 A4A4A4A4 A9A59450 2A0A4250
A5945040 0A425054 A5A5A500 55A0A0A0 A8A85454 6A6A4040 A4A45000 1A1A0500
0050A4A4 AAA59090 14696914 69691400 A08585A0 AA821414 50A4A450 6A5A0200
A9A58000 5090A0A8 A8A09050 24242424 00AA5500 24924924 24499224 50A50A50
500AA550 AAAA4444 66660000 A5A0A5A0 50A050A0 69286928 44AAAA44 66666600
AA444444 54A854A8 95809580 96969600 A85454A8 80959580 AA141414 96960000
AAAA1414 A05050A0 A0A5A5A0 96000000 40804080 A9A8A9A8 AAAAAA44 2A4A5254
"""
_ANCHOR_TWO = """15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 2 8 2 2 8 8 15 2 8 2 2 8 8 2 2
15 15 6 8 2 8 15 15 2 8 2 2 2 15 15 6 6 2 6 8 15 15 2 2 15 15 15 15 15 2 2 15"""
_ANCHOR_THREE_SECOND = """3 3 15 15 8 3 15 15 8 8 6 6 6 5 3 3 3 3 8 15 3 3 6 10 5 8 8 6 8 5 15 15
8 15 3 5 6 10 8 15 15 3 15 5 15 15 15 15 3 15 5 5 5 8 5 10 5 10 8 13 15 12 3 3"""
_ANCHOR_THREE_THIRD = """15 8 8 3 15 15 3 8 15 15 15 15 15 15 15 8 15 8 15 3 15 8 15 8 3 15 6 10 15 15 10 8
15 3 15 10 10 8 9 10 6 15 8 15 3 6 6 8 15 3 15 15 15 15 15 15 15 15 15 15 3 15 15 8"""


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def _partitions() -> npt.NDArray[np.int64]:
    """Subset of each texel: int64[subsets - 1, partition, texel]."""
    result = np.zeros((3, 64, 16), np.int64)
    for number, word in enumerate(_TWO.split()):
        result[1, number] = [int(word, 16) >> texel & 1 for texel in range(16)]
    for number, word in enumerate(_THREE.split()):
        result[2, number] = [int(word, 16) >> 2 * texel & 3 for texel in range(16)]
    return result


def _anchors() -> npt.NDArray[np.int64]:
    """Texel of each subset whose index has one bit less: int64[subsets - 1, partition, subset]."""
    result = np.zeros((3, 64, 3), np.int64)
    result[1, :, 1] = _numbers(_ANCHOR_TWO)
    result[2, :, 1] = _numbers(_ANCHOR_THREE_SECOND)
    result[2, :, 2] = _numbers(_ANCHOR_THREE_THIRD)
    return result


PARTITIONS: Final[npt.NDArray[Any]] = _partitions()
ANCHORS: Final[npt.NDArray[Any]] = _anchors()
# Interpolation weights by index bits, in 1/64
WEIGHTS: Final[npt.NDArray[Any]] = np.array([
    [0] * 16, [0] * 16, [0, 21, 43, 64] + [0] * 12, [0, 9, 18, 27, 37, 46, 55, 64] + [0] * 8,
    [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64]], np.int64)

# BC7 modes: subsets, partition, rotation, index selector, colour, alpha, endpoint p, shared p, index, second index bits
BC7_MODES: Final[npt.NDArray[Any]] = np.array([
    [3, 4, 0, 0, 4, 0, 1, 0, 3, 0], [2, 6, 0, 0, 6, 0, 0, 1, 3, 0], [3, 6, 0, 0, 5, 0, 0, 0, 2, 0],
    [2, 6, 0, 0, 7, 0, 1, 0, 2, 0], [1, 0, 2, 1, 5, 6, 0, 0, 2, 3], [1, 0, 2, 0, 7, 8, 0, 0, 2, 2],
    [1, 0, 0, 0, 7, 7, 1, 0, 4, 0], [2, 6, 0, 0, 5, 5, 1, 0, 2, 0]], np.int64)

# BC6H: mode code, endpoint bits, delta bits of red, green, blue (0: not transformed), layout after the mode bits.
# r0 is the first endpoint, r1 its partner, r2 and r3 the second subset's; [high:low], or [low:high] stored reversed.
_BC6_MODES: Final = (
    (0x00, 10, 5, 5, 5, "g2[4] b2[4] b3[4] r0[9:0] g0[9:0] b0[9:0] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] "
     "b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
    (0x01, 7, 6, 6, 6, "g2[5] g3[4] g3[5] r0[6:0] b3[0] b3[1] b2[4] g0[6:0] b2[5] b3[2] g2[4] b0[6:0] b3[3] b3[5] "
     "b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"),
    (0x02, 11, 5, 4, 4, "r0[9:0] g0[9:0] b0[9:0] r1[4:0] r0[10] g2[3:0] g1[3:0] g0[10] b3[0] g3[3:0] b1[3:0] b0[10] "
     "b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
    (0x06, 11, 4, 5, 4, "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] g3[4] g2[3:0] g1[4:0] g0[10] g3[3:0] b1[3:0] b0[10] "
     "b3[1] b2[3:0] r2[3:0] b3[0] b3[2] r3[3:0] g2[4] b3[3]"),
    (0x0A, 11, 4, 4, 5, "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] b2[4] g2[3:0] g1[3:0] g0[10] b3[0] g3[3:0] b1[4:0] "
     "b0[10] b2[3:0] r2[3:0] b3[1] b3[2] r3[3:0] b3[4] b3[3]"),
    (0x0E, 9, 5, 5, 5, "r0[8:0] b2[4] g0[8:0] g2[4] b0[8:0] b3[4] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] "
     "b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
    (0x12, 8, 6, 5, 5, "r0[7:0] g3[4] b2[4] g0[7:0] b3[2] g2[4] b0[7:0] b3[3] b3[4] r1[5:0] g2[3:0] g1[4:0] b3[0] "
     "g3[3:0] b1[4:0] b3[1] b2[3:0] r2[5:0] r3[5:0]"),
    (0x16, 8, 5, 6, 5, "r0[7:0] b3[0] b2[4] g0[7:0] g2[5] g2[4] b0[7:0] g3[5] b3[4] r1[4:0] g3[4] g2[3:0] g1[5:0] "
     "g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
    (0x1A, 8, 5, 5, 6, "r0[7:0] b3[1] b2[4] g0[7:0] b2[5] g2[4] b0[7:0] b3[5] b3[4] r1[4:0] g3[4] g2[3:0] g1[4:0] "
     "b3[0] g3[3:0] b1[5:0] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
    (0x1E, 6, 0, 0, 0, "r0[5:0] g3[4] b3[0] b3[1] b2[4] g0[5:0] g2[5] b2[5] b3[2] g2[4] b0[5:0] g3[5] b3[3] b3[5] "
     "b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"),
    (0x03, 10, 0, 0, 0, "r0[9:0] g0[9:0] b0[9:0] r1[9:0] g1[9:0] b1[9:0]"),
    (0x07, 11, 9, 9, 9, "r0[9:0] g0[9:0] b0[9:0] r1[8:0] r0[10] g1[8:0] g0[10] b1[8:0] b0[10]"),
    (0x0B, 12, 8, 8, 8, "r0[9:0] g0[9:0] b0[9:0] r1[7:0] r0[10:11] g1[7:0] g0[10:11] b1[7:0] b0[10:11]"),
    (0x0F, 16, 4, 4, 4, "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10:15] g1[3:0] g0[10:15] b1[3:0] b0[10:15]"),
)
_TERM = re.compile(r"([rgb])(\d)\[(\d+)(?::(\d+))?\]")
BC6_ONE_SUBSET: Final = 10           # modes from here on have one subset
_BC6_BITS: Final = 77


def _bc6_layouts() -> npt.NDArray[np.int64]:
    """For each mode and stream bit after the mode bits: endpoint * 3 + channel, and its bit; -1 past the end."""
    result = np.full((len(_BC6_MODES), _BC6_BITS, 2), -1, np.int64)
    for number, mode in enumerate(_BC6_MODES):
        place = 0
        for channel, endpoint, high, low in _TERM.findall(mode[-1]):
            ends = int(high), int(low or high)
            bits = range(ends[1], ends[0] + 1) if ends[0] >= ends[1] else range(ends[1], ends[0] - 1, -1)
            for bit in bits:
                result[number, place] = int(endpoint) * 3 + "rgb".index(channel), bit
                place += 1
    return result


BC6_LAYOUT: Final[npt.NDArray[Any]] = _bc6_layouts()
BC6_BITS: Final[npt.NDArray[Any]] = np.array([mode[1:5] for mode in _BC6_MODES], np.int64)
BC6_MODE_OF_CODE: Final[npt.NDArray[Any]] = np.array(
    [next((n for n, mode in enumerate(_BC6_MODES) if mode[0] == (code if code & 2 else code & 3)), -1)
     for code in range(32)], np.int64)
