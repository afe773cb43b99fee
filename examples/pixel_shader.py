"""A pixel shader of one's own: rings around the middle of the target, with a hole that is discarded."""

import math

import numpy as np

import refgpu
from refgpu import shaders, texture

SIZE = 64
TARGET, VERTICES = 0x1_0000_0000, 0x2_0000_0000


@shaders.pixel(position=True, kills=True)
def rings(inputs, outputs, live, constants, lanes):
    for lane in range(lanes):
        x = inputs[shaders.X, lane] - constants[0]
        y = inputs[shaders.Y, lane] - constants[0]
        radius = math.sqrt(x * x + y * y)
        if radius < constants[1]:
            live[lane] = 0
        for channel in range(3):
            outputs[channel, lane] = 0.5 + 0.5 * math.sin(radius * (0.4 + 0.2 * channel))
        outputs[3, lane] = 1.0


def main():
    memory = refgpu.Memory()
    memory.map(TARGET, SIZE * SIZE * 4)
    memory.map(VERTICES, np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32))
    gpu = refgpu.Gpu(memory)
    for name, word in {
        "CB_COLOR0_BASE": TARGET >> 8, "CB_COLOR0_INFO": 0x8028, "CB_COLOR0_ATTRIB2": SIZE - 1 << 14 | SIZE - 1,
        "CB_COLOR0_ATTRIB3": 0x01000000, "CB_COLOR_CONTROL": 0x00CC0010, "SPI_SHADER_COL_FORMAT": 9,
        "PA_CL_VTE_CNTL": 0x43F, "PA_SU_VTX_CNTL": 0x2D, "VGT_PRIMITIVE_TYPE": 4, "DB_SHADER_CONTROL": 1 << 6,
    }.items():
        gpu.registers[name] = word
    for name in ("XSCALE", "XOFFSET", "YSCALE", "YOFFSET"):
        gpu.registers.set_float(f"PA_CL_VPORT_{name}", SIZE / 2)
    vsharp = [VERTICES & 0xFFFFFFFF, VERTICES >> 32 | 16 << 16, 3, 0x1104DFAC]
    gpu.bind("vs", shaders.vertex(position=texture.Buffer.from_words(vsharp, memory)))
    gpu.bind("ps", rings.with_constants([SIZE / 2, 8.0]))
    gpu.draw_auto(3)
    words = gpu.color(0).words()[0]
    print(f"{(words != 0).sum()} of {words.size} pixels drawn, {(words == 0).sum()} discarded")


if __name__ == "__main__":
    main()
