"""Runs `refgpu` command lines in this process."""

import contextlib
import io

from refgpu import cli


def run(*arguments):
    """(exit code, stdout, stderr) of a command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as leave:
            code = leave.code
    return code, out.getvalue(), err.getvalue()


def assert_bad_input(result, *words):
    """Exit code 2, and one line on stderr with these words."""
    code, out, err = result
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    for word in words:
        assert word in err
