"""Which stand-in runs for the machine code that the registers point at, and the stage's user data."""

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import USER_DATA_WORDS

from .base.errors import InputError, UnsupportedError
from .memory import normalize
from .registers import RegisterFile
from .shaders import PixelShader, Shader, VertexShader

UserData = npt.NDArray[np.uint32]


class Bindings:
    """Stand-ins by stage and code address."""

    def __init__(self, registers: RegisterFile):
        self._registers = registers
        self._bound: dict[str, dict[int | None, Shader]] = {"vs": {}, "ps": {}, "cs": {}}

    def bind(self, stage: str, shader: Shader, address: int | None) -> None:
        """Bind a stand-in; InputError when the stage is unknown or does not fit the shader."""
        if stage not in self._bound:
            raise InputError(f"no shader stage {stage!r}; stages: {', '.join(self._bound)}")
        if not isinstance(shader, Shader) or shader.stage != stage:
            raise InputError(f"{shader!r} is no shader for stage {stage!r}")
        self._bound[stage][None if address is None else normalize(address)] = shader

    def _find(self, stage: str, register: str) -> tuple[Shader | None, int]:
        high = self._registers.word(register.replace("_LO_", "_HI_")) & 0xFF
        address = high << 40 | self._registers.word(register) << 8
        bound = self._bound[stage]
        return bound.get(address) or bound.get(None), address

    def _user_data(self, name: str) -> UserData:
        register = self._registers.register(f"{name}_0")
        words = self._registers.words(register.bank)
        return words[register.offset : register.offset + USER_DATA_WORDS]

    def vertex(self) -> tuple[VertexShader, UserData]:
        """Shader and user data of the stage that makes positions: VS, or ES with NGG."""
        ngg = self._registers["VGT_SHADER_STAGES_EN"].PRIMGEN_EN
        slot, data = ("ES", "SPI_SHADER_USER_DATA_GS") if ngg else ("VS", "SPI_SHADER_USER_DATA_VS")
        shader, address = self._find("vs", f"SPI_SHADER_PGM_LO_{slot}")
        if not isinstance(shader, VertexShader):
            raise UnsupportedError(f"machine code at {address:#x} (SPI_SHADER_PGM_LO_{slot}): bind a stand-in with "
                                   f'gpu.bind("vs", shader)')
        return shader, self._user_data(data)

    def pixel(self) -> tuple[PixelShader | None, UserData]:
        """Shader and user data of the pixel stage; None when there is neither code nor a stand-in."""
        shader, address = self._find("ps", "SPI_SHADER_PGM_LO_PS")
        if shader is None and address:
            raise UnsupportedError(f"machine code at {address:#x} (SPI_SHADER_PGM_LO_PS): bind a stand-in with "
                                   f'gpu.bind("ps", shader)')
        assert shader is None or isinstance(shader, PixelShader)
        return shader, self._user_data("SPI_SHADER_USER_DATA_PS")
