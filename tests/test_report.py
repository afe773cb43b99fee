"""What a draw says of itself: counts, claims it rested on, and the alternatives it was told to follow."""

import pytest
from scene import ALWAYS, Scene

from refgpu.base.claims import table
from refgpu.base.errors import InputError, UnsupportedError
from refgpu.state.rests_on import rule_ids

TRIANGLE = [(-1, -1, 0.5), (1, -1, 0.5), (-1, 1, 0.5)]


def test_every_rule_names_a_claim():
    assert rule_ids() <= set(table())


def test_a_plain_draw_rests_on_little_and_blending_adds_its_claim():
    scene = Scene(32, 32)
    scene.draw(TRIANGLE)
    scene.gpu.finish()
    assert "BLEND-ROUND" not in scene.gpu.report.claims
    assert "DEPTH-PLANE" not in scene.gpu.report.claims
    scene.registers["CB_BLEND0_CONTROL"] = 0x40000101
    scene.draw(TRIANGLE)
    scene.gpu.finish()
    assert "BLEND-ROUND" in scene.gpu.report.claims


def test_clipping_is_told_from_what_happened():
    scene = Scene(32, 32)
    scene.draw(TRIANGLE)
    scene.gpu.finish()
    assert "RAST-CLIP-VERTEX" not in scene.gpu.report.claims
    scene.draw([(*p[:2], z) for p, z in zip(TRIANGLE, (-0.5, 0.5, 0.5), strict=True)])
    scene.gpu.finish()
    assert "RAST-CLIP-VERTEX" in scene.gpu.report.claims


def test_only_open_claims_are_listed():
    scene = Scene(32, 32, z_format=3)
    scene.depth_state(ALWAYS)
    scene.draw(TRIANGLE)
    scene.gpu.finish()
    assert scene.gpu.report.claims
    assert all(table()[id_].open for id_ in scene.gpu.report.claims)


def test_counts():
    scene = Scene(32, 32)
    scene.draw(TRIANGLE * 2)
    scene.gpu.finish()
    assert scene.gpu.report.draws == 1
    assert scene.gpu.report.counts["triangles"] == 2
    covered = int(scene.covered().sum())
    assert scene.gpu.report.counts["pixels_covered"] == 2 * covered


def test_a_variant_changes_what_its_claim_says():
    """The right edge from (-0.3/256, 0) to (257/256, 1) passes the sample of pixel (0, 0), or stops exactly on it."""
    covered = []
    for variant in ({}, {"RAST-SNAP-TRUNCATE": "zero"}):
        scene = Scene(32, 32, variant=variant)
        scene.registers["PA_SU_VTX_CNTL"] = 0x29  # truncate to 1/256
        scene.draw([(x / 16 - 1, y / 16 - 1) for x, y in ((-0.3 / 256, 0), (257 / 256, 1), (-10, 1))])
        covered.append(bool(scene.covered()[0, 0]))
        assert "RAST-SNAP-TRUNCATE" in scene.gpu.report.claims
    assert covered == [False, True]


def test_unknown_claims_and_alternatives_are_refused():
    with pytest.raises(InputError, match="no claim"):
        Scene(variant={"NO-SUCH-CLAIM": "x"})
    with pytest.raises(InputError, match="separate, fused"):
        Scene(variant={"RAST-VTE-ROUND": "x"})
    with pytest.raises(UnsupportedError, match="HTILE-CLEARED-READ"):
        Scene(variant={"HTILE-CLEARED-READ": "word"})


def test_an_empty_rectangle_is_said_once():
    scene = Scene(32, 32)
    scene.registers["PA_SC_SCREEN_SCISSOR_BR"] = 0
    scene.draw(TRIANGLE)
    scene.draw(TRIANGLE)
    scene.gpu.finish()
    assert len(scene.gpu.report.warnings) == 1
    assert "PA_SC_SCREEN_SCISSOR is empty" in scene.gpu.report.warnings[0]
