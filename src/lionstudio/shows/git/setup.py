"""The user's repository as a show uses it: it is given the show's first ref, and nothing else of it is touched."""

from __future__ import annotations

import json
import os
import re
import subprocess

from lionstudio.errors import Conflict, LionError, NotFound
from lionstudio.shows.git.preflight import FoundRepo, find, find_commit, names_in_the_way
from lionstudio.shows.git.repo_layout import DIRECTOR, Repo
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, make_git_folder
from lionstudio.system.atomic_write import make_folder, sync_folder, write_bytes, write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import EMAIL, NAME, Git, GitResult, failure, program
from lionstudio.system.safe_rmtree import refuse_link

_SHOW = "show.json"  # in the director's git folder: what `begin` found out
_MOST_EXCLUDES = 1_000_000


def open_show_repo(repo: str, topic: str, base_sha: str, *, room: str) -> Repo:
    """Make the integration ref and the director's room, or find them; twice is the same as once."""
    for own in (room, os.path.join(room, DIRECTOR)):
        refuse_link(own)
    found = find(repo)
    show = _still(room, found, topic, base_sha) or _move_in(room, found, topic, base_sha)
    if found.shallow:  # every time: somebody may have deepened it since
        write_bytes(os.path.join(show.director, "shallow"), _bytes(os.path.join(found.git_dir, "shallow")))
    _ensure_integration(show)
    return show


def director_git(repo: Repo, **more: object) -> Git:
    """Git with the director's own configuration on the objects of the user's repository."""
    given = {"git_dir": repo.director, "objects": repo.objects, "name": repo.name, "email": repo.email}
    return Git(**{**given, **more})  # type: ignore[arg-type]


def users_git(repo: Repo) -> Git:
    """Git on the user's repository: for refs only."""
    return Git(git_dir=repo.git_dir, name=repo.name, email=repo.email)


def find_ref(repo: Repo, ref: str) -> str | None:
    """The commit of a ref in the user's repository."""
    return find_commit(users_git(repo), ref)


def remembered(room: str) -> Repo | None:
    """The repository of a show as an earlier `begin` found it, None when there is nothing of it."""
    try:
        with open(os.path.join(room, DIRECTOR, _SHOW), encoding="utf-8") as file:
            return Repo(**json.load(file), checkouts_dir=room)
    except (OSError, ValueError, TypeError):
        return None


def _still(room: str, found: FoundRepo, topic: str, base: str) -> Repo | None:
    """What was found out before, unless the repository has moved since."""
    before = remembered(room)
    if before is not None and before.topic != topic:
        raise Conflict(
            f"the checkouts in {shown(room)} are those of the show {before.topic}", hint="use another folder"
        )
    if before is not None and before.base != base:
        raise Conflict(
            f"the show {before.topic} began at {before.base[:12]}, not at {base[:12]}",
            hint="choose another topic, or remove the checkouts of the old show first",
        )
    return before if before is not None and before.git_dir == found.git_dir else None


def _move_in(room: str, found: FoundRepo, topic: str, base: str) -> Repo:
    git = Git(git_dir=found.git_dir)
    if find_commit(git, base) != base:
        raise NotFound(f"{base[:80]} is no commit of {shown(found.path)}", hint="give the full id of a commit")
    owner, excludes = _user(found)
    repo = Repo(
        path=found.path,
        git_dir=found.git_dir,
        topic=topic,
        base=base,
        checkouts_dir=room,
        name=owner.name,
        email=owner.email,
    )
    make_folder(room)
    make_git_folder(
        repo.director, bare=True, head="ref: refs/heads/none", objects=None, owner=owner, sha256=found.sha256
    )
    write_text(os.path.join(repo.director, "info", "exclude"), excludes)
    told = {name: getattr(repo, name) for name in ("path", "git_dir", "topic", "base", "name", "email")}
    write_text(os.path.join(repo.director, _SHOW), json.dumps(told, indent=1) + "\n")
    sync_folder(room)
    return repo


def _user(found: FoundRepo) -> tuple[GitDirOwner, str]:
    """Who commits, and what the user wants left out of commits everywhere; both as their own git sees it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"LC_ALL": "C"}
    wanted = r"^(user\.(name|email)|core\.excludesfile)$"
    done = subprocess.run(
        [program(), f"--git-dir={found.git_dir}", "config", "-z", "--get-regexp", wanted],
        env=env,
        cwd=found.git_dir,
        capture_output=True,
    )
    told = dict(entry.partition("\n")[::2] for entry in os.fsdecode(done.stdout).split("\0"))
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    ignore = os.path.expanduser(told.get("core.excludesfile") or os.path.join(config, "git", "ignore"))
    texts = [_bytes(ignore), _bytes(os.path.join(found.git_dir, "info", "exclude"))]
    owner = GitDirOwner(_clean(told.get("user.name")) or NAME, _clean(told.get("user.email")) or EMAIL)
    return owner, "\n".join(text.decode("utf-8", "ignore") for text in texts)


def _clean(text: str | None) -> str:
    return re.sub(r"[\0\n<>]", "", text or "").strip()


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_EXCLUDES) if os.path.isfile(path) else b""
    except OSError:
        return b""


def _ensure_integration(repo: Repo) -> None:
    git = users_git(repo)
    tip = find_commit(git, repo.integration)
    if tip is None:
        ran = git.run("update-ref", "-m", "show: begin", repo.integration, repo.base, "")
        tip = find_commit(git, repo.integration)
        if ran.code != 0 and tip is None:
            raise _refused(git, repo, ran)
    if tip != repo.base and not git.says("merge-base", "--is-ancestor", repo.base, str(tip)):
        name = repo.integration.removeprefix("refs/heads/")
        raise Conflict(
            f"the branch {name} exists and does not contain the show's base {repo.base[:12]}",
            hint=f"if it is not needed: git branch -D {name}; else choose another topic",
        )


def _refused(git: Git, repo: Repo, ran: GitResult) -> LionError:
    taken = list(names_in_the_way(git, repo.topic))
    return Conflict(taken[0]) if taken else failure("update-ref", ran)
