"""The command `li`: find the command, run it, turn its outcome into an exit code.

Start-up is a feature: help and version come from a table, and a command's module is loaded only when it is called.
"""

from __future__ import annotations

import os
import sys

from lionstudio import __version__
from lionstudio.cli import registry
from lionstudio.cli._toolkit.output import emit, flush, give_up
from lionstudio.errors import InvalidInput, LionError

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

INTERRUPTED = 130
TERMINATED = 143
_HELP = ("-h", "--help", "help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    try:
        code = _answer(given)
        flush()
        return code
    except BrokenPipeError:
        # whoever read has seen enough: that is no failure of ours
        give_up()
        return 0
    except LionError as error:
        _report(error, given)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0


def _answer(given: list[str]) -> int:
    if not given or (len(given) == 1 and given[0] in _HELP):
        emit(registry.overview())
        return 0
    if given in (["version"], ["--version"], ["-V"]):
        emit(f"lion-studio {__version__}\n")
        return 0
    options, rest = _leading_options(given)
    if rest and rest[0] == "help":
        rest = [*rest[1:], "--help"]
    if rest and rest[0] == "--version":
        rest[0] = "version"
    return _dispatch(rest, options)


def _leading_options(given: list[str]) -> tuple[list[str], list[str]]:
    """Options of every command may stand before its name: `li --json state ls`."""
    takes_value = {option: bool(value) for option, value, _ in registry.GLOBAL_OPTIONS}
    end = 0
    while end < len(given) and (option := given[end].partition("=")[0]) in takes_value:
        end += 2 if takes_value[option] and "=" not in given[end] else 1
    return given[:end], given[end:]


def _dispatch(rest: list[str], options: list[str]) -> int:
    group = rest[0] if rest and rest[0] in registry.GROUPS else ""
    if group and (len(rest) == 1 or rest[1] in _HELP):
        if len(rest) > 1:
            emit(registry.group_overview(group))
            return 0
        sys.stderr.write(registry.group_overview(group))
        return InvalidInput.exit_code
    size = 2 if group else 1
    name = " ".join(rest[:size])
    if not rest or rest[0] in _HELP:
        emit(registry.overview())
        return 0
    if name not in registry.COMMANDS:
        from lionstudio.cli._toolkit.suggest import unknown_command

        raise unknown_command(name)
    return _run(name, options + rest[size:])


def _run(name: str, rest: list[str]) -> int:
    import signal

    from lionstudio.cli._toolkit.args import load, parse

    command = load(name)
    args = parse(name, rest)
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:  # not in the main thread: whoever embeds us looks after signals
        return command.run(args)
    try:
        return command.run(args)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)


def _prepare_streams() -> None:
    """Text that the terminal's encoding lacks is spelled out; a closed stream swallows what it is given."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (for the whole process)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _report(error: LionError, given: list[str]) -> None:
    from lionstudio.cli._toolkit.error_output import report

    try:
        sys.stdout.flush()
        report(error, as_json="--json" in given, plain="--no-color" in given)
        sys.stderr.flush()
    except OSError:
        give_up()
