"""Set up the user's repository for a show: create its first ref and touch nothing else there."""

from __future__ import annotations

import json
import os
import re
import subprocess

from lionstudio.errors import Conflict, LionError, NotFound
from lionstudio.show_sync.checkouts import DIRECTOR
from lionstudio.shows.git.preflight import LocatedRepo, conflicting_branches, find_commit, find_repo
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, write_git_dir
from lionstudio.system.atomic_write import make_folder, sync_folder, write_bytes, write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import EMAIL, NAME, Git, GitResult, failure, program, users_environment
from lionstudio.system.safe_rmtree import refuse_link

_SHOW = "show.json"  # in the director's git folder: the repository as `open_show_repo` found it
_MOST_EXCLUDES = 1_000_000


def open_show_repo(repo: str, topic: str, base_sha: str, *, checkouts_dir: str) -> Repo:
    """Create or reopen the integration ref and the director's git folder; safe to repeat."""
    for folder in (checkouts_dir, os.path.join(checkouts_dir, DIRECTOR)):
        refuse_link(folder)
    located = find_repo(repo)
    show = find_or_create(checkouts_dir, located, topic, base_sha)
    if located.shallow:  # every time: the user may have deepened the clone since
        shallow = _read_limited(os.path.join(located.git_dir, "shallow"))
        write_bytes(os.path.join(show.director_dir, "shallow"), shallow)
    check_integration(show, find_commit(users_git(show), show.integration) or _begin_integration(show))
    return show


def find_or_create(
    checkouts_dir: str, located: LocatedRepo, topic: str, base: str, *, remote: str | None = None
) -> Repo:
    """Return the show's repository, with a git folder for its director; no ref is touched."""
    return _reopen(checkouts_dir, located, topic, base) or _create(checkouts_dir, located, topic, base, remote)


def director_git(repo: Repo, **more: object) -> Git:
    """Run git with the director's own configuration on the objects of the user's repository."""
    fields = {"git_dir": repo.director_dir, "objects": repo.objects, "name": repo.name, "email": repo.email}
    return Git(**{**fields, **more})  # type: ignore[arg-type]


def users_git(repo: Repo) -> Git:
    """Run git on the user's repository: for refs only."""
    return Git(git_dir=repo.git_dir, name=repo.name, email=repo.email, lock=repo.lock)


def find_ref(repo: Repo, ref: str) -> str | None:
    return find_commit(users_git(repo), ref)


def find_show_repo(checkouts_dir: str) -> Repo | None:
    """Load the repository of a show that was set up before; None when it is not recorded."""
    try:
        with open(os.path.join(checkouts_dir, DIRECTOR, _SHOW), encoding="utf-8") as file:
            return Repo(**json.load(file), checkouts_dir=checkouts_dir)
    except (OSError, ValueError, TypeError):
        return None


def _reopen(checkouts_dir: str, located: LocatedRepo, topic: str, base: str) -> Repo | None:
    """Return the recorded repository, unless it has moved since."""
    before = find_show_repo(checkouts_dir)
    if before is not None and before.topic != topic:
        raise Conflict(
            f"the checkouts in {shown(checkouts_dir)} belong to the show {before.topic}", hint="use another folder"
        )
    if before is not None and before.base != base:
        raise Conflict(
            f"the show {before.topic} started from {before.base[:12]}, not from {base[:12]}",
            hint="choose another topic, or remove the checkouts of the old show first",
        )
    return before if before is not None and before.git_dir == located.git_dir else None


def _create(checkouts_dir: str, located: LocatedRepo, topic: str, base: str, remote: str | None) -> Repo:
    git = Git(git_dir=located.git_dir)
    if find_commit(git, base) != base:
        raise NotFound(f"{base[:80]} is not a commit of {shown(located.path)}", hint="give the full id of a commit")
    owner, excludes = _user_config(located)
    repo = Repo(
        path=located.path,
        git_dir=located.git_dir,
        topic=topic,
        base=base,
        checkouts_dir=checkouts_dir,
        name=owner.name,
        email=owner.email,
        remote=remote,
    )
    make_folder(checkouts_dir)
    write_git_dir(
        repo.director_dir, bare=True, head="ref: refs/heads/none", objects=None, owner=owner, sha256=located.sha256
    )
    write_text(os.path.join(repo.director_dir, "info", "exclude"), excludes)
    names = ("path", "git_dir", "topic", "base", "name", "email", *(("remote",) if remote is not None else ()))
    record = {name: getattr(repo, name) for name in names}
    write_text(os.path.join(repo.director_dir, _SHOW), json.dumps(record, indent=1) + "\n")
    sync_folder(checkouts_dir)
    return repo


def _user_config(located: LocatedRepo) -> tuple[GitDirOwner, str]:
    """Read the committer and the global exclusions from the user's own git configuration."""
    values = read_users_config(located.git_dir, r"^(user\.(name|email)|core\.excludesfile)$")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    ignore = os.path.expanduser(values.get("core.excludesfile") or os.path.join(config, "git", "ignore"))
    texts = [_read_limited(ignore), _read_limited(os.path.join(located.git_dir, "info", "exclude"))]
    owner = GitDirOwner(_clean(values.get("user.name")) or NAME, _clean(values.get("user.email")) or EMAIL)
    return owner, "\n".join(text.decode("utf-8", "ignore") for text in texts)


def read_users_config(git_dir: str, keys: str) -> dict[str, str]:
    """Read the user's git configuration (system, global, repository), which no checkout is part of."""
    env = users_environment() | {"LC_ALL": "C"}
    done = subprocess.run(
        [program(), f"--git-dir={git_dir}", "config", "-z", "--get-regexp", keys],
        env=env,
        cwd=git_dir,
        capture_output=True,
    )
    return dict(entry.partition("\n")[::2] for entry in os.fsdecode(done.stdout).split("\0"))


def _clean(text: str | None) -> str:
    return re.sub(r"[\0\n<>]", "", text or "").strip()


def _read_limited(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_EXCLUDES) if os.path.isfile(path) else b""
    except OSError:
        return b""


def _begin_integration(repo: Repo) -> str:
    git = users_git(repo)
    result = git.run("update-ref", "-m", "show: begin", repo.integration, repo.base, "")
    tip = find_commit(git, repo.integration)
    if tip is None:
        raise _update_error(git, repo, result)
    return tip


def check_integration(repo: Repo, tip: str) -> None:
    """Refuse a branch of another show that had the same topic."""
    if tip != repo.base and not users_git(repo).succeeds("merge-base", "--is-ancestor", repo.base, tip):
        name = repo.integration.removeprefix("refs/heads/")
        raise Conflict(
            f"the branch {name} exists and does not contain the show's base {repo.base[:12]}",
            hint=f"delete it (git branch -D {name}), or choose another topic",
        )


def _update_error(git: Git, repo: Repo, result: GitResult) -> LionError:
    conflicts = list(conflicting_branches(git, repo.topic))
    return Conflict(conflicts[0]) if conflicts else failure("update-ref", result)
