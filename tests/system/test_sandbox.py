"""Confined programs: what they see, what they can change, and how they end."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sandboxes import needs_bwrap, processes_with

from lionstudio.errors import InvalidInput
from lionstudio.system.program import Program
from lionstudio.system.run_command import CommandResult, run_command
from lionstudio.system.sandbox import bwrap, sandbox, tool_folders
from lionstudio.system.sandbox.sandbox import Sandbox, confine
from lionstudio.system.sandbox.tool_folders import list_tool_folders


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "key").write_text("secret\n")
    return tmp_path / "home"


def env_of(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), **more}


def run(home: Path, line: str, sandbox: Sandbox | None = None, env: dict[str, str] | None = None) -> CommandResult:
    work = str(home.parent / "work")
    sandbox = Sandbox() if sandbox is None else sandbox
    sandbox = sandbox._replace(writable=(work, *sandbox.writable))
    return run_command(["sh", "-c", line], work, env or env_of(home), timeout=30, sandbox=sandbox)


@needs_bwrap
def test_confined_program_sees_an_empty_home_and_its_folder(home: Path) -> None:
    (home.parent / "beside").write_text("mine\n")
    result = run(home, f"ls -A ~ && ls {home.parent} && echo kept > file && echo lost > ~/file && pwd")

    assert result.tail.split() == ["home", "work", str(home.parent / "work")], result
    assert (home.parent / "work" / "file").read_text() == "kept\n"
    assert [path.name for path in home.iterdir()] == ["key"]


@needs_bwrap
@pytest.mark.parametrize("path", ["/usr/evil", "/etc/evil"])
def test_confined_program_cannot_write_to_the_system(home: Path, path: str) -> None:
    assert run(home, f"echo evil > {path}").code != 0


@needs_bwrap
@pytest.mark.parametrize("name", ["sys/kernel/core_pattern", "sys/kernel/hostname", "sysrq-trigger"])
def test_confined_program_cannot_change_the_kernel(home: Path, name: str) -> None:
    # opened for writing and nothing written: a failure of the test must not change this machine
    assert run(home, f": >> /proc/{name}").code != 0


@needs_bwrap
def test_confined_program_has_no_rights_over_the_machine(home: Path) -> None:
    result = run(home, "grep -h CapEff /proc/self/status; mount -t tmpfs none /usr 2>/dev/null && echo mounted")

    assert result.tail.split() == ["CapEff:", "0000000000000000"]


@needs_bwrap
def test_confined_program_sees_only_its_own_processes(home: Path) -> None:
    result = run(home, "ls /proc | grep -c '^[0-9]'; kill -9 -1 2>/dev/null; true")

    assert int(result.tail.split()[0]) < 10


@needs_bwrap
def test_confined_program_inherits_no_files_but_its_own(home: Path) -> None:
    assert run(home, "for f in /proc/$$/fd/*; do readlink $f; done | grep -v '^pipe:\\|/dev/null'").tail == ""


@needs_bwrap
def test_hidden_folders_are_empty_inside_visible_ones(home: Path) -> None:
    work = home.parent / "work"
    for folder in (work / "private", home.parent / "library" / "private"):
        folder.mkdir(parents=True)
        (folder / "token").write_text("secret\n")
    (work / "state.db").write_text("secret\n")
    library = home.parent / "library"
    sandbox = Sandbox(
        readable=(str(library),), hidden=(str(work / "private"), str(library / "private"), str(work / "state.db"))
    )
    line = f"cat private/* {library}/private/* state.db 2>/dev/null; echo x 2>/dev/null > private/new; ls -A private"
    result = run(home, line, sandbox)

    assert result.tail == ""
    assert [path.name for path in (work / "private").iterdir()] == ["token"]
    assert (work / "state.db").read_text() == "secret\n"


@needs_bwrap
def test_readable_folders_inside_a_writable_one_stay_readable_only(home: Path) -> None:
    hooks = home.parent / "work" / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("mine\n")
    result = run(
        home, "cat hooks/*; echo evil > hooks/pre-commit; echo evil > hooks/new", Sandbox(readable=(str(hooks),))
    )

    assert result.tail.startswith("mine\n")
    assert {path.name: path.read_text() for path in hooks.iterdir()} == {"pre-commit": "mine\n"}


@needs_bwrap
def test_copied_files_can_be_changed_inside_only(home: Path) -> None:
    settings = home / ".vendor.json"
    settings.write_text("mine\n")
    settings.chmod(0o400)
    line = "cat ~/.vendor.json; echo changed > ~/.new && mv ~/.new ~/.vendor.json && cat ~/.vendor.json"
    result = run(home, line, Sandbox(copied=(str(settings),)))

    assert result.tail == "mine\nchanged\n"
    assert settings.read_text() == "mine\n"


@needs_bwrap
def test_network_is_off_unless_asked_for_but_loopback_works(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        line = f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"
        assert run(home, line).code != 0
        assert run(home, line, Sandbox(network=True)).code == 0
    inside = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    assert run(home, f'/usr/bin/env python3 -c "{inside}"').code in (0, 127)


@needs_bwrap
def test_links_lead_to_the_working_folder(home: Path) -> None:
    link = home.parent / "link"
    link.symlink_to(home.parent / "work")
    result = run_command(
        ["sh", "-c", f"echo yes > {link}/file; cat file"],
        str(link),
        env_of(home),
        timeout=30,
        sandbox=Sandbox(writable=(str(link),)),
    )

    assert result.tail == "yes\n"


@needs_bwrap
def test_links_do_not_lead_around_what_is_hidden(home: Path) -> None:
    link, work = home.parent / "link", home.parent / "work"
    link.symlink_to(work)
    for name in ("private", "hooks"):
        (work / name).mkdir()
        (work / name / "token").write_text(f"{name}\n")
    sandbox = Sandbox(writable=(str(link),), readable=(str(work / "hooks"),), hidden=(str(work / "private"),))
    line = f"cat {link}/*/token; echo evil > {link}/hooks/token; echo evil > {link}/private/new"
    result = run_command(["sh", "-c", f"({line}) 2>/dev/null"], str(link), env_of(home), timeout=30, sandbox=sandbox)

    assert result.tail == "hooks\n"
    assert (work / "hooks" / "token").read_text() == "hooks\n"


@needs_bwrap
def test_variables_reach_the_program_but_not_its_command_line(home: Path) -> None:
    env = env_of(home, VENDOR_KEY="sk-of-a-vendor", TMPDIR="/var/folders/x", SSH_AUTH_SOCK="/run/agent")
    argv, inside = confine(["env"], str(home.parent / "work"), env, Sandbox(writable=(str(home.parent / "work"),)))

    assert "sk-of-a-vendor" not in " ".join(argv)
    assert (inside["VENDOR_KEY"], inside["TMPDIR"], "SSH_AUTH_SOCK" in inside) == ("sk-of-a-vendor", "/tmp", False)
    assert "VENDOR_KEY=sk-of-a-vendor" in run(home, "env", env=env).tail


@needs_bwrap
def test_folder_that_contains_the_home_is_refused(home: Path) -> None:
    with pytest.raises(InvalidInput, match="the folder contains your home"):
        confine(["true"], str(home.parent), env_of(home), Sandbox(writable=(str(home.parent),)))


@needs_bwrap
def test_missing_program_is_reported_as_without_a_sandbox(home: Path) -> None:
    work = str(home.parent / "work")
    confined, plain = (
        run_command(["no-such-program"], work, env_of(home), timeout=30, sandbox=sandbox)
        for sandbox in (Sandbox(writable=(work,)), None)
    )

    assert confined == plain
    assert confined.how == "not_started"


@needs_bwrap
def test_everything_ends_with_the_program(home: Path) -> None:
    mark = f"survivor-{os.getpid()}"
    sleep = f"exec -a {mark} sleep 600"
    result = run(
        home,
        f"env -i bash -c '({sleep} >/dev/null 2>&1 &)'; setsid bash -c '{sleep}' >/dev/null 2>&1 &"
        f" bash -c '(trap \"\" TERM; ({sleep} >/dev/null 2>&1 &))'; sleep 0.2; exit 3",
    )

    assert (result.how, result.code) == ("exited", 3)
    assert processes_with(mark) == []


@needs_bwrap
def test_stopped_program_has_time_to_end_by_itself(home: Path) -> None:
    work = home.parent / "work"
    script = "trap 'sleep 0.3; echo tidy > tidy; exit 0' TERM; echo on; while :; do sleep 0.05; done"

    async def stop() -> float:
        async with Program(
            ["sh", "-c", script], cwd=str(work), env=env_of(home), sandbox=Sandbox(writable=(str(work),))
        ) as program:
            await program.line()
            began = time.monotonic()
        return time.monotonic() - began

    assert asyncio.run(stop()) < 4.0
    assert (work / "tidy").read_text() == "tidy\n"


@needs_bwrap
def test_killed_owner_leaves_no_confined_process(home: Path) -> None:
    mark, work = f"orphan-{os.getpid()}", str(home.parent / "work")
    code = (
        "import sys; from lionstudio.system.run_command import run_command;"
        "from lionstudio.system.sandbox.sandbox import Sandbox;"
        f"run_command(['bash', '-c', 'exec -a {mark} sleep 600'], {work!r}, {env_of(home)!r}, timeout=600,"
        f" sandbox=Sandbox(writable=({work!r},)))"
    )

    with subprocess.Popen([sys.executable, "-c", code]) as owner:
        deadline = time.monotonic() + 30
        while not [line for line in processes_with(mark) if line.startswith(mark)]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        owner.kill()
    while [line for line in processes_with(mark) if line.startswith(mark)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_tool_folders_are_those_of_tools_not_of_people(home: Path, tmp_path: Path) -> None:
    for path in (".nvm/versions/node/v22/bin", ".nvm/versions/node/v22/lib", ".cargo/bin", "bin", ".local/bin"):
        (home / path).mkdir(parents=True)
    for path in ("venv/bin", "venv/conda-meta", "project/bin"):
        (tmp_path / path).mkdir(parents=True)
    entries = [home / ".nvm/versions/node/v22/bin", home / ".cargo/bin", home / "bin", home / ".local/bin"]
    entries += [tmp_path / "venv/bin", tmp_path / "project/bin", Path("relative/bin")]
    folders = list_tool_folders("sh", {"PATH": os.pathsep.join(map(str, entries))}, str(home))

    inside = {os.path.relpath(path, tmp_path) for path in folders}
    assert {"home/.nvm", "home/.nvm/versions/node/v22/lib", "home/.cargo/bin", "home/bin", "home/.local/bin"} <= inside
    assert {"venv", "venv/bin", "project/bin"} <= inside
    assert not {"home", "home/.local", "home/.cargo", "project", "."} & inside


def test_tool_folders_are_looked_for_once_for_many_gates(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    around = tool_folders._around

    def look(folder: str, home: str) -> Iterator[str]:
        looked.append(folder)
        return around(folder, home)

    monkeypatch.setattr(tool_folders, "_around", look)
    monkeypatch.setattr(tool_folders, "_cache_period", lambda: 0)
    (tmp_path / "tool/bin").mkdir(parents=True)
    env = {"PATH": f"{tmp_path}/tool/bin"}
    for writable in ("one", "other"):
        assert list_tool_folders("sh", env, str(home), (str(tmp_path / writable),)) == [env["PATH"]]
    assert looked == [env["PATH"]]
    assert "/usr/lib" not in list_tool_folders("sh", {"PATH": "/usr/bin"}, str(home)), "all of /usr is visible anyway"


@needs_bwrap
def test_credentials_in_a_tool_folder_are_masked(home: Path) -> None:
    venv = home.parent / "venv"
    credentials = [home / ".nvm/.npmrc", home / ".nvm/versions/node/v22/etc/npmrc", home / ".npm-global/etc/npmrc"]
    credentials += [home / ".local/share/uv/credentials/credentials.toml", home / ".deno/credentials.json"]
    credentials += [venv / "pip.conf", home / ".pyenv/.git/config"]
    for path in credentials:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("//registry/:_authToken=secret\n")
    (home / ".nvm" / "nvm.sh").write_text("tool\n")
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    line = f"cat ~/.nvm/nvm.sh {venv}/pyvenv.cfg {' '.join(map(str, credentials))} 2>/dev/null"
    result = run(home, line, env=env_of(home, VIRTUAL_ENV=str(venv)))

    assert result.tail == "tool\nhome = /usr/bin\n"


@needs_bwrap
def test_project_with_programs_on_the_path_shows_only_these(home: Path) -> None:
    for project in (home / "proj", home / "go" / "src" / "proj"):
        for name in ("bin/tool", "lib/tool.rb", ".env", ".git/config", "secret.py", "pyvenv.cfg"):
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}\n")
    env = env_of(home, GOPATH=str(home / "go"), VIRTUAL_ENV=str(home / "proj"))
    result = run(home, "cd ~; find . -type f | sort", env={**env, "PATH": f"{home}/proj/bin:{env['PATH']}"})

    assert result.tail.split() == ["./proj/bin/tool", "./proj/lib/tool.rb", "./proj/pyvenv.cfg"]


@needs_bwrap
def test_working_folder_on_the_path_stays_writable_and_keeps_its_files(home: Path) -> None:
    work = home.parent / "work"
    (work / ".env").write_text("mine\n")
    for name in ("bin", "lib"):
        (work / name).mkdir()
    env = env_of(home)
    result = run(home, "cat .env; echo new > lib/new", env={**env, "PATH": f"{work}/bin:{work}:{env['PATH']}"})

    assert (result.code, result.tail) == (0, "mine\n")


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="others than root cannot read these files anyway")
def test_files_of_root_deep_in_etc_are_masked(home: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lion-test-", dir="/etc") as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        deep = Path(folder) / "a" / "b"
        deep.mkdir(parents=True)
        for name, mode in (("secret", 0o640), ("public", 0o644)):
            (deep / name).write_text(f"{name}\n")
            (deep / name).chmod(mode)
        (deep / "closed").mkdir(mode=0o700)
        (deep / "closed" / "secret").write_text("closed\n")
        sandbox._private_in_etc.cache_clear()
        try:
            assert run(home, f"cat {deep}/public {deep}/secret {deep}/closed/* 2>/dev/null").tail == "public\n"
        finally:
            sandbox._private_in_etc.cache_clear()


# puts a key into its session and starts a program that looks for it, first unconfined
KEYRING = """
import ctypes, sys
libc = ctypes.CDLL(None)
if libc.syscall(250, 1, None) < 0 or libc.syscall(248, b"user", b"lion:test", b"TICKET", 6, -3) < 0:
    sys.exit("no keyrings here")
from lionstudio.system.run_command import run_command
from lionstudio.system.sandbox.sandbox import Sandbox
_, look, work, home = sys.argv
for sandbox in (None, Sandbox(writable=(work,))):
    argv = ["/usr/bin/python3", "-c", look]
    print(run_command(argv, work, {"HOME": home, "PATH": "/usr/bin:/bin"}, timeout=60, sandbox=sandbox).tail.strip())
"""
LOOK = """
import ctypes
libc, text = ctypes.CDLL(None), ctypes.create_string_buffer(10)
libc.syscall(250, 11, libc.syscall(250, 10, -3, b"user", b"lion:test", 0), text, 10)
print("looked", text.value)
"""


@needs_bwrap
@pytest.mark.skipif(
    os.uname().machine != "x86_64" or not os.path.exists("/usr/bin/python3"), reason="needs numbers of system calls"
)
def test_confined_program_does_not_see_the_keys_of_the_session(home: Path) -> None:
    argv = [sys.executable, "-c", KEYRING, LOOK, str(home.parent / "work"), str(home)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    if "no keyrings here" in done.stderr:
        pytest.skip(done.stderr)

    assert done.stdout.splitlines() == ["looked b'TICKET'", "looked b''"], done


def test_find_bwrap_runs_no_program_of_the_current_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\n: > ran\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}relative")

    assert bwrap.find_bwrap.__wrapped__().problem == "bubblewrap is not installed"
    assert not (tmp_path / "ran").exists()


def test_find_bwrap_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = bwrap.find_bwrap.__wrapped__()

    assert found.sentence == "programs cannot be confined: bubblewrap is not installed"
    assert (found.hint or "").startswith("sudo ")
    monkeypatch.setattr(bwrap, "find_bwrap", lambda: found)
    assert bwrap.why_not_confined("auto") == "bubblewrap is not installed"
    assert bwrap.why_not_confined("off") == "the sandbox is off"
    with pytest.raises(InvalidInput, match="sandbox: require, but bubblewrap is not installed"):
        bwrap.why_not_confined("require")


@needs_bwrap
def test_find_bwrap_believes_the_process_that_tried_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorders of a show need not try it again; a variant that does not exist is not believed."""
    tries: list[str] = []
    found, passed = bwrap.find_bwrap(), bwrap.tried_environment()

    def succeed(path: str, _options: tuple[str, ...]) -> str:
        tries.append(path)
        return ""

    monkeypatch.setattr(bwrap, "_try", succeed)
    monkeypatch.setenv(*next(iter(passed.items())))
    assert (bwrap.find_bwrap.__wrapped__(), tries) == (found, [])
    monkeypatch.setenv(next(iter(passed)), "9")
    assert bwrap.find_bwrap.__wrapped__().problem is None
    assert tries == [found.path]


def test_tried_environment_says_nothing_before_a_try() -> None:
    bwrap.find_bwrap.cache_clear()
    assert bwrap.tried_environment() == {}
