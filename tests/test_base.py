"""Floor 0: the kernel cache never serves stale code, fields and claims read as written."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu.base.bits import Bits, Fields, extract, insert, sign_extend
from refgpu.base.errors import InputError, RefGpuError, UnsupportedError
from refgpu.base.floats import bits_float, float_bits, fma

ROOT = Path(__file__).resolve().parent.parent


def copy_of_base(folder: Path) -> Path:
    (folder / "refgpu" / "base").mkdir(parents=True)
    for path in [ROOT / "refgpu" / "__init__.py", *(ROOT / "refgpu" / "base").glob("*.py")]:
        (folder / path.relative_to(ROOT)).write_text(path.read_text("utf-8"), "utf-8")
    return folder / "refgpu"


def test_an_edit_in_another_file_reaches_the_cached_caller(tmp_path):
    package = copy_of_base(tmp_path)
    (package / "outer.py").write_text(
        "from .base.kernel import kernel\nfrom .inner import rule\n"
        "@kernel\ndef run(x):\n    return rule(x) + 1\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "REFGPU_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("NUMBA_DISABLE_JIT", None)
    code = "from refgpu.outer import run; print(run(10), sum(run.stats.cache_hits.values()))"

    def run(factor: int) -> str:
        (package / "inner.py").write_text(
            f"from .base.kernel import kernel\n@kernel\ndef rule(x):\n    return x * {factor}\n")
        return subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True,
                              text=True, cwd=tmp_path).stdout.strip()

    assert run(2) == "21 0"
    assert run(2) == "21 1"  # the second process is served from disk
    assert run(3) == "31 0"
    assert run(2) == "21 1"


def test_decorating_leaves_the_users_numba_cache_folder_alone():
    import numba

    before = numba.config.CACHE_DIR
    import refgpu.base.floats  # noqa: F401

    assert before == numba.config.CACHE_DIR


@given(st.integers(0, 2**32 - 1), st.integers(0, 31), st.integers(1, 32))
def test_a_field_put_in_comes_out_and_nothing_else_moves(word, lsb, width):
    width = min(width, 32 - lsb)
    value = word & ((1 << width) - 1)
    changed = insert(0xFFFFFFFF, lsb, width, value)
    assert extract(changed, lsb, width) == value
    assert changed | (((1 << width) - 1) << lsb) == 0xFFFFFFFF


def test_signed_fields():
    assert sign_extend(0xE9, 8) == -23
    fields = Fields(0x1E9, {"NEG_NUM_DB_BITS": Bits(0, 8, signed=True), "DB_IS_FLOAT_FMT": Bits(8, 1)})
    assert fields.NEG_NUM_DB_BITS == -23
    assert fields["DB_IS_FLOAT_FMT"] == 1
    assert int(fields) == 0x1E9
    assert fields.replace(NEG_NUM_DB_BITS=-16) == 0x1F0
    with pytest.raises(InputError, match="does not fit"):
        fields.replace(DB_IS_FLOAT_FMT=2)
    with pytest.raises(AttributeError, match="no field 'NOPE'"):
        _ = fields.NOPE


@pytest.mark.jit_off
def test_fma_rounds_once():
    # (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24 exactly; two roundings would give 0
    a = np.float32(1 + 2.0**-12)
    assert fma(a, a, np.float32(-(1 + 2.0**-11))) == np.float32(2.0**-24)


@pytest.mark.jit_off
@given(st.integers(0, 2**32 - 1))
def test_float_bits_round_trip(bits):
    value = bits_float(np.uint32(bits))
    if value == value:
        assert int(float_bits(value)) == bits


def test_errors_name_the_feature_and_are_one_family():
    error = UnsupportedError("DB_Z_INFO.NUM_SAMPLES", 2)
    assert str(error) == "not supported yet: DB_Z_INFO.NUM_SAMPLES = 0x2"
    assert isinstance(error, RefGpuError)
