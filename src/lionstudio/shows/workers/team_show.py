"""Shows of a team as one worker has them open: from the rows, with a copy of the files, and the remote's repository."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

from lionstudio.errors import LionError
from lionstudio.files.shows.followed_plan import followed_plan
from lionstudio.model.ids import new_id
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.plan_changes import FollowedPlan
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show import TEAM
from lionstudio.model.shows.show_files import GRANTED_BUDGET
from lionstudio.runs.prepare.resolve import PinnedAgent
from lionstudio.settings import Settings
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.attempt.attempt_files import AttemptWatch, Exit, Lease
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.gates.reviewers import Pins, pin_reviewer, save_pins
from lionstudio.shows.git.merge import PreparedMerge, tip_without
from lionstudio.shows.git.remote.branch import fetch_tip, remembered_tip
from lionstudio.shows.git.remote.open_remote import open_remote_repo
from lionstudio.shows.git.remote.patience import wait_out_remote
from lionstudio.shows.git.remote.work import fetch_work, publish_work
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.records import play_records
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.shows.records.team_folder import write_folder, write_play
from lionstudio.shows.workers.definitions import make_definitions
from lionstudio.shows.workers.fenced_database import FencedDatabase
from lionstudio.state.connection import Connection, Unavailable
from lionstudio.state.sessions import find_session
from lionstudio.state.shows import get_play, get_show, list_plays
from lionstudio.state.workers.orders import OrderLost
from lionstudio.system.json_read import find_object

T = TypeVar("T")


@dataclass(slots=True)
class Workplace:
    """The surroundings that all orders of one worker share."""

    settings: Settings
    environ: Mapping[str, str]
    warn: Callable[[str], None]
    worker_lock: str = ""


@dataclass(slots=True)
class Shared:
    """The state that the orders of one show share on one machine."""

    prepared: dict[str, PreparedMerge] = field(default_factory=dict)
    checked_tip: str | None = None
    repo: Repo | None = None


@lru_cache(maxsize=16)
def _followed(topic: str, accepted: str, text: str) -> Plan:
    return followed_plan(topic, accepted, text).plan


class TeamShow(OpenShow):
    """A show whose rows are the truth."""

    database: FencedDatabase

    def _facts(self) -> Mapping[str, Any]:
        return self.database.read(lambda conn: get_show(conn, self.topic)).metadata

    def runnable(self, plan: Plan) -> Plan:
        return replace(plan, repo=self._definitions)

    def _use_team(self, facts: Mapping[str, Any]) -> None:
        team = facts[TEAM]
        self._remote = str(team["remote"])
        self._definitions = make_definitions(team.get("definitions") or [], self.database, self.settings.home)

    def _remote_repo(self, base: str) -> Repo:
        checkouts = os.path.join(self.settings.home, "checkouts", self.topic)
        home = self.settings.home
        return self.patiently(
            lambda: open_remote_repo(self._remote, self.topic, base, checkouts_dir=checkouts, home=home)
        )

    def patiently(self, work: Callable[[], T]) -> T:
        """Do work again while the hub is away, or up to an hour the remote: nothing of it is the fault of a play."""

        def reach_hub() -> T:
            while True:
                try:
                    return work()
                except Unavailable:
                    self._facts()  # waits for the hub

        return wait_out_remote(reach_hub, warn=self.warn, why_stop=self.why_stop_waiting)

    def why_stop_waiting(self) -> str | None:
        """Return why to give up on a remote that is away."""
        return self.stop_reason()

    # ── records: the rows ──

    def read_meta(self, play: str) -> Meta:
        return play_records.find_meta_of_row(self.database, self.show_dir, play) or {}

    def read_verdict(self, play: str) -> Meta | None:
        return play_records.find_verdict_of_row(self.database, self.show_dir, play)

    def record_merge(self, *shas: str) -> None:
        self._change_merges(lambda merges: list(dict.fromkeys((*merges, *shas))))

    def forget_merges(self, dropped: Collection[str]) -> None:
        self._change_merges(lambda merges: [sha for sha in merges if sha not in dropped])
        if self.tip is not None:
            self.record_tip(tip_without(self.repo, self.tip, dropped))
        self.checked_tip = None

    def _change_merges(self, change: Callable[[list[str]], list[str]]) -> None:
        def work(conn: Connection) -> None:
            facts = get_show(conn, self.topic).metadata
            play_records.put_facts(conn, self.topic, merges=change(list(facts.get("merges") or ())))

        self.database.write(work)

    @property
    def merges(self) -> list[str]:
        return list(map(str, self._facts().get("merges") or ()))

    @merges.setter
    def merges(self, value: list[str]) -> None:
        """The row has them."""

    @property
    def tip(self) -> str | None:
        return self._facts().get("integration_tip")

    @tip.setter
    def tip(self, value: str | None) -> None:
        """The row has it."""

    def record_tip(self, sha: str) -> None:
        self.checked_tip = sha
        play_records.update_show(self.show_dir, self.database, integration_tip=sha)

    def record_grants(self) -> None:
        granted = find_object(os.path.join(self.show_dir, GRANTED_BUDGET))
        play_records.update_show(self.show_dir, self.database, granted=granted)

    def close(self) -> None:
        self._close_watches()


class DirectedShow(TeamShow):
    """A show that this worker directs; its folder here is made from the rows first."""

    def __init__(self, place: Workplace, database: FencedDatabase, topic: str, *, accept_current: bool = False) -> None:
        def rows(conn: Connection) -> tuple[Any, Any]:
            show = get_show(conn, topic)
            return show, list_plays(conn, show.id)

        show, plays = database.read(rows)
        show_dir = find_show_dir(place.settings, topic)
        write_folder(show_dir, show, plays)
        self._use(show_dir, place.settings, place.environ, place.warn, database)
        self._use_team(show.metadata)
        self.resumed_by = show.metadata.get("resumed_by")  # the last order that has resumed the show
        self._open(accept_current=accept_current)

    def why_stop_waiting(self) -> str | None:
        """By the row: while the show is opened, nothing else looks whether it was aborted or is to be left."""
        if self.database.is_over():
            return "the worker leaves the show"
        return self.stop_reason() or ("the show was aborted" if self._facts().get("abort") else None)

    def _load_pins(self, recorded: Mapping[str, Any]) -> Pins:
        """Pin what came with the show: the text of a definition may never have been on this machine."""
        pins = {name: pin_reviewer(name, self.runnable_plan, self.settings) for name in recorded}
        save_pins({name: pin for name, pin in pins.items() if pin.to_record() == recorded[name]}, self.show_dir)
        return super()._load_pins(recorded)

    def _check_confinement(self) -> None:
        """The machine of an attempt checks it."""

    def _open_repo(self, recorded_base: Any) -> Repo:
        repo = self._remote_repo(str(recorded_base))
        play_records.save_show(self.show_dir, self.database, self.plan)
        return repo

    def follow(self, text: str) -> FollowedPlan:
        self._use_team(self._facts())  # an edit brings the definitions that it names
        followed = super().follow(text)
        accepted = self.accepted_plan if followed.held else None
        play_records.update_show(self.show_dir, self.database, accepted_text=accepted)
        return followed


class OrderShow(TeamShow):
    """A show for one order of it: nothing but what the order changes is written."""

    def __init__(
        self,
        place: Workplace,
        database: FencedDatabase,
        topic: str,
        play: str | None,
        order: tuple[str, int],
        shared: Shared,
        get_stop_reason: Callable[[], str | None],
        get_renewed_at: Callable[[], float],
    ) -> None:
        def rows(conn: Connection) -> tuple[Any, Any]:
            show = get_show(conn, topic)
            return show, get_play(conn, show.id, play) if play is not None else None

        show, row = database.read(rows)
        facts = show.metadata
        self._use(find_show_dir(place.settings, topic), place.settings, place.environ, place.warn, database)
        if row is not None:
            write_play(self.show_dir, row)
        self._order, self._fence = order
        self._shared, self._get_stop_reason, self._get_renewed_at = shared, get_stop_reason, get_renewed_at
        self._worker_lock = place.worker_lock
        self._reviewers = facts.get("reviewers") or {}
        self._use_team(facts)
        text = str(facts["plan"])
        self.accepted_plan = str(facts.get("accepted_text") or text)
        self.use_plan(_followed(topic, self.accepted_plan, text))
        self.status = show.status
        self.prepared, self.checked_tip = shared.prepared, shared.checked_tip
        self.answered = facts.get("decision")
        if shared.repo is None:
            shared.repo = self._remote_repo(str(facts["base"]))
        self.repo = shared.repo

    def record_tip(self, sha: str) -> None:
        super().record_tip(sha)
        self._shared.checked_tip = sha

    @property
    def aborted(self) -> bool:
        return False  # the director stops its orders

    def stop_reason(self) -> str | None:
        return self._get_stop_reason()

    def attempt_folder(self, play: str, attempt: int, part: int) -> str:
        """A folder for each fence: an attempt that comes back to this machine is another one."""
        return f"{super().attempt_folder(play, attempt, part)}@{self._fence}"

    def own_meta(self, play: str, folder: str, meta: Meta) -> Meta:
        """The session of the director's choice, or a new one where another machine has recorded to that.

        An agent that a usage limit interrupted on another machine begins again: what it remembers is there.
        """
        session_id = attempt_files.session_of(folder)
        if session_id is None:
            session_id = planned = str(meta["session_id"])
            if self.database.read(lambda conn: find_session(conn, planned)) is not None:
                session_id = new_id()
                meta = {**meta, "retries": meta.get("retries") or planned}
        resume = meta.get("resume")
        attempts = glob.iglob(os.path.join(glob.escape(os.path.join(self.show_dir, play, "attempts")), "*"))
        if resume and not any(attempt_files.session_of(attempt) == resume for attempt in attempts):
            meta = {**meta, "resume": None, "retries": resume}
        return {**meta, "session_id": session_id}

    def checkout_of_others(self, play: str, meta: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(meta.get("base"), str):
            return {}
        fetch_tip(self.repo)  # the base was the tip of the branch when another machine began the attempt
        self.fetch_work(play, meta)
        return {"base": meta["base"], "head": meta.get("head")}

    @property
    def fence(self) -> int:
        return self._fence

    @property
    def lease(self) -> Lease:
        return Lease(self.settings.db, self._order, self._fence, self._worker_lock)

    def current_tip(self) -> str:
        tip = remembered_tip(self.repo, recorded := self.tip)
        return tip if tip == recorded else self.without_foreign(tip)

    def watch_attempt(self, folder: str, environ: Mapping[str, str]) -> AttemptWatch:
        return AttemptWatch(folder, environ, self._get_renewed_at)

    def check_held(self, ended: Exit) -> None:
        if ended.how in ("given_away", "released"):
            raise OrderLost(f"order {self._order} was given to another worker", hint="li workers ls")

    def logs_folder(self, play: str, attempt: str) -> str:
        return f"{super().logs_folder(play, attempt)}@{self._fence}"

    def base_of(self, checkout: Checkout) -> dict[str, Any]:
        return {"base": checkout.base}

    def publish_work(self, play: str, attempt: int, head: str) -> dict[str, Any]:
        ref = publish_work(self.repo, play, attempt=attempt, fence=self._fence, head=head)
        return {"published": {"attempt": attempt, "fence": self._fence, "ref": ref}}

    def fetch_work(self, play: str, meta: Mapping[str, Any]) -> None:
        published = meta.get("published")
        if isinstance(published, dict) and meta.get("head"):
            fetch_work(
                self.repo,
                play,
                attempt=int(published["attempt"]),
                fence=int(published["fence"]),
                head=str(meta["head"]),
            )

    def reviewer(self, name: str) -> PinnedAgent:
        """The reviewer of the definition that travelled with the show; refused when another one was pinned."""
        pinned = pin_reviewer(name, self.runnable_plan, self.settings)
        recorded = self._reviewers.get(name)
        if recorded != pinned.to_record():
            raise LionError(f"the reviewer {name} is not the one that was pinned", hint=f"li show resume {self.topic}")
        save_pins({name: pinned}, self.show_dir)
        return pinned
