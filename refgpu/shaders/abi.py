"""What the pipeline knows of a shader: an address, what it reads and writes, and a block of constants.

The block starts with the 32 SPI_SHADER_USER_DATA words, then one int64 the shader may set to report a fault, one int64
that counts the constants, then the constants themselves. Everything a kernel needs lies behind that one address.
"""

import copy
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import numba
import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import USER_DATA_WORDS, PixelFlag, VertexFlag

from ..base.claims import Variant
from ..base.errors import InputError
from ..base.kernel import Callback

SIGNATURE: Final = numba.void(*[numba.int64] * 5)

STATUS: Final = struct.Struct("=q")
USER_DATA_BYTES: Final = 4 * USER_DATA_WORDS
STATUS_BYTE: Final = USER_DATA_BYTES        # int64: 0 fine, else the shader's own number for what went wrong
COUNT_BYTE: Final = STATUS_BYTE + 8         # int64: how many constants follow
CONSTANTS_BYTE: Final = COUNT_BYTE + 8
DISCARDED: Final = -1                       # status of a pixel shader that cleared `live` without saying that it kills


class Shader:
    """Base of all shaders; `stage` is ``"vs"``, ``"ps"`` or ``"cs"``."""

    stage = ""

    def __init__(self, callback: Callback, name: str):
        self.callback = callback
        self.name = name
        self.constants: npt.NDArray[Any] = np.zeros(0, np.float32)  # replaced, never changed
        self._template: tuple[object, npt.NDArray[np.uint8]] = None, np.zeros(0, np.uint8)  # block of which constants

    def with_constants(self, constants: Sequence[float] | npt.NDArray[Any]) -> Self:
        """A copy of this shader that reads these constants (float32, or any 4- or 8-byte array)."""
        other = copy.copy(self)
        array = np.asarray(constants)
        if array.dtype.kind in "fiu" and array.dtype.itemsize in (4, 8) and isinstance(constants, np.ndarray):
            other.constants = array.reshape(-1).copy()
        else:
            other.constants = np.ascontiguousarray(array, np.float32).reshape(-1)
        return other

    def block(self, memory: Any, user_data: npt.NDArray[np.uint32],
              highest_index: Callable[[], int] | None = None, variant: Variant | None = None) -> npt.NDArray[np.uint8]:
        """Block of constants for one draw; keep it alive until the draw has run.

        Parameters
        ----------
        memory : Memory
            For shaders that read guest memory.
        user_data : uint32[32]
        highest_index : callable, optional
            Gives the highest vertex index of the draw, for shaders that must know which bytes they will read.
        variant : Variant, optional
            Alternatives of contested claims to follow.
        """
        of, template = self._template
        if of is not self.constants:
            template = np.zeros(CONSTANTS_BYTE + self.constants.nbytes, np.uint8)
            template[COUNT_BYTE:CONSTANTS_BYTE].view(np.int64)[0] = self.constants.size
            template[CONSTANTS_BYTE:] = self.constants.view(np.uint8)
            self._template = self.constants, template
        block = template.copy()
        block[:USER_DATA_BYTES] = user_data.view(np.uint8)
        return block

    def check(self, block: npt.NDArray[np.uint8]) -> None:
        """Raise what the shader reported through its block."""
        (status,) = STATUS.unpack_from(block.data, STATUS_BYTE)
        if status == DISCARDED:
            raise InputError(f"pixel shader {self.name!r} discards but was made without kills=True; "
                             "nothing was discarded")
        if status:
            raise InputError(f"shader {self.name!r} reported status {status}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class VertexShader(Shader):
    """A vertex shader.

    Parameters
    ----------
    callback : Callback
    name : str
    parameters : int
        Parameters it exports, 4 floats each.
    distances : int
        Clip and cull distances it exports, 0 to 8.
    flags : VertexFlag
    """

    stage = "vs"

    def __init__(self, callback: Callback, name: str, *, parameters: int = 0, distances: int = 0,
                 flags: int = 0):
        super().__init__(callback, name)
        if not 0 <= parameters <= 32 or not 0 <= distances <= 8:
            raise InputError(f"shader {name!r}: {parameters} parameters (0..32), {distances} distances (0..8)")
        self.parameters = parameters
        self.distances = distances
        self.flags = VertexFlag(flags)

    @property
    def signature(self) -> tuple[object, ...]:
        """What decoding a draw looks at."""
        return self.name, self.parameters, self.distances, self.flags

    @property
    def output_rows(self) -> int:
        """Rows of its output batch."""
        return 4 + (4 if self.flags & VertexFlag.MISC else 0) + self.distances + 4 * self.parameters


class PixelShader(Shader):
    """A pixel shader.

    Parameters
    ----------
    callback : Callback
    name : str
    attributes : int
        Attributes it reads, 4 floats each.
    exports : int
        Colour exports, export n feeds MRT n.
    flags : PixelFlag
    first_attribute : int
        The SPI_PS_INPUT_CNTL that describes its first attribute.
    linear : int
        Mask over its attributes: interpolated without perspective (it uses the LINEAR_CENTER barycentrics).
    """

    stage = "ps"

    def __init__(self, callback: Callback, name: str, *, attributes: int = 0, exports: int = 1,
                 flags: int = 0, first_attribute: int = 0, linear: int = 0):
        super().__init__(callback, name)
        if not 0 <= attributes <= 32 or not 0 <= exports <= 8:
            raise InputError(f"shader {name!r}: {attributes} attributes (0..32), {exports} exports (0..8)")
        self.attributes = attributes
        self.first_attribute = first_attribute
        self.linear = linear
        self.exports = exports
        self.flags = PixelFlag(flags)

    @property
    def signature(self) -> tuple[object, ...]:
        """What decoding a draw looks at."""
        return self.name, self.attributes, self.exports, self.flags, self.first_attribute, self.linear
