"""Equations of the orders that follow the render backends: R and Z, and D in 3D.

They interleave with the metadata's pipes, so each number of pipes and packers has its own; these are the three that the
profiles have. From shared/oracle/surface (the public addrlib probed bit by bit), address bit 8 first.
A line is: order, samples when there are several, bits per element, one XOR per address bit.
"""

from functools import cache

from ..base.errors import UnsupportedError
from ..metadata.config import AddressConfig

Terms = list[frozenset[tuple[str, int]]]

_PLAIN_16_PIPES = """
R 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y6 x6 y7 x7
R 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y4 x6 y6 x7
R 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 x6
R 64: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y2 x3 y4 x6
R 128: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y2 x2 y3 x4
R 2s 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y6 x6 y7 y8^s0
R 2s 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y4 x6 y6 y7^s0
R 2s 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 y7^s0
R 2s 64: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y2 x3 y4 y6^s0
R 2s 128: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^s0 y2 x2 y3 x4
R 4s 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y6 x6 y7^s0 y8^s1
R 4s 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y4 x6 y6^s0 y7^s1
R 4s 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6^s0 y7^s1
R 4s 64: x3^y3^z2 x4^y4^z1 x6^y5^s1 x5^y6^z0 y2 x3 y4 y6^s0
R 4s 128: x3^y3^z1 x4^y4^z0 x6^y5^s1 x5^y6^s0 y2 x2 y3 x4
R 8s 8: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^z3 y6 y7^s0 y8^s1 y9^s2
R 8s 16: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^z3 y4 y6^s0 y7^s1 y8^s2
R 8s 32: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^s2 y3 x4 y6^s0 y7^s1
R 8s 64: x3^y3^z1 x4^y4^z0 x6^y5^s2 x5^y6^s1 y2 x3 y4 y6^s0
R 8s 128: x3^y3^z1 x4^y4^z0 x6^y5^s2 x5^y6^s1 x2 y2 x3 y6^s0
Z 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y6 x6 y7 x7
Z 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y4 x6 y6 x7
Z 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 x6
Z 64: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y2 x3 y4 x6
Z 2s 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y4 y6 x6 y7
Z 2s 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 x6
Z 2s 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 y2^y7
Z 4s 8: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y6 x6
Z 4s 16: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 x3 y4 x6 y2^y6
Z 4s 32: x3^y3^z3 x4^y4^z2 x6^y5^z1 x5^y6^z0 y3 x4 y2^y6 x2^y7
Z 8s 8: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^z3 y3 x4 y6 y2^y7
Z 8s 16: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y6^z3 y3 x4 y2^y6 x2^y7
Z 8s 32: x3^y3^z2 x4^y4^z1 x6^y5^z0 x5^y2^y6 x3 y4 x2^y6 y1^y7
3D D 8: x3^y3 x4^y4 x6^y2^y5 x5^y6 z3 y3 x4 z4
3D D 16: x3^y3 x4^y4 x6^y5^z3 x5^y2^y6 x2 z4 y3 x4
3D D 32: x3^y3 x4^y4 x6^y5^z2 x5^y2^y6 x2 z3 y3 x4
3D D 64: x3^y3 x4^y4 x6^y5^z2 x5^y1^y6 x2 z3 y2 x3
3D D 128: x3^y3 x1^x4^y4 x6^y5^z2 x5^y1^y6 x2 z3 y2 x3
"""

_RB_PLUS_16_PIPES_16_PACKERS = """
R 8: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x6 x7 x8^y7 x6^y6^z0
R 16: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y3 x6 x7^y7 x6^y6^z0
R 32: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x3 y3 x6^y7 x6^y6^z0
R 64: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y2 x3 x7^y3 x6^y6^z0
R 128: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x2 x3 x6^y3 x6^y2^y6
R 2s 8: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x6 y7 x7^y8^s0 x6^y6^z0
R 2s 16: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y3 x6 x7^y7^s0 x6^y6^z0
R 2s 32: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x3 y3 x6^y7^s0 x6^y6^z0
R 2s 64: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 y2 x3 x6^y3 x6^y6^s0
R 2s 128: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^s0 x2 x3 x6^y3 x6^y2^y6
R 4s 8: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x6 x7^s0 x8^y7^s1 x6^y6^z3
R 4s 16: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 y3 x7^s0 x8^y6^s1 x6^y6^z3
R 4s 32: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x3 y3 x6^y7^s0 x6^y6^s1
R 4s 64: x8^y4^y8 x4^y4^z1 x7^y5^s1 x5^y7^z0 y2 x3 x6^y3 x6^y6^s0
R 4s 128: x8^y4^y8 x4^y4^z0 x7^y5^s1 x5^y7^s0 x2 x3 x6^y3 x6^y2^y6
R 8s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z3 x6^s0 y7^s1 x7^y8^s2 x6^y6^z2
R 8s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z2 y3 x6^s0 x7^y7^s1 x6^y6^s2
R 8s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^s2 x3 y3 x6^y7^s0 x6^y6^s1
R 8s 64: x8^y4^y8 x4^y4^z0 x7^y5^s2 x5^y7^s1 y2 x3 x6^y3 x6^y6^s0
R 8s 128: x8^y4^y8 x4^y4^s2 x7^y5^s1 x5^y7^s0 x2 x3 x6^y3 x6^y2^y6
Z 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x6 x7 x8^y7 x6^y6
Z 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 y3 x6 x7^y7 x6^y6
Z 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y7 x6^y6
Z 64: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y2 x3 x7^y3 x6^y6^z0
Z 2s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 y3 x6 x7^y7 x6^y6
Z 2s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y7 x6^y6
Z 2s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y2^y7 x6^y6
Z 4s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y7 x6^y6
Z 4s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x7^y2^y6 x6^y6
Z 4s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x2^x6^y7 x6^y2^y6
Z 8s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y2^y7 x6^y6
Z 8s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x2^x6^y7 x6^y2^y6
Z 8s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y2^y7 x3 y3 x6^y1^y7 x2^x6^y6
VAR R 8: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x6 x7 x10^y7 x8^y9 x9^y8 x6^y6^z0
VAR R 16: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y3 x6 x7^y9 x9^y7 x8^y8 x6^y6^z0
VAR R 32: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x3 y3 x6^y9 x7^y8 x8^y7 x6^y6^z0
VAR R 64: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y2 x3 x8^y3 x6^y8 x7^y7 x6^y6^z0
VAR R 128: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x2 y2 x3^y8 x7^y3 x6^y7 x6^y6^z0
VAR R 2s 8: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x6 x7 x10^y7 x9^y8 x8^y9^s0 x6^y6^z0
VAR R 2s 16: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y3 x6 x7^y9 x9^y7 x8^y8^s0 x6^y6^z0
VAR R 2s 32: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x3 y3 x6^y9 x8^y7 x7^y8^s0 x6^y6^z0
VAR R 2s 64: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y2 x3 x8^y3 x6^y8 x7^y7^s0 x6^y6^z0
VAR R 2s 128: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 x2 y2 x7^y3 x3^y8 x6^y7^s0 x6^y6^z0
VAR R 4s 8: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x6 x7 x10^y7 x8^y9^s0 x9^y8^s1 x6^y6^z3
VAR R 4s 16: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 y3 x6 x7^y9 x9^y7^s0 x8^y8^s1 x6^y6^z3
VAR R 4s 32: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x3 y3 x6^y9 x7^y8^s0 x8^y7^s1 x6^y6^z3
VAR R 4s 64: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 y2 x3 x9^y3 x7^y7^s0 x8^y6^s1 x6^y6^z3
VAR R 4s 128: x8^y4^y8 x4^y4^z2 x7^y5^z1 x5^y7^z0 x2 y2 x7^y3 x3^y8 x6^y7^s0 x6^y6^s1
VAR R 8s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z3 x6 y7 x7^y10^s0 x9^y8^s1 x8^y9^s2 x6^y6^z2
VAR R 8s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z3 y3 x6 x7^y9^s0 x9^y7^s1 x8^y8^s2 x6^y6^z2
VAR R 8s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z3 x3 y3 x6^y9^s0 x8^y7^s1 x7^y8^s2 x6^y6^z2
VAR R 8s 64: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^z2 y2 x3 x8^y3 x6^y8^s0 x7^y7^s1 x6^y6^s2
VAR R 8s 128: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7^s2 x2 y2 x7^y3 x3^y8 x6^y7^s0 x6^y6^s1
VAR Z 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x6 x7 x10^y7 x8^y9 x9^y8 x6^y6
VAR Z 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 y3 x6 x7^y9 x9^y7 x8^y8 x6^y6
VAR Z 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x7^y8 x8^y7 x6^y6
VAR Z 64: x8^y4^y8 x4^y4^z3 x7^y5^z2 x5^y7^z1 y2 x3 x8^y3 x6^y8 x7^y7 x6^y6^z0
VAR Z 2s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 y3 x6 x9^y7 x7^y9 x8^y8 x6^y6
VAR Z 2s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x7^y8 x8^y7 x6^y6
VAR Z 2s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x8^y7 x7^y2^y8 x6^y6
VAR Z 4s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x7^y8 x8^y7 x6^y6
VAR Z 4s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x7^y8 x8^y2^y7 x6^y6
VAR Z 4s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x2^x7^y8 x8^y2^y7 x6^y6
VAR Z 8s 8: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x8^y7 x7^y2^y8 x6^y6
VAR Z 8s 16: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y9 x2^x7^y8 x8^y2^y7 x6^y6
VAR Z 8s 32: x8^y4^y8 x4^y4^z1 x7^y5^z0 x5^y7 x3 y3 x6^y1^y9 x2^x7^y8 x8^y2^y7 x6^y6
3D D 8: x8^y4^y8 x4^y4 x7^y2^y5 x5^y7 z3 x3 z4 x6^y3^y6
3D D 16: x8^y4^y8 x4^y4 x7^y2^y5 x5^y7^z3 x2 z4 x3 x6^y3^y6
3D D 32: x8^y4^y8 x4^y4 x7^y2^y5 x5^y7^z2 x2 z3 x3 x6^y3^y6
"""

_RB_PLUS_4_PIPES_4_PACKERS = """
R 8: x6^y4^y6 x4^y4^z1 x5 x6 x9^y6 x7^y8 x8^y7 x5^y5^z0
R 16: x6^y4^y6 x4^y4^z1 y3 x5 x6^y8 x8^y6 x7^y7 x5^y5^z0
R 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7 x7^y6 x5^y5^z0
R 64: x6^y4^y6 x4^y4^z1 y2 x3 x7^y3 x5^y7 x6^y6 x5^y5^z0
R 128: x6^y4^y6 x4^y4^z1 x2 y2 x3^y7 x6^y3 x5^y6 x5^y5^z0
R 2s 8: x6^y4^y6 x4^y4^z1 x5 x6 x9^y6 x8^y7 x7^y8^s0 x5^y5^z0
R 2s 16: x6^y4^y6 x4^y4^z1 y3 x5 x6^y8 x8^y6 x7^y7^s0 x5^y5^z0
R 2s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x7^y6 x6^y7^s0 x5^y5^z0
R 2s 64: x6^y4^y6 x4^y4^z1 y2 x3 x7^y3 x5^y7 x6^y6^s0 x5^y5^z0
R 2s 128: x6^y4^y6 x4^y4^z1 x2 y2 x6^y3 x3^y7 x5^y6^s0 x5^y5^z0
R 4s 8: x6^y4^y6 x4^y4^z1 x5 x6 x9^y6 x7^y8^s0 x8^y7^s1 x5^y5^z0
R 4s 16: x6^y4^y6 x4^y4^z1 y3 x5 x6^y8 x8^y6^s0 x7^y7^s1 x5^y5^z0
R 4s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7^s0 x7^y6^s1 x5^y5^z0
R 4s 64: x6^y4^y6 x4^y4^z1 y2 x3 x8^y3 x6^y6^s0 x7^y5^s1 x5^y5^z0
R 4s 128: x6^y4^y6 x4^y4^z0 x2 y2 x6^y3 x3^y7 x5^y6^s0 x5^y5^s1
R 8s 8: x6^y4^y6 x4^y4^z1 x5 y6 x6^y9^s0 x8^y7^s1 x7^y8^s2 x5^y5^z0
R 8s 16: x6^y4^y6 x4^y4^z1 y3 x5 x6^y8^s0 x8^y6^s1 x7^y7^s2 x5^y5^z0
R 8s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8^s0 x7^y6^s1 x6^y7^s2 x5^y5^z0
R 8s 64: x6^y4^y6 x4^y4^z0 y2 x3 x7^y3 x5^y7^s0 x6^y6^s1 x5^y5^s2
R 8s 128: x6^y4^y6 x4^y4^s2 x2 y2 x6^y3 x3^y7 x5^y6^s0 x5^y5^s1
Z 8: x6^y4^y6 x4^y4^z1 x5 x6 x9^y6 x7^y8 x8^y7 x5^y5^z0
Z 16: x6^y4^y6 x4^y4^z1 y3 x5 x6^y8 x8^y6 x7^y7 x5^y5^z0
Z 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7 x7^y6 x5^y5^z0
Z 64: x6^y4^y6 x4^y4^z1 y2 x3 x7^y3 x5^y7 x6^y6 x5^y5^z0
Z 2s 8: x6^y4^y6 x4^y4^z1 y3 x5 x8^y6 x6^y8 x7^y7 x5^y5^z0
Z 2s 16: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7 x7^y6 x5^y5^z0
Z 2s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x7^y6 x6^y2^y7 x5^y5^z0
Z 4s 8: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7 x7^y6 x5^y5^z0
Z 4s 16: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x6^y7 x7^y2^y6 x5^y5^z0
Z 4s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x2^x6^y7 x7^y2^y6 x5^y5^z0
Z 8s 8: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x7^y6 x6^y2^y7 x5^y5^z0
Z 8s 16: x6^y4^y6 x4^y4^z1 x3 y3 x5^y8 x2^x6^y7 x7^y2^y6 x5^y5^z0
Z 8s 32: x6^y4^y6 x4^y4^z1 x3 y3 x5^y1^y8 x2^x6^y7 x7^y2^y6 x5^y5^z0
3D D 8: x6^y4^y6 x4^y4 y2 y3 z3 x3 z4 x5^y5
3D D 16: x6^y4^y6 x4^y4 z3 y3 x2 z4 x3 x5^y2^y5
3D D 32: x6^y4^y6 x4^y4 z2 y3 x2 z3 x3 x5^y2^y5
"""

_TABLES = {(False, 4, 0): _PLAIN_16_PIPES, (True, 4, 4): _RB_PLUS_16_PIPES_16_PACKERS,
           (True, 2, 2): _RB_PLUS_4_PIPES_4_PACKERS}


@cache
def _lines(text: str) -> dict[str, str]:
    return dict(line.split(": ") for line in text.strip().splitlines())


def backend_equation(config: AddressConfig, order: str, block_log2: int, element_log2: int, samples_log2: int,
                     thick: bool) -> tuple[frozenset[tuple[str, int]] | None, Terms]:
    """What replaces address bit 7 (None: nothing), and address bits 8 and up.

    UnsupportedError where nobody tabulated the equation.
    """
    table = _TABLES.get((config.rb_plus, config.pipes, config.packers))
    if table is None:
        raise UnsupportedError(f"order {order} with GB_ADDR_CONFIG.NUM_PIPES = {config.pipes} and NUM_PKRS",
                               config.packers)
    where = "3D " if thick else "VAR " if block_log2 != 16 else ""
    samples = f" {1 << samples_log2}s" if samples_log2 else ""
    key = f"{where}{order}{samples} {8 << element_log2}"
    line = _lines(table).get(key)
    if line is None:
        raise UnsupportedError(f"equation of {key} bpp on RB+")
    rest = [frozenset((name[0], int(name[1:])) for name in term.split("^")) for term in line.split()]
    # 256 bytes of one-byte elements: without RB+ the first pipe bit tells y3, so y4 takes its place
    swaps = not config.rb_plus and not thick and element_log2 == 0 and (order == "R" or not samples_log2)
    return (frozenset({("y", 4)}) if swaps else None), rest
