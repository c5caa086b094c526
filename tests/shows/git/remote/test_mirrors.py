"""Mirrors of remotes, and what remotes answer: away, refusing, shallow, hostile; nothing of a remote is run."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.git_remotes import git_daemon, machine, make_remote, refs_of, run_script
from tests.support.repositories import checkout_of, commit, git, make_repo, merge, write

from lionstudio.errors import Busy, Conflict, InvalidInput
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.merge import MergeCommitted, integration_tip
from lionstudio.shows.git.remote import patience, transport
from lionstudio.shows.git.remote.errors import RemoteAway, RemoteRefused
from lionstudio.shows.git.remote.mirror import open_mirror
from lionstudio.shows.git.remote.open_remote import check_remote, open_remote_repo
from lionstudio.shows.git.remote.patience import wait_out_remote
from lionstudio.shows.git.remote.transport import Transport
from lionstudio.shows.git.remote.work import publish_work
from lionstudio.shows.git.setup import find_show_repo

SECRET = "s3cr3t-t0ken"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


# ── the mirror ──

OPEN = """
from pathlib import Path
from types import SimpleNamespace
from tests.support.git_remotes import machine
repo = machine(arguments["remote"], Path(arguments["home"]))
print(repo.git_dir)
"""


def test_open_remote_repo_works_in_several_processes_at_once(remote: Path, tmp_path: Path) -> None:
    arguments = {"remote": str(remote), "home": str(tmp_path / "one")}
    processes = [run_script(OPEN, arguments) for _ in range(4)]
    said = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, said
    mirrors = {out.strip() for out, _ in said}
    assert len(mirrors) == 1
    assert [path.name for path in (tmp_path / "one" / "mirrors").glob("*.git")] == [Path(mirrors.pop()).name]
    assert list(refs_of(remote)) == ["refs/heads/show/topic/integration"]


@pytest.mark.parametrize("where", ["show.mirror.written", "show.remote.begun"])
def test_open_remote_repo_continues_after_a_kill(remote: Path, tmp_path: Path, where: str) -> None:
    arguments = {"remote": str(remote), "home": str(tmp_path / "one")}
    killed = run_script(OPEN, arguments, LIONAGI_CRASH_AT=where)
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    repo = machine(remote, tmp_path / "one")
    assert integration_tip(repo) == repo.base
    assert find_show_repo(repo.checkouts_dir) == repo


def test_open_mirror_removes_locks_of_killed_processes(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    locks = [Path(repo.git_dir, name) for name in ("packed-refs.lock", f"{repo.integration}.lock")]
    for lock in locks:
        lock.touch()
    open_mirror(str(remote), home=str(tmp_path / "one"))
    assert not any(lock.exists() for lock in locks)


def test_integration_tip_survives_a_lock_that_a_killed_process_left(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    Path(repo.git_dir, f"{repo.integration}.lock").touch()
    sha = git(remote, "commit-tree", "main^{tree}", "-p", "main", "-m", "x")
    git(remote, "update-ref", repo.integration, sha)
    assert wait_out_remote(lambda: integration_tip(repo), warn=print, pause=lambda _: None) == sha


def test_machine_fetches_only_what_the_show_needs(remote: Path, tmp_path: Path) -> None:
    git(remote, "branch", "other")
    git(remote, "tag", "v1")
    repo = machine(remote, tmp_path / "one")
    refs = git(repo.git_dir, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/show/topic/integration", "refs/lion/heads/main"]


def test_show_of_a_remote_is_reopened_with_its_remote(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    assert (repo.remote, repo.path) == (str(remote), repo.git_dir)
    assert find_show_repo(repo.checkouts_dir) == repo == machine(remote, tmp_path / "one")


# ── the base ──


def test_check_remote_resolves_branches_tags_and_commits(remote: Path, tmp_path: Path) -> None:
    home, sha = str(tmp_path / "one"), git(remote, "rev-parse", "main")
    older = git(remote, "commit-tree", "main^{tree}", "-m", "other root")
    newer = git(remote, "commit-tree", "main^{tree}", "-p", older, "-m", "newer")
    git(remote, "update-ref", "refs/heads/side", newer)
    git(remote, "tag", "-a", "-m", "one", "v1", "main", GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@b")
    bases = {name: check_remote(str(remote), name, "t", home=home).base for name in (None, "main", "origin/main", "v1")}
    assert set(bases.values()) == {sha}
    assert check_remote(str(remote), older, "t", home=home).base == older
    with git_daemon(remote.parent) as daemon:  # which does not send a commit that is no tip
        assert check_remote(daemon.url(), older, "t", home=home).base == older
    for name in ("nope", "-D", "--upload-pack=x", "ma*", "main:x", "0" * 40):
        report = check_remote(str(remote), name, "t", home=home)
        assert (report.base, len(report.problems)) == (None, 1)


def test_check_remote_reports_an_empty_repository_and_blocking_names(remote: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    report = check_remote(str(tmp_path / "empty.git"), None, "t", home=str(tmp_path / "one"))
    assert "has no commit yet" in report.problems[0]
    git(remote, "branch", "show/topic")
    report = check_remote(str(remote), "main", "topic", home=str(tmp_path / "one"))
    assert "blocks the show's branches" in report.problems[0]
    with pytest.raises(RemoteRefused, match="refuses the branch show/topic/integration"):
        machine(remote, tmp_path / "one")


def test_open_remote_repo_refuses_the_branch_of_another_show(remote: Path, tmp_path: Path) -> None:
    machine(remote, tmp_path / "one")
    sha = git(remote, "commit-tree", "main^{tree}", "-m", "unrelated")
    git(remote, "update-ref", "refs/heads/main", sha)
    with pytest.raises(Conflict, match="does not contain the show's base"):
        machine(remote, tmp_path / "two")


def test_open_remote_repo_works_after_the_base_branch_was_rewritten(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    git(remote, "update-ref", "refs/heads/main", git(remote, "commit-tree", "main^{tree}", "-m", "unrelated"))
    other = open_remote_repo(
        str(remote), "topic", repo.base, checkouts_dir=str(tmp_path / "two" / "c"), home=str(tmp_path / "two")
    )
    assert integration_tip(other) == repo.base
    with pytest.raises(InvalidInput, match="is not a commit"):
        open_remote_repo(str(remote), "topic", "-x", checkouts_dir=str(tmp_path / "c"), home=str(tmp_path / "two"))


def test_sha256_remote_plays_through(tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source", None, "--object-format=sha256")
    git(tmp_path, "clone", "-q", "--bare", str(source), "remote.git")
    repo = machine(tmp_path / "remote.git", tmp_path / "one")
    checkout = checkout_of(repo)
    write(checkout.path, {"x.txt": "x\n"})
    head = collect(checkout, "work", attempt=1).head
    publish_work(repo, "play", attempt=1, fence=1, head=head)
    assert len(head) == 64
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)


# ── remotes that do not work ──


@contextmanager
def web_server(status: int, realm: bool = True) -> Iterator[str]:
    """A server that answers every request with one status; the URL has no credentials."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if status == 401 and realm:
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/x.git"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("status", "error", "text"),
    [
        (401, RemoteRefused, "asks for a user or password"),
        (403, RemoteRefused, "refuses us"),
        (404, RemoteRefused, "is not a repository that we can see"),
        (500, RemoteAway, "does not answer"),
        (503, RemoteAway, "does not answer"),
        (429, RemoteAway, "does not answer"),
    ],
)
def test_open_mirror_tells_refusals_from_absence(
    tmp_path: Path, status: int, error: type[Exception], text: str
) -> None:
    with web_server(status) as url, pytest.raises(error, match=text) as caught:
        open_mirror(url, home=str(tmp_path))
    assert not list((tmp_path / "mirrors").glob("*.git"))
    assert isinstance(caught.value, Busy) == (error is RemoteAway)


def test_open_mirror_is_away_when_nobody_listens(tmp_path: Path) -> None:
    for url in ("git://127.0.0.1:1/x.git", "http://127.0.0.1:1/x.git", "ssh://git@127.0.0.1:1/x.git"):
        with pytest.raises(RemoteAway, match="does not answer"):
            open_mirror(url, home=str(tmp_path))


def test_open_mirror_refuses_a_folder_that_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(RemoteRefused, match="is not a repository"):
        open_mirror(str(tmp_path / "plain"), home=str(tmp_path / "one"))
    with git_daemon(tmp_path) as daemon, pytest.raises(RemoteRefused, match="refuses us"):
        open_mirror(daemon.url("nope.git"), home=str(tmp_path / "one"))


def test_open_mirror_never_shows_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The user's own configuration may put a token into every URL, and git then repeats it."""
    config = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    for status in (401, 403, 500):
        with web_server(status) as url:
            host = url.removeprefix("http://").removesuffix("/x.git")
            config.write_text(f'[url "http://me:{SECRET}@{host}/"]\n\tinsteadOf = http://{host}/\n')
            with pytest.raises((RemoteRefused, RemoteAway)) as caught:
                open_mirror(url, home=str(tmp_path))
        assert SECRET not in repr(caught.value.to_dict())
        assert SECRET not in repr(caught.value.__context__)
    assert SECRET not in "".join(capfd.readouterr())


def test_check_remote_refuses_a_shallow_remote(tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source")
    commit(source, "second")
    git(tmp_path, "clone", "-q", "--bare", "--depth", "1", f"file://{source}", "shallow.git")
    for remote in (str(tmp_path / "shallow.git"), None):
        with git_daemon(tmp_path) as daemon, pytest.raises(RemoteRefused, match="is a shallow clone"):
            check_remote(remote or daemon.url("shallow.git"), "main", "t", home=str(tmp_path / "one"))


def test_check_remote_refuses_a_partial_clone_and_runs_no_program_that_it_names(tmp_path: Path) -> None:
    source, mark, program = make_repo(tmp_path / "source"), tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    git(source, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{source}", "partial.git")
    git(tmp_path / "partial.git", "config", "remote.origin.uploadpack", str(program))
    with pytest.raises(RemoteRefused, match="is a partial clone"):
        check_remote(str(tmp_path / "partial.git"), "main", "t", home=str(tmp_path / "one"))
    assert not mark.exists()


def test_integration_tip_refuses_forged_objects(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    evil = Path(remote, "evil")
    evil.write_bytes(b"100644 .git\0" + bytes.fromhex(git(remote, "rev-parse", "main:README.md")))
    tree = git(remote, "hash-object", "-w", "--literally", "-t", "tree", str(evil))
    sha = git(remote, "commit-tree", tree, "-p", "main", "-m", "forged")
    git(remote, "update-ref", repo.integration, sha)
    with pytest.raises(RemoteRefused, match="objects that git refuses"):
        integration_tip(repo)


def test_remote_works_whatever_the_user_has_configured(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, mark = tmp_path / "gitconfig", tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    (hooks / "pre-push").chmod(0o755)
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n[safe]\n\tbareRepository = explicit\n[fetch]\n\tprune = true\n"
        "\tpruneTags = true\n[push]\n\tfollowTags = true\n\tgpgSign = true\n[commit]\n\tgpgSign = true\n"
        "[protocol]\n\tallow = never\n[user]\n\tname = Somebody\n\temail = somebody@example.com\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_ASKPASS", f"touch {mark}")
    repo = machine(remote, tmp_path / "one")
    checkout = checkout_of(repo)
    write(checkout.path, {"x.txt": "x\n"})
    head = collect(checkout, "work", attempt=1).head
    publish_work(repo, "play", attempt=1, fence=1, head=head)
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)
    assert not mark.exists()


def test_remote_folder_runs_none_of_its_programs(remote: Path, tmp_path: Path) -> None:
    """Its hooks and configuration would run with the rights of the worker."""
    mark = tmp_path / "ran"
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"):
        hook = remote / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "core.sshCommand"):
        git(remote, "config", key, str(program))
    (remote / "objects" / "info" / "alternates").write_text(str(tmp_path / "source" / ".git" / "objects") + "\n")
    repo = machine(remote, tmp_path / "one")
    checkout = checkout_of(repo)
    write(checkout.path, {"x.txt": "x\n"})
    head = collect(checkout, "work", attempt=1).head
    publish_work(repo, "play", attempt=1, fence=1, head=head)
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)
    assert not mark.exists()


def test_remote_folder_with_a_checkout_runs_no_filter(tmp_path: Path) -> None:
    """A push that updates the files of a folder runs the filters of its configuration."""
    source, mark, program = make_repo(tmp_path / "source"), tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    repo = machine(source, tmp_path / "one")
    git(source, "symbolic-ref", "HEAD", repo.integration)
    git(source, "config", "receive.denyCurrentBranch", "updateInstead")
    for direction in ("smudge", "clean"):
        git(source, "config", f"filter.evil.{direction}", str(program))
    (source / ".git" / "info" / "attributes").write_text("* filter=evil\n")
    checkout = checkout_of(repo)
    write(checkout.path, {"x.txt": "x\n"})
    head = collect(checkout, "work", attempt=1).head
    publish_work(repo, "play", attempt=1, fence=1, head=head)
    with pytest.raises(RemoteRefused, match="checked out"):
        merge(repo, "topic", "play", 1, head, "Merge", fence=1)
    assert not mark.exists()


# ── waiting ──


def test_wait_out_remote_repeats_while_the_remote_is_away() -> None:
    calls = [0]
    pauses: list[float] = []
    warnings: list[str] = []

    def work() -> str:
        calls[0] += 1
        if calls[0] < 5:
            raise RemoteAway("away")
        return "done"

    assert wait_out_remote(work, warn=warnings.append, pause=pauses.append) == "done"
    assert pauses == [0.5, 1.0, 2.0, 4.0]
    calls[0] = 0
    with pytest.raises(RemoteRefused, match="the show was aborted, while the remote was away"):
        wait_out_remote(work, warn=warnings.append, why_stop=lambda: "the show was aborted", pause=pauses.append)
    calls[0] = 0
    with pytest.raises(RemoteRefused, match="was away for"):
        wait_out_remote(work, warn=warnings.append, pause=pauses.append, most_seconds=-1)


def test_wait_out_remote_counts_from_the_first_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: now[0]))
    calls = [0]

    def gates_then_push() -> str:
        calls[0] += 1
        now[0] += 2 * patience.MOST_SECONDS if calls[0] == 1 else 1.0
        if calls[0] < 3:
            raise RemoteAway("away")
        return "done"

    assert wait_out_remote(gates_then_push, warn=print, pause=lambda _: None) == "done"


def test_remote_that_floods_us_costs_little_memory(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = open_mirror(str(remote), home=str(tmp_path / "one"))
    flood = tmp_path / "flood"
    flood.write_text(
        "#!/bin/sh\nhead -c 30000000 /dev/zero | tr '\\0' x >&2\necho >&2\n"
        "echo 'git@example.org: Permission denied (publickey).' >&2\nexit 255\n"
    )
    flood.chmod(0o700)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(flood))
    tracemalloc.start()
    try:
        with pytest.raises(RemoteRefused, match="refuses ours"):
            Transport(remote="git@example.org:project.git", git_dir=mirror.path).list_refs()
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()

    monkeypatch.setattr(transport, "_MOST_OUTPUT", 10)
    with pytest.raises(RemoteRefused, match="more refs"):
        mirror.transport.list_refs()
