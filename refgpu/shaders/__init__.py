"""Stand-in shaders: built-in ones, and a user's own function over a batch.

A batch is a structure of arrays: row r of `inputs` and `outputs` is one register of all lanes. Pixel batches hold whole
quads, helper lanes included, so derivatives exist (`ddx`, `ddy`); `live` says which lanes count.

Examples
--------
A pixel shader that darkens attribute 0 by a constant and discards the transparent part:

>>> from refgpu import shaders
>>> @shaders.pixel(attributes=1, kills=True)
... def darken(inputs, outputs, live, constants, lanes):
...     for lane in range(lanes):
...         for channel in range(4):
...             outputs[channel, lane] = inputs[shaders.ATTRIBUTE + channel, lane] * constants[0]
...         if outputs[3, lane] < 0.5:
...             live[lane] = 0
>>> half = darken.with_constants([0.5])

A vertex shader that makes a full-screen triangle out of the vertex index:

>>> @shaders.vertex_function(parameters=0)
... def full_screen(inputs, outputs, constants, lanes):
...     for lane in range(lanes):
...         outputs[0, lane] = -1.0 if inputs[0, lane] != 2 else 3.0
...         outputs[1, lane] = -1.0 if inputs[0, lane] != 1 else 3.0
...         outputs[2, lane] = constants[0]
...         outputs[3, lane] = 1.0
"""

from refgpu.raster.layout import PS_IN_ATTRIBUTES as ATTRIBUTE
from refgpu.raster.layout import PS_IN_FACE as FACE
from refgpu.raster.layout import PS_IN_W as W
from refgpu.raster.layout import PS_IN_X as X
from refgpu.raster.layout import PS_IN_Y as Y
from refgpu.raster.layout import PS_IN_Z as Z

from .abi import PixelShader, Shader, VertexShader
from .derivatives import ddx, ddx_fine, ddy, ddy_fine
from .description import from_description
from .pixel_builtin import attribute, flat, user_data_color, weighted
from .user import pixel, vertex_function
from .vertex_builtin import clear_rect, vertex

__all__ = [
    "ATTRIBUTE",
    "FACE",
    "PixelShader",
    "Shader",
    "VertexShader",
    "W",
    "X",
    "Y",
    "Z",
    "attribute",
    "clear_rect",
    "ddx",
    "ddx_fine",
    "ddy",
    "ddy_fine",
    "flat",
    "from_description",
    "pixel",
    "user_data_color",
    "vertex",
    "vertex_function",
    "weighted",
]
