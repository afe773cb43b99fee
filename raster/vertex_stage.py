"""Vertex stage: batches of vertices through the shader, then clip codes, viewport transform and snapping."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import call_address
from .assembly import draw_of, fetch_index
from .clip import CODE_CULL_SHIFT, CODE_NAN, FIRST_DISTANCE, enabled_planes, position_codes
from .draw_table import D
from .layout import BATCH_LANES, ROW, VS_IN_INDEX, VS_IN_INSTANCE, VS_OUT_MISC, F, S, VertexFlag
from .viewport import reciprocal_w, snap, snap_lanes, viewport_of, window_xy, window_z

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
def window_position(x, y, z, w, state_i, state_f, state_row):
    """Viewport transform of a position, float32: window X and Y, depth, 1/w."""
    vte = state_i[state_row, _VTE]
    variants = state_i[state_row, _VARIANTS]
    reciprocal = reciprocal_w(w, vte)
    window_x = window_xy(x, reciprocal, state_f[state_row, _XSCALE], state_f[state_row, _XOFFSET], vte, 0, variants)
    window_y = window_xy(y, reciprocal, state_f[state_row, _YSCALE], state_f[state_row, _YOFFSET], vte, 1, variants)
    depth = window_z(z, reciprocal, state_f[state_row, _ZSCALE], state_f[state_row, _ZOFFSET], vte, variants)
    return window_x, window_y, depth, reciprocal


@kernel
def not_a_number(window_x, window_y, depth, w):
    """Whether a vertex makes its primitive vanish: NaN in the window position, the depth or w.  [RAST-NAN]"""
    return window_x != window_x or window_y != window_y or depth != depth or w != w


@kernel
def store_window_position(row, x, y, z, w, state_i, state_f, state_row, screen_xy, screen_zw):
    """Viewport transform and snapping of one vertex; False when something is NaN."""
    window_x, window_y, depth, reciprocal = window_position(x, y, z, w, state_i, state_f, state_row)
    vtx = state_i[state_row, _VTX]
    variants = state_i[state_row, _VARIANTS]
    screen_zw[row, 0] = depth
    screen_zw[row, 1] = reciprocal
    screen_xy[row, 0] = snap(window_x, vtx, state_i[state_row, _CENTRE_X], variants)
    screen_xy[row, 1] = snap(window_y, vtx, state_i[state_row, _CENTRE_Y], variants)
    return not not_a_number(window_x, window_y, depth, w)


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
def batch_codes(lanes, outputs, state_i, state_f, base, planes, codes):
    """Codes of a batch for the planes of the view volume."""
    clip = state_i[base, _CLIP]
    clip_h, clip_v = state_f[base, _GB_HORZ_CLIP], state_f[base, _GB_VERT_CLIP]
    disc_h, disc_v = state_f[base, _GB_HORZ_DISC], state_f[base, _GB_VERT_DISC]
    for lane in range(lanes):
        codes[lane] = position_codes(outputs[lane], outputs[ROW + lane], outputs[2 * ROW + lane],
                                     outputs[3 * ROW + lane], planes, clip, clip_h, clip_v, disc_h, disc_v)


@kernel
def batch_distances(lanes, outputs, first, state_i, base, rows, codes, distances):
    """Add clip and cull distances to the codes of a batch, and keep them.  [RAST-CLIP-DISTANCE] [RAST-CULL-DISTANCE]"""
    clips, culls = state_i[base, _CLIP_DISTANCES], state_i[base, _CULL_DISTANCES]
    for k in range(state_i[base, _DISTANCES]):
        bits = np.int32(((clips >> k) & 1) << (FIRST_DISTANCE + k) | ((culls >> k) & 1) << (CODE_CULL_SHIFT + k))
        for lane in range(lanes):
            distance = outputs[(first + k) * ROW + lane]
            distances[rows[lane], k] = distance
            if not distance >= _ZERO:
                codes[lane] |= bits


@kernel
def batch_window(lanes, outputs, state_i, state_f, base, window, snapped, codes):
    """Window positions of a batch that has one viewport, in planes: depth and 1/w, and the snapped X and Y."""
    vte = state_i[base, _VTE]
    vtx = state_i[base, _VTX]
    variants = state_i[base, _VARIANTS]
    centre_x, centre_y = state_i[base, _CENTRE_X], state_i[base, _CENTRE_Y]
    for lane in range(lanes):
        window[3 * ROW + lane] = reciprocal_w(outputs[3 * ROW + lane], vte)
    scale, offset = state_f[base, _XSCALE], state_f[base, _XOFFSET]
    for lane in range(lanes):
        window[lane] = window_xy(outputs[lane], window[3 * ROW + lane], scale, offset, vte, 0, variants)
    scale, offset = state_f[base, _YSCALE], state_f[base, _YOFFSET]
    for lane in range(lanes):
        window[ROW + lane] = window_xy(outputs[ROW + lane], window[3 * ROW + lane], scale, offset, vte, 1, variants)
    scale, offset = state_f[base, _ZSCALE], state_f[base, _ZOFFSET]
    for lane in range(lanes):
        window[2 * ROW + lane] = window_z(outputs[2 * ROW + lane], window[3 * ROW + lane], scale, offset, vte, variants)
    snap_lanes(lanes, window, vtx, centre_x, variants, snapped)
    snap_lanes(lanes, window[ROW:], vtx, centre_y, variants, snapped[ROW:])
    for lane in range(lanes):
        if not_a_number(window[lane], window[ROW + lane], window[2 * ROW + lane], outputs[3 * ROW + lane]):
            codes[lane] |= np.int32(CODE_NAN)


@kernel
def scatter_positions(lanes, rows, outputs, window, snapped, positions, screen_xy, screen_zw):
    """Positions and window positions of a batch to the tables of the pass."""
    for lane in range(lanes):
        row = np.int64(rows[lane])
        screen_xy[row, 0] = snapped[lane]
        screen_xy[row, 1] = snapped[ROW + lane]
        screen_zw[row, 0] = window[2 * ROW + lane]
        screen_zw[row, 1] = window[3 * ROW + lane]
        positions[row, 0] = outputs[lane]
        positions[row, 1] = outputs[ROW + lane]
        positions[row, 2] = outputs[2 * ROW + lane]
        positions[row, 3] = outputs[3 * ROW + lane]


@kernel
def scatter_misc(d, draws, lanes, rows, outputs, state_i, state_f, misc, screen_xy, screen_zw, batch):
    """Misc vectors of a batch; window positions again for vertices that chose a viewport."""
    base = draws[d, _STATE]
    chooses = state_i[base, _FLAGS] & _VIEWPORT_FLAG != 0
    for lane in range(lanes):
        bits = np.float32(outputs[(VS_OUT_MISC + 2) * ROW + lane]).view(np.int32)
        misc[rows[lane]] = bits
        if chooses:
            batch[lane] &= ~np.int32(CODE_NAN)
            if not store_window_position(np.int64(rows[lane]), outputs[lane], outputs[ROW + lane],
                                         outputs[2 * ROW + lane], outputs[3 * ROW + lane], state_i, state_f,
                                         base + viewport_of(bits, draws[d, _VIEWPORTS]), screen_xy, screen_zw):
                batch[lane] |= np.int32(CODE_NAN)


@kernel
def scatter_parameters(lanes, rows, outputs, first, parameters, params):
    """Parameters of a batch to the table of the pass; those that the shader does not export are 0."""
    for parameter in range(parameters):
        source = (first + 4 * parameter) * ROW
        for lane in range(lanes):
            row = np.int64(rows[lane])
            params[row, 4 * parameter] = outputs[source + lane]
            params[row, 4 * parameter + 1] = outputs[source + ROW + lane]
            params[row, 4 * parameter + 2] = outputs[source + 2 * ROW + lane]
            params[row, 4 * parameter + 3] = outputs[source + 3 * ROW + lane]
    for k in range(4 * parameters, params.shape[1]):
        for lane in range(lanes):
            params[rows[lane], k] = _ZERO


@kernel
def scatter_codes(lanes, rows, batch, codes):
    """Codes of a batch to the table of the pass; returns their OR."""
    seen = np.int32(0)
    for lane in range(lanes):
        codes[rows[lane]] = batch[lane]
        seen |= batch[lane]
    return np.int64(seen)


@kernel
def shade_rows(begin, end, draws, state_i, state_f, marks, inputs, outputs, rows, input_address, output_address,
               positions, distances, misc, codes, screen_xy, screen_zw, params, window, snapped, batch):
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
            base = draws[d, _STATE]
            has_misc = state_i[base, _FLAGS] & _MISC_FLAG != 0
            at = np.int64(VS_OUT_MISC + 4 if has_misc else VS_OUT_MISC)
            planes = enabled_planes(state_i[base, _CLIP], state_i[base, _CLIP_DISTANCES])
            batch[:lanes] = 0
            if planes:
                batch_codes(lanes, outputs, state_i, state_f, base, planes, batch)
                batch_distances(lanes, outputs, at, state_i, base, rows, batch, distances)
            batch_window(lanes, outputs, state_i, state_f, base, window, snapped, batch)
            scatter_positions(lanes, rows, outputs, window, snapped, positions, screen_xy, screen_zw)
            if has_misc:
                scatter_misc(d, draws, lanes, rows, outputs, state_i, state_f, misc, screen_xy, screen_zw, batch)
            seen |= scatter_codes(lanes, rows, batch, codes)
            scatter_parameters(lanes, rows, outputs, at + state_i[base, _DISTANCES], state_i[base, _PARAMETERS], params)
            shaded += lanes
    return seen, shaded
