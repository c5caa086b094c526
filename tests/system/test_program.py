"""Agent programs: their output is complete, and no process that they started outlives them."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.waiting import wait_until

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.system import program as program_module
from lionstudio.system.procfs import has_ended, read_stat
from lionstudio.system.program import Program, find_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ENV = {"PATH": os.environ.get("PATH", os.defpath)}
MEGABYTE = 1024 * 1024


def python(code: str) -> list[str]:
    """A program of these lines."""
    return [sys.executable, "-c", code]


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return not has_ended(read_stat(pid))
    except OSError:
        return False


def zombies() -> set[int]:
    """The zombie children."""
    found = set()
    for entry in os.listdir("/proc"):
        with suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{int(entry)}/stat").read_bytes().rpartition(b")")[2].split()
            if int(stat[1]) == os.getpid() and stat[0] == b"Z":
                found.add(int(entry))
    return found


def descriptors() -> int:
    """How many files this process has open."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A program that ignores TERM is killed after half a second, and no zombie stays."""
    before = zombies()
    monkeypatch.setattr(program_module, "GRACE_SECONDS", 0.5)
    yield
    deadline = time.monotonic() + 3
    while zombies() - before and time.monotonic() < deadline:
        time.sleep(0.02)  # one that died just now is about to be laid to rest
        with suppress(OSError):
            os.waitpid(-1, os.WNOHANG)
    assert zombies() - before == set()


def run(
    argv: list[str], stdin: bytes | None = None, cwd: str = "/", *, by_file: bool = False
) -> tuple[list[bytes], int, str]:
    """Run a program to its end."""

    async def to_the_end() -> tuple[list[bytes], int, str]:
        async with Program(argv, cwd=cwd, env=ENV, stdin=stdin, by_file=by_file) as program:
            lines = [line async for line in program.lines()]
            return lines, await program.wait(), program.stderr_tail

    return asyncio.run(to_the_end())


by_both = pytest.mark.parametrize("by_file", [False, True], ids=["pipe", "file"])


@by_both
def test_lines_are_whole_and_include_an_unfinished_last_one(by_file: bool) -> None:
    code = "import sys; sys.stdout.write('one\\n\\ntwo'); sys.stdout.flush(); sys.stderr.write('oh\\nno\\n')"

    assert run(python(code), by_file=by_file) == ([b"one", b"", b"two"], 0, "oh\nno")


def test_line_from_file_arrives_at_once() -> None:
    async def seen() -> list[float]:
        at = []
        code = "import time\nfor n in range(3): print(n, flush=True); time.sleep(0.5)"
        async with Program(python(code), cwd="/", env=ENV, by_file=True) as program:
            async for _ in program.lines():
                at.append(time.monotonic())
        return at

    first, second, third = asyncio.run(seen())
    assert second - first > 0.3
    assert third - second > 0.3


def test_output_file_frees_bytes_already_read() -> None:
    kept: list[int] = []

    async def blocks() -> int:
        code = f"for _ in range(64): print('x' * {MEGABYTE}, flush=True)"
        async with Program(python(code), cwd="/", env=ENV, by_file=True) as program:
            read = sum([len(line) async for line in program.lines()])
            assert program._outfile is not None
            kept.append(os.fstat(program._outfile.fileno()).st_blocks * 512)
            return read

    assert asyncio.run(blocks()) == 64 * MEGABYTE
    assert kept[0] < 40 * MEGABYTE


def test_output_file_polls_without_inotify(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "_watch", lambda descriptor: None)
    code = "import time\nfor n in range(3): print(n, flush=True); time.sleep(0.2)"

    assert run(python(code), by_file=True)[0] == [b"0", b"1", b"2"]


def test_program_reads_prompt_from_stdin() -> None:
    code = "import sys; print(sys.stdin.buffer.read()[::-1].decode())"

    assert run(python(code), b"live" * 50_000)[0] == [b"evil" * 50_000]
    assert run(python("import sys; print(repr(sys.stdin.read()))"))[0] == [b"''"]


@by_both
def test_line_of_100_megabytes_is_whole(by_file: bool) -> None:
    code = "import sys\nfor _ in range(100): sys.stdout.write('x' * (1 << 20))\nprint('\\nend')"
    lines, exit_code, _ = run(python(code), by_file=by_file)

    assert [len(line) for line in lines] == [100 * MEGABYTE, 3]
    assert exit_code == 0


@by_both
def test_line_beyond_the_limit_is_split_without_loss(by_file: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "LONGEST_LINE", 3 * MEGABYTE)
    lines, _, _ = run(python(f"print('x' * {10 * MEGABYTE}); print('end')"), by_file=by_file)

    assert len(lines) > 2
    assert b"".join(lines) == b"x" * (10 * MEGABYTE) + b"end"


def test_line_keeps_bytes_that_are_not_text() -> None:
    code = "import sys; sys.stdout.buffer.write(b'a\\xff\\x00b\\n'); sys.stderr.buffer.write(b'\\xfe!')"

    assert run(python(code)) == ([b"a\xff\x00b"], 0, "\\xfe!")


@pytest.mark.parametrize(
    ("code", "expected"),
    [("pass", 0), ("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137), ("os.abort()", 1)],
)
def test_wait_returns_shell_exit_codes(code: str, expected: int) -> None:
    assert run(python(code))[1] == expected


def test_stderr_tail_keeps_the_end_of_a_flood() -> None:
    _, _, words = run(python(f"import sys; sys.stderr.write('é' * {5 * MEGABYTE} + '\\nthe end\\n')"))

    assert words.endswith("é\nthe end")
    assert len(words) < MEGABYTE


def test_program_gets_only_the_given_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    (line,) = run(python("import json, os; print(json.dumps(dict(os.environ)))"))[0]
    seen = set(json.loads(line)) - {"LC_CTYPE"}  # Python's own

    assert seen == {"PATH"}


def test_find_program_hints_how_to_install() -> None:
    with pytest.raises(NotFound, match="no-such-program is not installed") as caught:
        find_program("no-such-program", ENV, "buy it")
    assert caught.value.hint == "buy it"


@pytest.mark.parametrize(
    ("argv", "cwd"), [(["/no/such/program"], "/"), (["/etc/passwd"], "/"), (python("pass"), "/no/such/folder")]
)
def test_program_start_failure_leaks_no_descriptor(argv: list[str], cwd: str) -> None:
    before = descriptors()
    for by_file in (False, True):
        with pytest.raises(InvalidInput, match="cannot be started"):
            run(argv, cwd=cwd, by_file=by_file)
    with pytest.raises(InvalidInput, match="cannot be started"):
        run(["/bin/true", "a\0b"])

    assert descriptors() == before


HOLDS_THE_OUTPUT = """
import os, sys, time
print('before', flush=True)
if os.fork() == 0:
    os.setsid()
    time.sleep(100)
"""


@by_both
def test_program_ends_when_a_grandchild_holds_its_output(by_file: bool) -> None:
    begun = time.monotonic()
    lines, code, _ = run(python(HOLDS_THE_OUTPUT), by_file=by_file)

    assert (lines, code) == ([b"before"], 0)
    assert time.monotonic() - begun < 20


def test_lines_survive_a_slow_reader() -> None:
    async def slowly() -> int:
        read = 0
        code = "import os, sys\nfor n in range(40): print('x' * (1 << 18))\nif os.fork() == 0: os.system('sleep 60')"
        async with Program(python(code), cwd="/", env=ENV) as program:
            async for line in program.lines():
                read += len(line)
                await asyncio.sleep(0.06)
        return read

    assert asyncio.run(slowly()) == 40 * (1 << 18)


def test_program_waits_for_a_slow_reader() -> None:
    async def held_back() -> int:
        code = (
            "import os\nsent = 0\nwhile True: sent += os.write(1, b'x' * 65535 + b'\\n'); os.write(2, b'%d\\n' % sent)"
        )
        async with Program(python(code), cwd="/", env=ENV) as program:
            await program.line()
            await asyncio.sleep(1)
            return int(program.stderr_tail.splitlines()[-1])

    assert asyncio.run(held_back()) < 16 * MEGABYTE


@by_both
def test_line_timeout_loses_nothing(by_file: bool) -> None:
    async def impatient() -> tuple[int, list[bytes]]:
        given_up = 0
        lines: list[bytes] = []
        code = "import sys, time\nfor part in 'ab', 'cd\\n', 'e': time.sleep(0.3); print(part, end='', flush=True)"
        async with Program(python(code), cwd="/", env=ENV, by_file=by_file) as program:
            while True:
                try:
                    line = await program.line(0.05)
                except TimeoutError:
                    given_up += 1
                    continue
                if line is None:
                    return given_up, lines
                lines.append(line)

    given_up, lines = asyncio.run(impatient())
    assert lines == [b"abcd", b"e"]
    assert given_up > 3


# Each prints the pids of everything it starts, and then stays.
TREES = {
    "plain child": "p = subprocess.Popen(['sleep', '100']); tell(p.pid)",
    "own session": "p = subprocess.Popen(['sleep', '100'], start_new_session=True); tell(p.pid)",
    "double fork": "daemon(lambda: time.sleep(100))",
    "ignores TERM": "daemon(lambda: (signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(100)))",
    "stopped": "daemon(lambda: os.kill(os.getpid(), signal.SIGSTOP))",
    "clean environment": "p = subprocess.Popen(['env', '-i', 'sleep', '100'], start_new_session=True); tell(p.pid)",
    "first thread ended": "daemon(end_first_thread)",
    "hands over": "daemon(lambda: os.execv('/bin/sh', ['sh', '-c', 'setsid sleep 100 & setsid sleep 100 & wait']))",
}
PRELUDE = """
import ctypes, os, signal, subprocess, sys, threading, time
def end_first_thread():
    threading.Thread(target=time.sleep, args=(100,)).start()
    ctypes.CDLL(None).syscall({'x86_64': 60}.get(os.uname().machine, 93), 0)  # exit, of this thread only
def tell(pid): print(pid, flush=True)
def daemon(work):
    told, telling = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            tell(os.getpid())
            os.write(telling, b'.')
            work()
        os._exit(0)
    os.wait()
    os.read(told, 1)
"""


@pytest.mark.parametrize("last", ["time.sleep(100)", "sys.exit(3)", "os.kill(os.getpid(), 9)"])
@pytest.mark.parametrize("name", TREES)
def test_program_exit_ends_the_whole_tree(name: str, last: str) -> None:
    async def started() -> list[int]:
        argv = python(f"{PRELUDE}\n{TREES[name]}\nprint('there', flush=True)\n{last}")
        async with Program(argv, cwd="/", env=ENV) as program:
            pids = [program.pid]
            async for line in program.lines():
                if line == b"there":
                    break
                pids.append(int(line))
            await asyncio.sleep(0.1)
            return pids

    pids = asyncio.run(started())
    assert len(pids) == 2
    assert [pid for pid in pids if alive(pid)] == []


# Each process of it forks and exits, so that a list of processes shows none of them; it ends by itself after a while.
COMET = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end, file = time.time() + 20, os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
if os.fork():
    time.sleep(1)
    os._exit(0)
os.setsid()
for stream in range(3):
    os.dup2(file, stream)
while time.time() < end:
    if os.fork():
        os._exit(0)
    time.sleep(0.0003)
    os.write(file, b".")
"""
RUN_COMET = """
import asyncio, os, signal, sys
from lionstudio.system import program as program_module
from lionstudio.system.program import Program
program_module.GRACE_SECONDS = 0.3
async def main():
    async with Program([sys.executable, "-c", *sys.argv[1:3]], cwd="/", env=dict(os.environ)) as program:
        while not os.path.getsize(sys.argv[2]):
            await asyncio.sleep(0.05)
        if sys.argv[3] == "guard killed":
            os.kill(int(open(f"/proc/{program.pid}/stat").read().rpartition(")")[2].split()[1]), signal.SIGKILL)
            await asyncio.sleep(1)
        await program.wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("uid", [0, 65534])
@pytest.mark.parametrize("how", ["program ended", "guard killed"])
def test_program_end_ends_processes_that_fork_and_exit_all_the_time(uid: int, how: str) -> None:
    if uid != os.geteuid() and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        beats = Path(folder) / "beats"
        beats.touch()
        beats.chmod(0o666)
        words = [sys.executable, "-c", RUN_COMET, COMET, str(beats), how]
        user = {"user": uid, "group": uid, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            subprocess.run(words, check=False, timeout=60, **user)  # type: ignore[call-overload]
        except PermissionError:
            pytest.skip("another user may not run this Python")
        size = beats.stat().st_size
        time.sleep(0.5)
        assert size > 0
        assert beats.stat().st_size == size


def test_program_end_reaps_an_adopted_daemon() -> None:
    code = PRELUDE + "daemon(lambda: time.sleep(0.2))\ntime.sleep(0.5)\nprint('end')"

    assert run(python(code))[0][-1] == b"end"  # the fixture looks for zombies


def test_program_end_ends_only_its_own_tree() -> None:
    argv = python(PRELUDE + "daemon(lambda: time.sleep(100))\ntime.sleep(100)")

    async def several() -> list[bool]:
        running = [Program(argv, cwd="/", env=ENV) for _ in range(10)]
        pids = []
        for program in running:
            await program.__aenter__()
            line = await program.line()
            assert line is not None
            pids.append((program.pid, int(line)))
        kept = []
        for number, program in enumerate(running):
            await program.__aexit__()
            gone = [not alive(pid) for pair in pids[: number + 1] for pid in pair]
            there = [alive(pid) for pair in pids[number + 1 :] for pid in pair]
            kept.append(all(gone) and all(there))
        return kept

    assert asyncio.run(several()) == [True] * 10


def test_program_end_ends_nested_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    # an agent may run `li agent`; when that one is killed, what it had started becomes ours
    inner = python(PRELUDE + "daemon(lambda: time.sleep(100))\ntime.sleep(100)")
    code = (
        "import asyncio, os\nfrom lionstudio.system.program import Program\n"
        f"async def main():\n    async with Program({inner!r}, cwd='/', env=dict(os.environ)) as program:\n"
        "        print(program.pid, flush=True)\n        print((await program.line()).decode(), flush=True)\n"
        "        os.kill(os.getpid(), 9)\nasyncio.run(main())"
    )

    assert [int(line) for line in run(python(code))[0] if alive(int(line))] == []


def test_program_end_spares_other_children() -> None:
    mine = subprocess.Popen([sys.executable, "-c", "raise SystemExit(5)"], start_new_session=True)
    time.sleep(0.3)
    run(python("pass"))

    assert mine.wait() == 5


@by_both
def test_program_cancelled_leaks_nothing(by_file: bool) -> None:
    code = "import time\nwhile True: print('x', flush=True); time.sleep(0.01)"

    async def stop(program: Program) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.3), program:
                async for _ in program.lines():
                    pass

    async def many() -> None:
        for _ in range(5):
            await stop(Program(python(code), cwd="/", env=ENV, by_file=by_file))

    asyncio.run(many())
    before = descriptors()
    asyncio.run(many())

    assert descriptors() == before
    assert subprocess.run(["true"], check=True).returncode == 0  # our own children can still be waited for


def test_program_end_sends_term_first(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    handler = f"signal.signal(signal.SIGTERM, lambda *_: (open({str(ended)!r}, 'w').close(), sys.exit(0)))"

    async def end() -> None:
        code = f"import signal, sys, time\n{handler}\nprint(1, flush=True)\ntime.sleep(50)"
        async with Program(python(code), cwd="/", env=ENV) as program:
            await program.line()

    asyncio.run(end())

    assert ended.exists()


def test_find_program_ignores_relative_entries_of_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path / "bin", tmp_path):
        folder.mkdir(exist_ok=True)
        (folder / "agent-x").write_text("#!/bin/sh\n")
        (folder / "agent-x").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    for path in (".", "", "bin", ".:bin:"):
        with pytest.raises(NotFound):
            find_program("agent-x", {"PATH": path}, "install it")
    assert find_program("agent-x", {"PATH": f".:{tmp_path}/bin"}, "install it") == f"{tmp_path}/bin/agent-x"


_READER = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # so that only KILL ends it
print("ready", file=open(sys.argv[1], "a"))
sys.stdin.read()
print("end of input", file=open(sys.argv[1], "a"))
"""
_OWNER = """
import asyncio, os, sys
from lionstudio.system.program import Program

async def main(code, trace, held, how):
    argv = [sys.executable, "-c", code, trace]
    async with Program(argv, cwd="/", env=dict(os.environ), conversation=True, hold_input=held == "held") as program:
        if how == "close":
            program.close_input()
        await program.wait()

asyncio.run(main(*sys.argv[1:]))
"""
_ALL = ["ready", "end of input"]


@pytest.mark.parametrize(
    ("held", "how", "expected"), [("held", "kill", ["ready"]), ("", "kill", _ALL), ("held", "close", _ALL)]
)
def test_program_input_of_killed_owner(tmp_path: Path, held: str, how: str, expected: list[str]) -> None:
    trace = tmp_path / "trace"
    trace.touch()
    with subprocess.Popen([sys.executable, "-c", _OWNER, _READER, str(trace), held, how]) as owner:
        wait_until(lambda: "ready" in trace.read_text())
        if how == "kill":
            owner.kill()
        owner.wait(20)
    wait_until(lambda: not _is_argument(str(trace)))

    assert trace.read_text().splitlines() == expected


def _is_argument(text: str) -> bool:
    """Whether a process has this argument."""
    for entry in os.listdir("/proc"):
        with suppress(OSError):
            if entry.isdigit() and text.encode() in Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0"):
                return True
    return False
