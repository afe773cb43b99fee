"""Occlusion queries and pipeline statistics of real draws, all by commands."""

import numpy as np
import pytest
from scene import Scene

from refgpu import pm4
from refgpu.base.errors import InputError, UnsupportedError

QUERY = 0x1_5000_0000
SQUARE = [(-1, -1, 0.5, 1), (1, -1, 0.5, 1), (-1, 1, 0.5, 1), (-1, 1, 0.5, 1), (1, -1, 0.5, 1), (1, 1, 0.5, 1)]
COUNT_CONTROL = 0x1  # DB_COUNT_CONTROL
COUNTING = 0x11000102


def event(kind, index, offset):
    return pm4.packet("EVENT_WRITE", kind | index << 8, QUERY + offset & 0xFFFFFFFF, QUERY >> 32)


def draw(count):
    return pm4.packet("DRAW_INDEX_AUTO", count, 2)


def counting(word):
    return pm4.packet("SET_CONTEXT_REG", COUNT_CONTROL, word)


@pytest.fixture
def scene():
    scene = Scene(64, 32, z_format=3)
    scene.depth_state(1)  # LESS
    scene.clear_depth(1.0)
    scene.memory.map(QUERY, 0x1000)
    scene.bind(np.array(SQUARE, np.float32))
    return scene


def samples(scene, offset=0):
    pairs = scene.memory.view(QUERY + offset, 256, np.uint64).reshape(16, 2)
    return int((pairs[:, 1] - pairs[:, 0]).sum())


def test_occlusion_query_of_a_counted_draw(scene):
    scene.gpu.submit(pm4.encode([
        draw(3), counting(COUNTING), event(21, 1, 0), draw(6), event(21, 1, 8), draw(6), event(21, 1, 0x108),
        event(21, 1, 0x200), counting(0), draw(6), counting(COUNTING | 1), draw(6), event(21, 1, 0x208),
    ]))  # fmt: skip
    first = 64 * 32 // 2  # what the uncounted triangle left to pass
    assert samples(scene) == first
    assert samples(scene, 0x200) == 0
    assert scene.memory.view(QUERY + 0x108, 8, np.uint64)[0] == (1 << 63) + first  # the second square hides behind


def test_predicated_draw_follows_the_query(scene):
    again = pm4.packet("DRAW_INDEX_AUTO", 6, 2, predicate=True)
    predicate = pm4.packet("SET_PREDICATION", 1 << 16 | 1 << 8, QUERY & 0xFFFFFFFF, QUERY >> 32)
    scene.gpu.submit(pm4.encode([counting(COUNTING), event(21, 1, 0), draw(6), event(21, 1, 8), predicate, again]))
    assert scene.gpu.report.draws == 2
    scene.gpu.submit(pm4.encode([event(21, 1, 0), draw(6), event(21, 1, 8), predicate, again]))
    assert scene.gpu.report.draws == 3


def test_pipeline_statistics_of_a_draw(scene):
    start, stop = pm4.packet("EVENT_WRITE", 25), pm4.packet("EVENT_WRITE", 26)
    scene.gpu.submit(pm4.encode([draw(6), start, draw(3), stop, draw(6), event(30, 2, 0)]))
    found = scene.memory.view(QUERY, 88, np.uint64).tolist()
    assert found[1:3] == [1, 1]  # one triangle into the clipper and out of it
    assert found[3] == 3         # vertex shader
    assert found[6:8] == [1, 3]  # input primitives and vertices
    assert found[4:6] == found[8:10] == [0, 0]


def test_counting_only_some_slices_is_refused(scene):
    with pytest.raises(UnsupportedError, match="SLICE_ODD_ENABLE"):
        scene.gpu.submit(pm4.encode([counting(0x01000102), draw(3)]))


def test_queues_of_a_gpu_wait_for_each_other(scene):
    def release(offset):
        return pm4.packet("RELEASE_MEM", 0x514, 1 << 29, QUERY + offset & 0xFFFFFFFF, QUERY >> 32, 1, 0, 0)

    def wait(offset):
        return pm4.packet("WAIT_REG_MEM", 0x13, QUERY + offset & 0xFFFFFFFF, QUERY >> 32, 1, 0xFF, 4)

    gds = pm4.packet("WRITE_DATA", 3 << 8, 0x10, 0, 77)
    back = pm4.packet("COPY_DATA", 3 | 5 << 8, 0x10, 0, QUERY & 0xFFFFFFFF, QUERY >> 32)
    scene.gpu.submit_queues(
        graphics=[pm4.encode([draw(6), wait(8), back, draw(6)])], compute=[pm4.encode([gds, release(8)])]
    )
    assert scene.gpu.report.draws == 2
    assert scene.memory.word(QUERY) == 77
    with pytest.raises(InputError, match=r"deadlock: nothing meets what graphics .* and compute"):
        scene.gpu.submit_queues([wait(0x80).words], [wait(0x84).words])
