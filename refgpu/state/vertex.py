"""PA_CL and PA_SU vertex side: clip control, viewport transform, guard band, snapping, vertex output vectors."""

from refgpu.raster.layout import F, S, VertexFlag

from ..base.errors import UnsupportedError
from .block import Block, Columns, Words, as_float, require

VIEWPORTS = 16
_SCREEN_OFFSET_PIXELS = 16
_FRACTION_BITS = {0: 8, 1: 8, 2: 8, 3: 8, 4: 8, 5: 8, 6: 10, 7: 12}  # PA_SU_VTX_CNTL.QUANT_MODE


def _decode_vertex(words: Words) -> tuple[Columns, VertexFlag]:
    require(words, {
        "PA_CL_CLIP_CNTL": {**{f"UCP_ENA_{plane}": 0 for plane in range(6)}, "UCP_CULL_ONLY_ENA": 0,
                            "ZCLIP_PROG_NEAR_ENA": 0},
        "PA_CL_VS_OUT_CNTL": {"USE_VTX_KILL_FLAG": 0, "USE_VTX_EDGE_FLAG": 0, "USE_VTX_GS_CUT_FLAG": 0,
                              "USE_VTX_LINE_WIDTH": 0, "USE_VTX_VRS_RATE": 0},
        "PA_CL_NANINF_CNTL": {"VTE_XY_INF_DISCARD": 0, "VTE_Z_INF_DISCARD": 0, "VTE_W_INF_DISCARD": 0,
                              "VTE_0XNANINF_IS_0": 0, "VTE_XY_NAN_RETAIN": 0, "VTE_Z_NAN_RETAIN": 0,
                              "VTE_W_NAN_RETAIN": 0, "VTE_W_RECIP_NAN_IS_0": 0, "VS_XY_NAN_TO_INF": 0,
                              "VS_XY_INF_RETAIN": 0, "VS_Z_NAN_TO_INF": 0, "VS_Z_INF_RETAIN": 0,
                              "VS_W_NAN_TO_INF": 0, "VS_W_INF_RETAIN": 0, "VS_CLIP_DIST_INF_DISCARD": 0},
    })
    vtx, screen_offset = words["PA_SU_VTX_CNTL"], words["PA_SU_HARDWARE_SCREEN_OFFSET"]
    out = words["PA_CL_VS_OUT_CNTL"]
    flags = VertexFlag(0)
    if out.VS_OUT_MISC_VEC_ENA:
        flags |= VertexFlag.MISC
        flags |= VertexFlag.VIEWPORT if out.USE_VTX_VIEWPORT_INDX else VertexFlag(0)
        flags |= VertexFlag.LAYER if out.USE_VTX_RENDER_TARGET_INDX else VertexFlag(0)
    columns = Columns(
        {
            S.CLIP: int(words["PA_CL_CLIP_CNTL"]),
            S.VTE: int(words["PA_CL_VTE_CNTL"]),
            S.VTX: int(vtx),
            S.SUBPIXEL_BITS: _FRACTION_BITS[vtx.QUANT_MODE],
            S.CLIP_DISTANCES: int(out) & 0xFF,
            S.CULL_DISTANCES: int(out) >> 8 & 0xFF,
            S.SCREEN_OFFSET_X: screen_offset.HW_SCREEN_OFFSET_X * _SCREEN_OFFSET_PIXELS,
            S.SCREEN_OFFSET_Y: screen_offset.HW_SCREEN_OFFSET_Y * _SCREEN_OFFSET_PIXELS,
            S.VERTEX_FLAGS: int(flags),
        },
        {
            F.GB_VERT_CLIP: as_float(words["PA_CL_GB_VERT_CLIP_ADJ"]),
            F.GB_VERT_DISC: as_float(words["PA_CL_GB_VERT_DISC_ADJ"]),
            F.GB_HORZ_CLIP: as_float(words["PA_CL_GB_HORZ_CLIP_ADJ"]),
            F.GB_HORZ_DISC: as_float(words["PA_CL_GB_HORZ_DISC_ADJ"]),
        },
    )
    return columns, flags


vertex_block = Block(
    ("PA_CL_CLIP_CNTL", "PA_CL_VTE_CNTL", "PA_SU_VTX_CNTL", "PA_CL_VS_OUT_CNTL", "PA_CL_NANINF_CNTL",
     "PA_SU_HARDWARE_SCREEN_OFFSET",
     "PA_CL_GB_VERT_CLIP_ADJ", "PA_CL_GB_VERT_DISC_ADJ", "PA_CL_GB_HORZ_CLIP_ADJ", "PA_CL_GB_HORZ_DISC_ADJ"),
    _decode_vertex,
)

_TRANSFORM = {"XSCALE": F.XSCALE, "XOFFSET": F.XOFFSET, "YSCALE": F.YSCALE, "YOFFSET": F.YOFFSET,
              "ZSCALE": F.ZSCALE, "ZOFFSET": F.ZOFFSET}


def _viewport_block(index: int) -> Block[Columns]:
    suffix = f"_{index}" if index else ""
    names = {f"PA_CL_VPORT_{name}{suffix}": column for name, column in _TRANSFORM.items()}
    names |= {f"PA_SC_VPORT_ZMIN_{index}": F.ZMIN, f"PA_SC_VPORT_ZMAX_{index}": F.ZMAX}

    def decode(words: Words) -> Columns:
        return Columns({}, {column: float(as_float(words[name])) for name, column in names.items()})

    return Block(tuple(names), decode)


viewport_blocks = tuple(_viewport_block(index) for index in range(VIEWPORTS))


def check_outputs(flags: VertexFlag, distances: int, columns: tuple[int, int], shader_flags: VertexFlag,
                  name: str) -> None:
    """Refuse a vertex shader that does not export what PA_CL_VS_OUT_CNTL reads."""
    if flags & (VertexFlag.VIEWPORT | VertexFlag.LAYER) and not shader_flags & VertexFlag.MISC:
        raise UnsupportedError(f"PA_CL_VS_OUT_CNTL.VS_OUT_MISC_VEC_ENA with shader {name!r}, which exports none")
    needed = (columns[0] | columns[1]).bit_length()
    if needed > distances:
        raise UnsupportedError(f"PA_CL_VS_OUT_CNTL uses distance {needed - 1}; shader {name!r} exports {distances}")
