"""Entry point of `li`: find the command, run it, turn its result into an exit code.

Start-up time matters: help and version come from a table, and a command's module is imported only when it is called.
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
_COLLECT_AFTER = 50_000  # new objects; by default 700, which an import of modules makes dozens of times, all to stay


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    try:
        code = _answer(arguments, is_process=argv is None)
        flush()
        return code
    except BrokenPipeError:
        # the reader closed the pipe (`li state ls | head`): not a failure
        give_up()
        return 0
    except LionError as error:
        _report(error, arguments)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0


def _answer(arguments: list[str], *, is_process: bool) -> int:
    if not arguments or (len(arguments) == 1 and arguments[0] in _HELP):
        emit(registry.overview())
        return 0
    if arguments in (["version"], ["--version"], ["-V"]):
        emit(f"lion-studio {__version__}\n")
        return 0
    if arguments[0] == "__complete":
        from lionstudio.cli._completion.values import complete

        return complete(arguments[1:])
    options, rest = _leading_options(arguments)
    if rest and rest[0] == "help":
        rest = [*rest[1:], "--help"]
    if rest and rest[0] == "--version":
        rest[0] = "version"
    if not is_process:
        return _dispatch(rest, options)
    import gc

    if rest[:1] != ["studio"]:  # the memory of a server counts more than its start
        gc.set_threshold(_COLLECT_AFTER)
    try:
        return _dispatch(rest, options)
    finally:
        gc.freeze()  # the end of the process would look through all objects twice


def _leading_options(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split off the global options before the command: `li --json state ls`."""
    takes_value = {option: bool(value) for option, value, _ in registry.GLOBAL_OPTIONS}
    end = 0
    while end < len(arguments) and (option := arguments[end].partition("=")[0]) in takes_value:
        end += 2 if takes_value[option] and "=" not in arguments[end] else 1
    return arguments[:end], arguments[end:]


def _dispatch(rest: list[str], options: list[str]) -> int:
    group = rest[0] if rest and rest[0] in registry.GROUPS else ""
    if group and (len(rest) == 1 or rest[1] in _HELP):
        if len(rest) > 1:
            emit(registry.group_overview(group))
            return 0
        sys.stderr.write(registry.group_overview(group))
        return InvalidInput.exit_code
    length = 2 if group else 1
    name = " ".join(rest[:length])
    if not rest or rest[0] in _HELP:
        emit(registry.overview())
        return 0
    if name not in registry.COMMANDS:
        from lionstudio.cli._toolkit.suggest import unknown_command

        raise unknown_command(name)
    return _run(name, options + rest[length:])


def _run(name: str, rest: list[str]) -> int:
    import signal

    from lionstudio.cli._toolkit.args import load, parse
    from lionstudio.cli._toolkit.location import check_location
    from lionstudio.cli._toolkit.printed_commands import remember_location

    if name in registry.LASTING:
        from lionstudio.system.watchdog_process import make_memory_private

        make_memory_private()
    command = load(name)
    args = parse(name, rest)
    remember_location(rest)
    check_location(args, creates=name in registry.CREATING)
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:  # not in the main thread: the embedding program handles signals
        return command.run(args)
    try:
        return command.run(args)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)


def _prepare_streams() -> None:
    """Escape characters that the encoding lacks; replace a closed stream by the null device."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (for the whole process)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _report(error: LionError, arguments: list[str]) -> None:
    from lionstudio.cli._toolkit.error_output import report
    from lionstudio.cli._toolkit.printed_commands import remember_location

    remember_location(arguments)  # it may have failed before its arguments were parsed
    try:
        sys.stdout.flush()
        report(error, as_json="--json" in arguments, plain="--no-color" in arguments)
        sys.stderr.flush()
    except OSError:
        give_up()
