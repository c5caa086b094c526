"""Decisions over HTTP name what was shown, and are refused when that changed since."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.studio.routes import test_shows
from tests.support.builders import write
from tests.support.studio import AUTH, InProcess

from lionstudio.files.shows.followed_plan import digest_of, save_accepted_plan
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.shows.records.decisions import log_decision
from lionstudio.state.shows import find_show, put_play, put_show
from lionstudio.studio.schemas import overview, shows

repo, studio = test_shows.repo, test_shows.studio  # fixtures

GATES = "  - command: [make, test]\n  - command: [make, lint]\n"
HEAD = "---\ngoal: x\nrepo: /repo\nbase_branch: main\nagent: script\nplays:\n  - {name: api, prompt: do it}\n"
ACCEPTED = f"{HEAD}gates:\n{GATES}---\n"
WEAKER = f"{HEAD}gates:\n  - command: [make, test]\n---\n"
WEAKEST = f"{HEAD}---\n"
FOREIGN = "f" * 40


@pytest.fixture
def held(studio: InProcess, tmp_path: Path) -> Iterator[Path]:
    """The folder of a show that asks about an edit which drops one of two gates."""
    folder = tmp_path / "shows" / "build"
    hold(studio, folder)
    (folder / PLAN).write_text(WEAKER)
    save_accepted_plan(str(folder), ACCEPTED)
    log_decision(str(folder), "asked", play=None, reason="the edited plan weakens the show", kind="plan")
    lock = acquire_director_lock(str(folder))  # so that none is started
    yield folder
    lock.release()


def hold(studio: InProcess, folder: Path, *commits: str) -> None:
    facts = {"accepted_plan": digest_of(ACCEPTED), "foreign_commits": list(commits)}
    write(studio.services.db.database(), put_show, Show(topic="build", show_dir=str(folder), metadata=facts))


def attention_body(studio: InProcess, kind: str) -> dict[str, Any]:
    """The request of the first button of an item, as the page of attention items sends it."""
    item = next(item for item in studio.get("/api/attention")["items"] if item["kind"] == kind)
    body: dict[str, Any] = item["actions"][0]["body"]
    return body


def act(studio: InProcess, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = studio.client.post("/api/shows/build/actions", headers=AUTH, json=body)
    return answer.status_code, answer.json()


def test_show_action_refuses_a_plan_that_was_edited_after_it_was_shown(studio: InProcess, held: Path) -> None:
    seen = studio.get("/api/shows/build")
    shows.ShowView.model_validate(seen, strict=True)
    [line] = seen["held_back"]["lines"]
    assert "make lint" in line
    deed = seen["deeds"][0]
    assert (deed["action"], deed["held"], deed["subject"]) == ("approve", [line], {"plan": digest_of(WEAKER)})
    body = attention_body(studio, "show")
    assert body == {"action": "approve", **deed["subject"]}
    waiting = studio.get("/api/attention")
    overview.Attention.model_validate(waiting, strict=True)
    assert [line] in [action["held"] for item in waiting["items"] for action in item["actions"]]
    (held / PLAN).write_text(WEAKEST)  # between the display and the click

    for action in ("approve", "reject"):
        status, problem = act(studio, {**body, "action": action})
        assert (status, problem["code"], problem["hint"]) == (409, "conflict", "li show status build")
        assert "changed since you saw it: look again" in problem["detail"]
    assert not (held / "_decision.json").exists()
    status, accepted = act(studio, attention_body(studio, "show"))  # after another look
    assert (status, accepted["launch"]["exit_code"]) == (201, 0), accepted
    assert json.loads((held / "_decision.json").read_text())["plan"] == digest_of(WEAKEST)


def test_show_action_refuses_a_commit_that_was_not_shown(studio: InProcess, held: Path) -> None:
    body = attention_body(studio, "show")
    hold(studio, held, FOREIGN)

    assert act(studio, body)[0] == 409
    assert not (held / "_decision.json").exists()
    seen = attention_body(studio, "show")
    assert seen["commits"] == [FOREIGN]
    assert act(studio, seen)[0] == 201
    assert json.loads((held / "_decision.json").read_text())["commits"] == [FOREIGN]


def test_show_action_without_a_subject_accepts_nothing_that_is_held_back(studio: InProcess, held: Path) -> None:
    assert act(studio, {"action": "approve"})[0] == 409
    assert act(studio, {"action": "approve", "commits": []})[0] == 409
    (held / "_decisions.jsonl").unlink()  # no question, as before the director has read the edit
    assert act(studio, {"action": "approve"})[0] == 409
    assert not (held / "_decision.json").exists()


def test_edit_that_was_undone_is_not_an_approval_of_the_whole_show(studio: InProcess, held: Path) -> None:
    body = attention_body(studio, "show")
    (held / PLAN).write_text(ACCEPTED)

    assert act(studio, body)[0] == 409
    assert studio.get("/api/shows/build")["actions"] == ["abort"], "its director runs"


def test_play_action_refuses_another_attempt_or_commit(studio: InProcess, held: Path) -> None:
    db, show = studio.services.db.database(), studio.services.db.read(lambda conn: find_show(conn, "build"))[0]
    assert show is not None

    def collect(attempt: int, head: str) -> None:
        meta = {"collected": attempt, "head": head}
        play = Play(show_id=show.id, name="api", status=PlayStatus.GATED, attempt=attempt, metadata={"meta": meta})
        write(db, put_play, play)

    collect(2, "a" * 40)
    body = attention_body(studio, "play")
    assert body == {"action": "approve", "play": "api", "attempt": 2, "head": "a" * 40}
    assert studio.get("/api/shows/build")["plays"][0]["deeds"][0]["subject"] == {"attempt": 2, "head": "a" * 40}
    for attempt, head in ((3, "a" * 40), (2, "b" * 40)):
        collect(attempt, head)
        status, problem = act(studio, body)
        assert (status, problem["detail"]) == (409, "api changed since you saw it: look again")
    assert not (held / "api" / "_decision.json").exists()
    collect(2, "a" * 40)
    assert act(studio, body)[1]["launch"]["exit_code"] == 0
    assert json.loads((held / "api" / "_decision.json").read_text())["attempt"] == 2
