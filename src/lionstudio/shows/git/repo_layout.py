"""Where the work of a show lies: the user's repository, the director's room beside it, one checkout for each play."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lionstudio.errors import InvalidInput
from lionstudio.model.shows.plan import integration_branch, play_branch
from lionstudio.system.filenames import shown

DIRECTOR = "director.git"  # in the room, beside the checkouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Repo:
    """The user's repository as one show uses it. Only refs of the show are ever written there."""

    path: str  # as the user knows it: the top folder, or a bare repository
    git_dir: str  # what all its work trees share
    topic: str
    base: str  # the commit that the show starts from, resolved once
    checkouts_dir: str  # the show's folder below `checkouts` in the home
    name: str  # of the user, for commits
    email: str

    @property
    def director(self) -> str:
        """The git folder that is ours: no agent writes there, so its configuration can be trusted."""
        return os.path.join(self.checkouts_dir, DIRECTOR)

    @property
    def objects(self) -> str:
        """The one store of objects of the show: the user's own."""
        return os.path.join(self.git_dir, "objects")

    @property
    def integration(self) -> str:
        """The ref where merged plays come together."""
        return f"refs/heads/{integration_branch(self.topic)}"

    def branch(self, play: str) -> str:
        """The ref of a play's work as it was last collected."""
        return f"refs/heads/{play_branch(self.topic, play)}"

    def archive(self, play: str, attempt: int) -> str:
        """The ref that keeps what an attempt left, whatever happens to the branch."""
        return f"refs/shows/archive/{self.topic}/{play}/{attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The folder in which the agent of a play works, and what we know about it without asking the agent's git."""

    repo: Repo
    play: str
    base: str  # the commit that the play started from

    def __post_init__(self) -> None:
        """A plan with such a name is refused long before; an agent in one of our own folders would own the show."""
        if self.play.startswith(".") or "/" in self.play or self.play.lower() in ("", DIRECTOR):
            raise InvalidInput(
                f"no play can be named {shown(self.play)!r:.80}: the show needs that folder itself",
                hint="give the play another name",
            )

    @property
    def path(self) -> str:
        """The working folder."""
        return os.path.join(self.repo.checkouts_dir, self.play)

    @property
    def branch(self) -> str:
        """The full ref, the same in the checkout and in the user's repository."""
        return self.repo.branch(self.play)

    @property
    def index(self) -> str:
        """Our own index of its files."""
        return os.path.join(self.notes, "index")

    @property
    def notes(self) -> str:
        """Our own files about it, out of the agent's sight: index, base, what to leave out."""
        return os.path.join(self.repo.director, "plays", self.play)
