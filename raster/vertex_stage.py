"""Vertex stage: batches of vertices through the shader, then clip codes, viewport transform and snapping."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import call_address
from .assembly import draw_of, fetch_index
from .clip import CODE_CULL_SHIFT, CODE_NAN, FIRST_DISTANCE, enabled_planes, position_codes
from .draw_table import D
from .layout import BATCH_LANES, ROW, VS_IN_INDEX, VS_IN_INSTANCE, VS_OUT_MISC, F, S, VertexFlag
from .viewport import reciprocal_w, snap, window_xy, window_z

_VERTICES: Final = int(D.VERTICES)
_INSTANCES: Final = int(D.INSTANCES)
_INDICES: Final = int(D.INDICES)
_BYTES: Final = int(D.INDEX_BYTES)
_LENGTH: Final = int(D.INDEX_LENGTH)
_OFFSET: Final = int(D.INDEX_OFFSET)
_RESTART: Final = int(D.RESTART)
_SHADER: Final = int(D.SHADER)
_CONSTANTS: Final = int(D.CONSTANTS)
_STATE: Final = int(D.STATE)
_VIEWPORTS: Final = int(D.VIEWPORTS)
_ROWS: Final = int(D.ROWS)
_FIRST_ROW: Final = int(D.FIRST_ROW)
_BY_POSITION: Final = int(D.BY_POSITION)
_LOWEST: Final = int(D.LOWEST)
_MARKS: Final = int(D.MARKS)
_CLIP: Final = int(S.CLIP)
_VTE: Final = int(S.VTE)
_VTX: Final = int(S.VTX)
_VARIANTS: Final = int(S.VARIANTS)
_CENTRE_X: Final = int(S.SCREEN_OFFSET_X)
_CENTRE_Y: Final = int(S.SCREEN_OFFSET_Y)
_CLIP_DISTANCES: Final = int(S.CLIP_DISTANCES)
_CULL_DISTANCES: Final = int(S.CULL_DISTANCES)
_DISTANCES: Final = int(S.DISTANCE_COUNT)
_PARAMETERS: Final = int(S.PARAMETER_COUNT)
_FLAGS: Final = int(S.VERTEX_FLAGS)
_MISC_FLAG: Final = int(VertexFlag.MISC)
_VIEWPORT_FLAG: Final = int(VertexFlag.VIEWPORT)
_XSCALE: Final = int(F.XSCALE)
_XOFFSET: Final = int(F.XOFFSET)
_YSCALE: Final = int(F.YSCALE)
_YOFFSET: Final = int(F.YOFFSET)
_ZSCALE: Final = int(F.ZSCALE)
_ZOFFSET: Final = int(F.ZOFFSET)
_GB_VERT_CLIP: Final = int(F.GB_VERT_CLIP)
_GB_VERT_DISC: Final = int(F.GB_VERT_DISC)
_GB_HORZ_CLIP: Final = int(F.GB_HORZ_CLIP)
_GB_HORZ_DISC: Final = int(F.GB_HORZ_DISC)
_ZERO: Final = np.float32(0)


@kernel
def store_window_position(row, x, y, z, w, state_i, state_f, screen_xy, screen_zw):
    """Viewport transform and snapping of one vertex with one state row; False when something is NaN.

    [RAST-NAN]
    """
    vte = state_i[_VTE]
    vtx = state_i[_VTX]
    variants = state_i[_VARIANTS]
    reciprocal = reciprocal_w(w, vte)
    window_x = window_xy(x, reciprocal, state_f[_XSCALE], state_f[_XOFFSET], vte, 0, variants)
    window_y = window_xy(y, reciprocal, state_f[_YSCALE], state_f[_YOFFSET], vte, 1, variants)
    depth = window_z(z, reciprocal, state_f[_ZSCALE], state_f[_ZOFFSET], vte, variants)
    screen_zw[row, 0] = depth
    screen_zw[row, 1] = reciprocal
    if window_x != window_x or window_y != window_y or depth != depth or w != w:
        screen_xy[row, 0] = 0
        screen_xy[row, 1] = 0
        return False
    screen_xy[row, 0] = snap(window_x, vtx, state_i[_CENTRE_X], variants)
    screen_xy[row, 1] = snap(window_y, vtx, state_i[_CENTRE_Y], variants)
    return True


@kernel
def fill_lanes(d, draws, row, stop, marks, inputs, rows):
    """Fill a batch with vertices from row on; returns the number of lanes and the next row."""
    local = row - draws[d, _FIRST_ROW]
    per_instance = draws[d, _ROWS]
    instance = local // per_instance
    within = local - instance * per_instance
    size = draws[d, _BYTES]
    by_position = draws[d, _BY_POSITION]
    lowest = draws[d, _LOWEST]
    first_mark = draws[d, _MARKS]
    offset = draws[d, _OFFSET]
    lanes = np.int64(0)
    while row < stop and lanes < BATCH_LANES:
        index = within
        used = True
        if size:
            if by_position:
                index = fetch_index(draws[d, _INDICES], size, draws[d, _LENGTH], within)
                if index == draws[d, _RESTART]:
                    index = lowest
            else:
                index = lowest + within
                used = marks[first_mark + within] != 0
        if used:
            index = (index + offset) & 0xFFFFFFFF
            inputs[VS_IN_INDEX * ROW + lanes] = np.int32(index - ((index >> 31) << 32))
            inputs[VS_IN_INSTANCE * ROW + lanes] = np.int32(instance)
            rows[lanes] = np.int32(row)
            lanes += 1
        row += 1
        within += 1
        if within == per_instance:
            within = np.int64(0)
            instance += 1
    return lanes, row


@kernel
def take_outputs(d, draws, lanes, rows, outputs, state_i, state_f, positions, distances, misc, codes, screen_xy,
                 screen_zw, params):
    """Scatter a shaded batch to the tables of the pass; returns the OR of the vertices' codes."""
    base = draws[d, _STATE]
    flags = state_i[base, _FLAGS]
    clip = state_i[base, _CLIP]
    planes = enabled_planes(clip, state_i[base, _CLIP_DISTANCES])
    cull = state_i[base, _CULL_DISTANCES] if planes else np.int64(0)
    seen = np.int64(0)
    at = np.int64(VS_OUT_MISC)
    if flags & _MISC_FLAG:
        at += 4
    first_distance = at
    count = state_i[base, _DISTANCES]
    at += count
    for lane in range(lanes):
        row = np.int64(rows[lane])
        x = outputs[lane]
        y = outputs[ROW + lane]
        z = outputs[2 * ROW + lane]
        w = outputs[3 * ROW + lane]
        positions[row, 0] = x
        positions[row, 1] = y
        positions[row, 2] = z
        positions[row, 3] = w
        state_row = base
        if flags & _MISC_FLAG:
            bits = np.float32(outputs[(VS_OUT_MISC + 2) * ROW + lane]).view(np.int32)
            misc[row] = bits
            viewport = (np.int64(bits) >> 16) & 15
            if flags & _VIEWPORT_FLAG and viewport < draws[d, _VIEWPORTS]:
                state_row += viewport
        code = np.int64(0)
        if planes:
            code = position_codes(x, y, z, w, planes, clip, state_f[base, _GB_HORZ_CLIP], state_f[base, _GB_VERT_CLIP],
                                  state_f[base, _GB_HORZ_DISC], state_f[base, _GB_VERT_DISC])
            for k in range(count):
                distance = outputs[(first_distance + k) * ROW + lane]
                distances[row, k] = distance
                if not distance >= _ZERO:
                    code |= planes & (np.int64(1) << (FIRST_DISTANCE + k))
                    code |= (cull & (np.int64(1) << k)) << CODE_CULL_SHIFT
        if not store_window_position(row, x, y, z, w, state_i[state_row], state_f[state_row], screen_xy, screen_zw):
            code |= CODE_NAN
        codes[row] = np.int32(code)
        seen |= code
    for k in range(4 * state_i[base, _PARAMETERS]):
        source = (at + k) * ROW
        for lane in range(lanes):
            params[rows[lane], k] = outputs[source + lane]
    return seen


@kernel
def shade_rows(begin, end, draws, state_i, state_f, marks, inputs, outputs, rows, input_address, output_address,
               positions, distances, misc, codes, screen_xy, screen_zw, params):
    """Shade rows [begin, end) of the pass; returns the OR of their codes, and how many were shaded."""
    d = draw_of(begin, draws, _FIRST_ROW)
    row = begin
    seen = np.int64(0)
    shaded = np.int64(0)
    while row < end:
        while row >= draws[d, _FIRST_ROW] + draws[d, _ROWS] * draws[d, _INSTANCES]:
            d += 1
        stop = min(end, draws[d, _FIRST_ROW] + draws[d, _ROWS] * draws[d, _INSTANCES])
        lanes, row = fill_lanes(d, draws, row, stop, marks, inputs, rows)
        if lanes:
            call_address(draws[d, _SHADER], input_address, output_address, draws[d, _CONSTANTS], lanes, 0)
            seen |= take_outputs(d, draws, lanes, rows, outputs, state_i, state_f, positions, distances, misc, codes,
                                 screen_xy, screen_zw, params)
            shaded += lanes
    return seen, shaded
