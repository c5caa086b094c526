"""Paths and refs of a show: the user's repository, the director's git folder, one checkout for each play."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lionstudio.errors import InvalidInput
from lionstudio.model.shows.plan import integration_branch, play_branch
from lionstudio.show_sync.checkouts import DIRECTOR
from lionstudio.system.filenames import shown

MIRROR_LOCK = "lion.lock"
_MOST_STORES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Repo:
    """The user's repository, or the mirror of a remote, as one show uses it; only its own refs are written there."""

    path: str  # the top folder, or a bare repository
    git_dir: str  # shared by all its work trees
    topic: str
    base: str  # commit that the show starts from, resolved once
    checkouts_dir: str  # the show's folder below `checkouts` in the home
    name: str  # of the user, for commits
    email: str
    # address that other machines fetch from and push to; path and git_dir are then its mirror on this machine
    remote: str | None = None

    @property
    def director_dir(self) -> str:
        """Our own git folder: no agent writes there, so its configuration can be trusted."""
        return os.path.join(self.checkouts_dir, DIRECTOR)

    @property
    def objects(self) -> str:
        """The object store of the show: the user's own."""
        return os.path.join(self.git_dir, "objects")

    @property
    def object_stores(self) -> tuple[str, ...]:
        """The folders that git in a checkout reads objects from: the user's, and those that it borrows from."""
        stores: dict[str, None] = {}
        queue = [self.objects]
        while queue and len(stores) < _MOST_STORES:
            store = queue.pop(0)
            stores[store] = None
            try:
                with open(os.path.join(store, "info", "alternates"), encoding="utf-8") as file:
                    paths = [line.strip() for line in file if line.strip() and not line.startswith("#")]
            except (OSError, ValueError):
                continue
            queue += [
                path for path in (os.path.normpath(os.path.join(store, path)) for path in paths) if path not in stores
            ]
        return tuple(stores)

    @property
    def integration(self) -> str:
        """The ref that plays are merged into."""
        return f"refs/heads/{integration_branch(self.topic)}"

    def branch(self, play: str) -> str:
        """Name the ref of a play's work as it was last collected."""
        return f"refs/heads/{play_branch(self.topic, play)}"

    def archive(self, play: str, attempt: int) -> str:
        """Name the ref that keeps the work of an attempt, whatever happens to the branch."""
        return f"refs/shows/archive/{self.topic}/{play}/{attempt}"

    @property
    def user_files(self) -> str | None:
        """The user's folder, which `copy` takes files from; a mirror has none."""
        return self.path if self.remote is None else None

    @property
    def lock(self) -> str | None:
        """The lock file that each git process in a mirror holds; the user's repository has none."""
        return os.path.join(self.git_dir, MIRROR_LOCK) if self.remote is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The folder in which the agent of a play works, and our own records about it."""

    repo: Repo
    play: str
    base: str  # commit that the play started from

    def __post_init__(self) -> None:
        """Refuse a play name that is one of our own folders: its agent would control the show."""
        if self.play.startswith(".") or "/" in self.play or self.play.lower() in ("", DIRECTOR):
            raise InvalidInput(
                f"a play cannot be named {shown(self.play)!r:.80}: the show uses that folder itself",
                hint="give the play another name",
            )

    @property
    def path(self) -> str:
        return os.path.join(self.repo.checkouts_dir, self.play)

    @property
    def branch(self) -> str:
        """The full ref, the same in the checkout and in the user's repository."""
        return self.repo.branch(self.play)

    @property
    def index(self) -> str:
        """Our own git index of its files."""
        return os.path.join(self.private_dir, "index")

    @property
    def private_dir(self) -> str:
        """Our own files about it, out of the agent's reach: index, base, exclusions."""
        return os.path.join(self.repo.director_dir, "plays", self.play)
