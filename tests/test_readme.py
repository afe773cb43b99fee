"""The README and the examples do what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from refgpu import cli

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


COMMANDS = [line for block in fenced("sh") for line in block.splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder in which the demo has run, smaller than by default, and an environment where `refgpu` is a command."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "bin").mkdir()
    shim = folder / "bin" / "refgpu"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m refgpu.cli "$@"\n')
    shim.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    shell("refgpu demo --size 96", folder, environment)
    return folder, environment


def shell(command, folder, environment, expected=0):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == expected, f"{command}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    return done.stdout


def test_the_first_two_commands_install_and_run_and_ci_runs_them():
    assert COMMANDS[:2] == ["pip install . && refgpu demo", "pip install '.[test]' && python -m pytest"]
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert '"${readme[0]}"' in script
    assert '"${readme[1]}"' in script


def test_every_further_command_works(place):
    folder, environment = place
    assert len(COMMANDS) > 6
    for line in COMMANDS[2:]:
        command, _, comment = line.partition("#")
        assert command.startswith("refgpu ")
        code = re.search(r"exit code (\d)", comment)
        shell(command, folder, environment, int(code[1]) if code else 0)
    for name in ("hardware/color0.npy", "hardware/color0.png", "two-passes/color0.npy", "order.html"):
        assert (folder / "out" / name).stat().st_size > 100


def test_every_command_of_the_tool_is_shown():
    for module in cli.COMMANDS:
        command = module.__name__.rpartition(".")[2].replace("_", "-")
        assert f"refgpu {command}" in README


def test_python_code_works(place):
    folder, environment = place
    blocks = fenced("python")
    assert blocks
    for number, block in enumerate(blocks):
        (folder / f"block{number}.py").write_text(block)
        printed = shell(f'"{sys.executable}" block{number}.py', folder, environment)
        # Half the square without the diagonal: its pixel centres lie on a right edge (top-left rule). 0.5 is code 128.
        assert printed == "32640 pixels, 0xff0080ff\n"


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example, place):
    _, environment = place
    assert shell(f'"{sys.executable}" "{example}"', ROOT, environment)


def test_links_and_pictures_are_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).is_file(), target


def test_readme_is_short():
    assert len(README.splitlines()) < 130
