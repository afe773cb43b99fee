"""The command line's contract: exit codes, one line for bad input, JSON, silence, pipes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import assert_bad_input, run

from refgpu import claims, cli
from refgpu.cli.output import Output
from refgpu.image_files import png_bytes

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def images(tmp_path):
    """Two .npy images with one differing pixel."""
    expected = np.zeros((70, 100, 4), np.uint8)
    actual = expected.copy()
    actual[66, 99, 1] = 3
    np.save(tmp_path / "expected.npy", expected)
    np.save(tmp_path / "actual.npy", actual)
    return tmp_path / "expected.npy", tmp_path / "actual.npy"


def process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", "refgpu.cli", *arguments], cwd=ROOT.parent, env=environment,
                          capture_output=True, text=True, timeout=120, check=False, **options)


# --- the frame ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "words"), [
    ((), ["COMMAND"]),
    (("no-such-command",), ["no-such-command"]),
    (("compare", "a.npy"), ["ACTUAL"]),
    (("compare", "a.npy", "b.npy", "--max-ulp", "-1"), ["--max-ulp"]),
    (("compare", "a.npy", "b.npy", "--max-pixels", "x"), ["--max-pixels"]),
    (("decode", "reg", "PA_SU_SC_MODE_CNTL"), ["WORD"]),
    (("decode", "reg", "PA_SU_SC_MODE_CNTL", "1", "--profile", "gfx9"), ["gfx9"]),
])
def test_wrong_usage_is_one_line(arguments, words):
    assert_bad_input(run(*arguments), *words)


def test_version_and_help():
    code, out, _ = run("--version")
    assert (code, out.split()[0]) == (0, "refgpu")
    code, out, _ = run("--help")
    assert code == 0
    for name in ("compare", "decode", "claims", "doctor"):
        assert name in out


@pytest.mark.parametrize("command", [module.__name__.rpartition(".")[2].replace("_", "-") for module in cli.COMMANDS])
def test_every_command_takes_json_and_quiet(command):
    arguments = (command, "reg", "--help") if command == "decode" else (command, "--help")
    code, out, _ = run(*arguments)
    assert code == 0
    assert "--json" in out
    assert "-q" in out


def test_importing_the_command_line_loads_no_compiler():
    code = ("import sys; from refgpu import cli; cli.build_parser(); "
            "sys.exit(bool({'numba', 'PIL', 'refgpu.gpu'} & set(sys.modules)))")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_reader_that_leaves_early_is_no_error():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-m", "refgpu.cli", "claims", "--json"], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        writer.stdout.close()
        error = writer.stderr.read()
        assert writer.wait(60) == 141
    assert error == b""


def test_keyboard_interrupt_ends_quietly(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.doctor, "run", interrupt)
    assert run("doctor") == (130, "", "")


def test_a_bug_is_not_mistaken_for_a_difference(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli.doctor, "run", fail)
    code, out, err = run("doctor")
    assert (code, out) == (70, "")
    assert "ZeroDivisionError: oops" in err
    assert "bug in refgpu" in err


def test_progress_shows_on_a_terminal_only(monkeypatch, capsys):
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal, raising=False)
        with Output().progress("draws", 2) as progress:
            progress.step("one")
        out, err = capsys.readouterr()
        assert out == ""
        assert ("draws 1/2 one" in err) == terminal


# --- claims ---------------------------------------------------------------------------------------------------------

def test_claims_lists_all_and_open_ones():
    code, out, _ = run("claims")
    assert code == 0
    assert all(id_ in out for id_ in claims.table())
    code, out, _ = run("claims", "--open", "--json")
    found = {claim["id"] for claim in json.loads(out)["claims"]}
    assert code == 0
    assert found == {claim.id for claim in claims.table().values() if claim.grade in ("inferred", "assumed")}


def test_one_claim_in_full():
    claim = next(iter(claims.table().values()))
    code, out, _ = run("claims", claim.id)
    assert code == 0
    for part in (claim.id, claim.grade, claim.source, claim.test):
        assert part in out


def test_claims_by_prefix_and_unknown_ones():
    prefix = next(iter(claims.table())).partition("-")[0] + "-"
    code, out, _ = run("claims", prefix, "--json")
    assert code == 0
    assert {claim["id"] for claim in json.loads(out)["claims"]} == {i for i in claims.table() if i.startswith(prefix)}
    assert_bad_input(run("claims", "NO-SUCH"), "NO-SUCH")


# --- decode ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["PA_SU_SC_MODE_CNTL", "context:0x205", "context:517"])
def test_decode_reg(name):
    code, out, _ = run("decode", "reg", name, "0x01001A48", "--json")
    data = json.loads(out)
    fields = {field["name"]: (field["value"], field["lsb"]) for field in data["fields"]}
    assert code == 0
    assert (data["register"], data["bank"], data["offset"]) == ("PA_SU_SC_MODE_CNTL", "context", 0x205)
    assert fields["POLY_OFFSET_FRONT_ENABLE"] == (1, 11)
    assert fields["POLY_OFFSET_BACK_ENABLE"] == (1, 12)
    assert (fields["CULL_FRONT"], fields["CULL_BACK"], fields["FACE"]) == ((0, 0), (0, 1), (0, 2))


def test_decode_reg_shows_floats_and_bits_of_no_field():
    code, out, _ = run("decode", "reg", "PA_SU_POLY_OFFSET_FRONT_SCALE", 0xC18CCCCD)
    assert code == 0
    assert "-17.6" in out
    code, out, _ = run("decode", "reg", "PA_SU_SC_MODE_CNTL", 0xFE000000, "--json")
    assert json.loads(out)["reserved_bits"] == 0xFE000000


@pytest.mark.parametrize(("arguments", "words"), [
    (("NO_SUCH_REGISTER", "1"), ["NO_SUCH_REGISTER"]),
    (("nowhere:1", "1"), ["nowhere"]),
    (("context:0x1FFF", "1"), ["0x1fff"]),
    (("context:", "1"), ["offset"]),
    (("PA_SU_SC_MODE_CNTL", "12z"), ["12z"]),
    (("PA_SU_SC_MODE_CNTL", "0x100000000"), ["32 bits"]),
    (("PA_SU_SC_MODE_CNTL", "-1"), ["-1"]),
])
def test_decode_reg_bad_input(arguments, words):
    assert_bad_input(run("decode", "reg", *arguments), *words)


# --- compare --------------------------------------------------------------------------------------------------------

def test_compare_equal_and_different(images):
    expected, actual = images
    assert run("compare", expected, expected)[0] == 0
    code, out, _ = run("compare", expected, actual)
    assert code == 1
    for words in ("1 of 7000", "x 99, y 66", "tile at x 64, y 64", "0, 3, 0, 0"):
        assert words in out


def test_compare_tolerances(images):
    expected, actual = images
    assert run("compare", expected, actual, "--max-pixels", 1)[0] == 0
    assert run("compare", expected, actual, "--max-ulp", 2)[0] == 1
    assert run("compare", expected, actual, "--max-ulp", 3)[0] == 0


def test_compare_json_and_quiet(images):
    code, out, _ = run("compare", *images, "--json")
    result = json.loads(out)["results"][""]
    assert code == 1
    assert (result["differing_pixels"], result["first"]["tile"]) == (1, [64, 64])
    assert result["bounding_box"] == [99, 66, 100, 67]
    assert run("compare", *images, "-q") == (1, "", "")


def test_compare_html(images, tmp_path):
    code, _, _ = run("compare", *images, "--html", tmp_path / "new" / "page.html")
    page = (tmp_path / "new" / "page.html").read_text("utf-8")
    assert code == 1
    assert page.count("data:image/png;base64,") == 6
    assert "http" not in page.replace("http-equiv", "")


def test_compare_bad_input(images, tmp_path):
    expected, _ = images
    (tmp_path / "text.npy").write_text("hello")
    np.save(tmp_path / "small.npy", np.zeros((2, 2), np.uint8))
    (tmp_path / "grey.png").write_bytes(png_bytes(np.zeros((2, 3), np.uint8)))
    assert_bad_input(run("compare", expected, tmp_path / "none.npy"), "none.npy", "No such file")
    assert_bad_input(run("compare", expected, tmp_path / "text.npy"), "text.npy")
    assert_bad_input(run("compare", expected, tmp_path / "small.npy"), "shape")
    assert_bad_input(run("compare", tmp_path / "small.npy", tmp_path / "grey.png"), "(2, 3)")
    assert_bad_input(run("compare", expected, tmp_path), "expected a .npy")
    assert_bad_input(run("compare", expected, expected, "--html", tmp_path / "small.npy" / "x.html"), "small.npy")


# --- doctor ---------------------------------------------------------------------------------------------------------

def test_doctor():
    code, out, _ = run("doctor", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["numpy"] == np.__version__
    assert found["threads used"] >= 1


def test_installed_entry_point_runs_as_a_module():
    done = process("decode", "reg", "CB_COLOR0_INFO", "0x28")
    assert (done.returncode, done.stderr) == (0, "")
    assert "FORMAT" in done.stdout
