"""Which stand-in runs for the machine code that the registers point at, and the stage's user data."""

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import USER_DATA_WORDS

from .base.errors import InputError, UnsupportedError
from .memory import normalize
from .registers import RegisterFile
from .shaders import PixelShader, Shader, VertexShader

UserData = npt.NDArray[np.uint32]


class _Slot:
    """Where one stage's code address and user data lie among the registers, found once: draws ask often."""

    def __init__(self, registers: RegisterFile, slot: str, user_data: str):
        self.register = f"SPI_SHADER_PGM_LO_{slot}"
        self._words = registers.storage
        self._low = registers.table.place(self.register)
        self._high = registers.table.place(f"SPI_SHADER_PGM_HI_{slot}")
        first = registers.register(f"{user_data}_0")
        self.user_data: UserData = registers.words(first.bank)[first.offset : first.offset + USER_DATA_WORDS]

    @property
    def address(self) -> int:
        """Guest address of the stage's code."""
        return (self._words.item(self._high) & 0xFF) << 40 | self._words.item(self._low) << 8


class Bindings:
    """Stand-ins by stage and code address."""

    def __init__(self, registers: RegisterFile):
        self._registers = registers
        self._stages = registers.register("VGT_SHADER_STAGES_EN").fields["PRIMGEN_EN"]
        self._vs = _Slot(registers, "VS", "SPI_SHADER_USER_DATA_VS")
        self._es = _Slot(registers, "ES", "SPI_SHADER_USER_DATA_GS")
        self._ps = _Slot(registers, "PS", "SPI_SHADER_USER_DATA_PS")
        self._bound: dict[str, dict[int | None, Shader]] = {"vs": {}, "ps": {}, "cs": {}}

    def bind(self, stage: str, shader: Shader, address: int | None) -> None:
        """Bind a stand-in; InputError when the stage is unknown or does not fit the shader."""
        if stage not in self._bound:
            raise InputError(f"no shader stage {stage!r}; stages: {', '.join(self._bound)}")
        if not isinstance(shader, Shader) or shader.stage != stage:
            raise InputError(f"{shader!r} is no shader for stage {stage!r}")
        self._bound[stage][None if address is None else normalize(address)] = shader

    def _find(self, stage: str, slot: _Slot) -> tuple[Shader | None, int]:
        address = slot.address
        bound = self._bound[stage]
        return bound.get(address) or bound.get(None), address

    def vertex(self) -> tuple[VertexShader, UserData]:
        """Shader and user data of the stage that makes positions: VS, or ES with NGG."""
        slot = self._es if self._stages.get(self._registers.word("VGT_SHADER_STAGES_EN")) else self._vs
        shader, address = self._find("vs", slot)
        if not isinstance(shader, VertexShader):
            raise UnsupportedError(f"machine code at {address:#x} ({slot.register}): bind a stand-in with "
                                   f'gpu.bind("vs", shader)')
        return shader, slot.user_data

    def pixel(self) -> tuple[PixelShader | None, UserData]:
        """Shader and user data of the pixel stage; None when there is neither code nor a stand-in."""
        shader, address = self._find("ps", self._ps)
        if shader is None and address:
            raise UnsupportedError(f"machine code at {address:#x} (SPI_SHADER_PGM_LO_PS): bind a stand-in with "
                                   f'gpu.bind("ps", shader)')
        assert shader is None or isinstance(shader, PixelShader)
        return shader, self._ps.user_data
