"""Builds small scenes the way a driver would: guest memory, registers, V#s, stand-in shaders."""

import numpy as np

import refgpu
from refgpu import shaders, texture

COLOR_ADDRESS = 0x1_0000_0000
DEPTH_ADDRESS = 0x1_1000_0000
STENCIL_ADDRESS = 0x1_2000_0000
VERTEX_ADDRESS = 0x1_3000_0000
INDEX_ADDRESS = 0x1_4000_0000

NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS = range(8)
TRILIST, TRIFAN, TRISTRIP, RECTLIST = 4, 5, 6, 17
LINEAR, Z_X, R_X = 0, 24, 27
FMT_32_32_32_32_FLOAT = 77
BIAS_Z32F, BIAS_Z24, BIAS_Z16 = 0x1E9, 0xE8, 0xF0
TWO_SIDED_BIAS = 0x01001A48  # PA_SU_SC_MODE_CNTL of cases.md B01: both faces' offsets enabled, FACE 0


def vsharp(address, stride, records, format_=FMT_32_32_32_32_FLOAT, oob_select=1):
    """V# words with DST_SEL XYZW."""
    return [address & 0xFFFFFFFF, address >> 32 | stride << 16, records,
            0x00000FAC | format_ << 12 | 1 << 24 | oob_select << 28]


class Scene:
    """A Gpu with one colour and one depth/stencil target, set up as RADV does for a plain draw."""

    def __init__(self, width=256, height=256, *, color=10, number_type=0, swizzle=LINEAR, z_format=0, stencil=False,
                 profile="gfx1013", threads=2, **options):
        self.memory = refgpu.Memory()
        self.gpu = refgpu.Gpu(self.memory, profile, threads=threads, **options)
        self.width, self.height = width, height
        self._next_vertex = VERTEX_ADDRESS
        r = self.registers = self.gpu.registers
        self.viewport(0, 0, width, height)
        r["PA_CL_VTE_CNTL"] = 0x43F
        r["PA_CL_CLIP_CNTL"] = 0x01080000
        r["PA_SU_VTX_CNTL"] = 0x2D
        r["PA_SU_SC_MODE_CNTL"] = 0x240
        for name in ("VERT_CLIP", "HORZ_CLIP"):
            r.set_float(f"PA_CL_GB_{name}_ADJ", 64.0)
        r["PA_SC_MODE_CNTL_0"] = 0x2
        r["VGT_PRIMITIVE_TYPE"] = TRILIST
        r["CB_COLOR_CONTROL"] = 0x00CC0010
        r["CB_TARGET_MASK"] = 0xF
        r["CB_SHADER_MASK"] = 0xF
        r["SPI_SHADER_COL_FORMAT"] = 9
        if color:
            self.color_target(0, color, number_type, swizzle)
        if z_format or stencil:
            self.depth_target(z_format, stencil)

    def color_target(self, n, format_, number_type=0, swizzle=LINEAR, swap=0):
        r, address = self.registers, COLOR_ADDRESS + n * 0x0100_0000
        self.memory.map(address, 16 * (self.width + 256) * (self.height + 256))
        r[f"CB_COLOR{n}_BASE"] = address >> 8 & 0xFFFFFFFF
        r[f"CB_COLOR{n}_BASE_EXT"] = address >> 40
        r[f"CB_COLOR{n}_INFO"] = format_ << 2 | number_type << 8 | swap << 11 | (number_type in (0, 1, 6)) << 15
        r[f"CB_COLOR{n}_ATTRIB2"] = self.width - 1 << 14 | self.height - 1
        r[f"CB_COLOR{n}_ATTRIB3"] = swizzle << 14 | 1 << 24

    def depth_target(self, z_format, stencil=False, swizzle=Z_X):
        r = self.registers
        size = 4 * (self.width + 256) * (self.height + 256)
        self.memory.map(DEPTH_ADDRESS, size)
        self.memory.map(STENCIL_ADDRESS, size)
        r["DB_Z_INFO"] = z_format | swizzle << 4
        r["DB_STENCIL_INFO"] = int(stencil) | swizzle << 4
        for plane, address in (("Z", DEPTH_ADDRESS), ("STENCIL", STENCIL_ADDRESS)):
            for way in ("READ", "WRITE"):
                r[f"DB_{plane}_{way}_BASE"] = address >> 8 & 0xFFFFFFFF
                r[f"DB_{plane}_{way}_BASE_HI"] = address >> 40
        r["DB_DEPTH_SIZE_XY"] = self.width - 1 | self.height - 1 << 16

    def viewport(self, x, y, width, height, index=0, zmin=0.0, zmax=1.0):
        r, suffix = self.registers, f"_{index}" if index else ""
        for name, value in (("XSCALE", width / 2), ("XOFFSET", x + width / 2), ("YSCALE", height / 2),
                            ("YOFFSET", y + height / 2), ("ZSCALE", zmax - zmin), ("ZOFFSET", zmin)):
            r.set_float(f"PA_CL_VPORT_{name}{suffix}", value)
        r.set_float(f"PA_SC_VPORT_ZMIN_{index}", min(zmin, zmax))
        r.set_float(f"PA_SC_VPORT_ZMAX_{index}", max(zmin, zmax))
        r[f"PA_SC_VPORT_SCISSOR_{index}_TL"] = 0x80000000
        r[f"PA_SC_VPORT_SCISSOR_{index}_BR"] = self.width | self.height << 16

    def depth_state(self, func=ALWAYS, write=True, enable=True):
        self.registers.set_fields("DB_DEPTH_CONTROL", Z_ENABLE=int(enable), Z_WRITE_ENABLE=int(write), ZFUNC=func)

    def clear_depth(self, value):
        """Fill the depth plane's bytes with a Z32F value."""
        size = 4 * (self.width + 256) * (self.height + 256)
        self.memory.fill(DEPTH_ADDRESS, size, int(np.float32(value).view(np.uint32)))

    def clear_stencil(self, value):
        self.memory.fill(STENCIL_ADDRESS, 4 * (self.width + 256) * (self.height + 256), value * 0x01010101)

    def buffer(self, array):
        """Put float32 rows into guest memory; returns a Buffer over them."""
        array = np.ascontiguousarray(array, np.float32)
        if array.shape[-1] < 4:
            fill = np.ones((*array.shape[:-1], 4), np.float32)
            fill[..., 2] = 0
            fill[..., : array.shape[-1]] = array
            array = fill
        address = self._next_vertex
        self._next_vertex += array.nbytes + 0x1000 & ~0xFFF
        self.memory.map(address, array.nbytes)
        self.memory.write(address, array)
        return texture.Buffer.from_words(vsharp(address, 16, len(array)), self.memory)

    def bind(self, positions, color=(1.0, 1.0, 1.0, 1.0), attributes=(), pixel=None):
        """Bind a pass-through vertex shader and a flat (or given) pixel shader."""
        buffers = [self.buffer(rows) for rows in attributes]
        self.gpu.bind("vs", shaders.vertex(position=self.buffer(positions), attributes=buffers))
        self.gpu.bind("ps", pixel or shaders.flat(*color))

    def draw(self, positions, color=(1.0, 1.0, 1.0, 1.0), attributes=(), pixel=None):
        """Draw rows of x, y(, z(, w)) as they come."""
        self.bind(positions, color, attributes, pixel)
        self.gpu.draw_auto(len(positions))

    def covered(self):
        """bool[height, width]: pixels whose first colour word is not 0."""
        words = self.gpu.color(0).words()[0]
        return (words if words.ndim == 2 else words.any(axis=-1)) != 0
