"""Failures of git become errors with a hint: a lock, a full disk, an old or missing git, one that hangs."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.repositories import begun, checkout_of, git, make_repo, merge, write

from lionstudio.errors import Busy, LionError, NotFound, StorageFailed, WrongVersion
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.merge import MergeCommitted
from lionstudio.shows.git.provision import ignore_patterns
from lionstudio.system import git as wrapper
from lionstudio.system.git import Git, GitResult, failure, program, quoted


def test_failure_reports_stale_lock_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrapper, "CONFIG_FLAGS", tuple(flag.replace("=10000", "=50") for flag in wrapper.CONFIG_FLAGS))
    users = make_repo(tmp_path / "users")
    repo = begun(users)
    checkout = checkout_of(repo)
    write(checkout.path, {"a.txt": "a\n"})
    head = collect(checkout, "work", attempt=1).head
    lock = users / ".git" / "refs" / "heads" / "show" / "topic" / "integration.lock"
    lock.touch()
    with pytest.raises(Busy, match="another git process holds") as caught:
        merge(repo, "topic", "play", 1, head, "Merge")
    assert str(lock) in caught.value.message
    lock.unlink()
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge"), MergeCommitted)


def test_failure_reports_full_disk() -> None:
    for words in ("error: unable to write file: No space left on device", "fatal: write error: Disk quota exceeded"):
        assert isinstance(failure("unpack-objects", GitResult(128, b"", words)), StorageFailed)
    told = failure("merge-tree", GitResult(128, b"", "fatal: bad\x1b[31m\nthing"))
    assert (type(told), told.message) == (LionError, "git merge-tree failed: bad\\x1b[31m; thing")


@pytest.mark.parametrize(("answer", "error"), [("git version 2.30.2", WrongVersion), ("nonsense", WrongVersion)])
def test_program_refuses_old_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, error: type[LionError]
) -> None:
    fake = tmp_path / "git"
    fake.write_text(f"#!/bin/sh\necho {answer}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program.cache_clear()
    try:
        with pytest.raises(error, match="too old"):
            program()
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
        with pytest.raises(NotFound, match="not installed"):
            program()
    finally:
        program.cache_clear()


def test_run_times_out_hanging_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = make_repo(tmp_path / "users")
    monkeypatch.setattr(wrapper, "TIMEOUT", 0.2)
    reading, writing = os.pipe()  # the pipe has no writer
    try:
        with open(reading, "rb", closefd=False) as silence, pytest.raises(LionError, match="timed out after"):
            Git(git_dir=str(users / ".git")).run("hash-object", "--stdin", stdin=silence)
    finally:
        os.close(reading)
        os.close(writing)


def test_environment_drops_relative_path_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program()
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:bin:")
    path = Git(git_dir=str(tmp_path)).environment()["PATH"].split(":")
    assert path
    assert all(os.path.isabs(entry) for entry in path)


NAMES = st.text(st.characters(exclude_characters="/\0\n", codec="utf-8"), min_size=1, max_size=12)


@given(*[NAMES.filter(lambda name: name not in (".", "..", ".git"))] * 2)
def test_ignore_patterns_match_exactly_their_name(name: str, other: str) -> None:
    folder = _somewhere()
    Path(folder, ".git", "info", "exclude").write_bytes(
        "".join(f"{line}\n" for line in ignore_patterns([name])).encode()
    )
    told = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        input=f"./{name}\0./{other}\0".encode(),
        capture_output=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
    )
    ignored = {os.fsdecode(path).removeprefix("./") for path in told.stdout.split(b"\0") if path}
    assert ignored - {name} == set()
    assert name in ignored


@cache
def _somewhere() -> str:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    git(folder, "init", "-q")
    return folder


def test_lines_end_where_git_ends_them() -> None:
    """A ref may have other characters that Python takes for the end of a line."""
    assert GitResult(0, "refs/heads/a\u2028b 1\nrefs/heads/c\x85 2\n".encode(), "").lines == [
        "refs/heads/a\u2028b 1",
        "refs/heads/c\x85 2",
    ]
    assert GitResult(0, b"", "").lines == []


def test_quoted_values_round_trip(tmp_path: Path) -> None:
    for value in ('a "b"', "back\\slash", "line\nbreak", "tab\t", "# no comment", "; nor this", " spaces "):
        (tmp_path / "config").write_text(f"[user]\n\tname = {quoted(value)}\n")
        told = subprocess.run(
            ["git", "config", "-z", "-f", str(tmp_path / "config"), "user.name"], capture_output=True, check=True
        )
        assert told.stdout.decode() == f"{value}\0"


def test_git_syncs_objects_and_refs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = begun(make_repo(tmp_path / "users"))
    checkout = checkout_of(repo)
    write(checkout.path, {"a.txt": "a\n"})
    trace, usual = tmp_path / "trace", Git.environment
    monkeypatch.setattr(Git, "environment", lambda self: usual(self) | {"GIT_TRACE2_EVENT": str(trace)})
    merge(repo, "topic", "play", 1, collect(checkout, "work", attempt=1).head, "Merge")

    assert _flushed(trace, "commit-tree") == 2  # the work, and the merge of it
    assert _flushed(trace, "update-ref") >= 2
    assert _flushed(trace, "update-index") >= 1  # the file itself


def _flushed(trace: Path, command: str) -> int:
    """How often git had the disk flush something, in all calls of a command."""
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    calls = {event["sid"] for event in events if event["event"] == "cmd_name" and event["name"] == command}
    counts = [
        int(event["value"])
        for event in events
        if event["sid"] in calls and event.get("category") == "fsync" and event["key"] == "fsync/hardware-flush"
    ]
    return sum(counts)


def test_git_uses_no_protocol_that_a_repository_allows(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users")
    ran = tmp_path / "ran"
    git(users, "config", "protocol.ext.allow", "always")
    asked = Git(git_dir=str(users / ".git")).run("ls-remote", f"ext::sh -c touch% {ran}")
    assert (asked.code, ran.exists()) == (128, False)
    assert "not allowed" in asked.err
    assert "not allowed" in Git(git_dir=str(users / ".git")).run("ls-remote", str(users)).err
