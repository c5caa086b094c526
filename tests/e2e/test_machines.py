"""Runs of several machines on a hub: their names, the filter, and a machine that went silent with a question."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.builders import begin, sql
from tests.support.hubs import finish, full_session, on_machine, push

from lionstudio.state.database import Database
from lionstudio.state.hub.machines import FRESH_SECONDS
from lionstudio.system.process_identity import identify

Visit = Callable[..., Watched]


@pytest.fixture
def hub(fresh: Studio, tmp_path: Path) -> Studio:
    """Two laptops of the same name, the second one silent since a minute, and a run of the hub itself."""
    with Database(fresh.settings.db) as db:
        begin(db, "own", name="run of the hub")
        finish(db, "own")
        for machine, silent in (("a" * 32, 0.0), ("b" * 32, FRESH_SECONDS + 5)):
            (tmp_path / machine).mkdir()
            owner = identify()._replace(machine_id=machine, lock_path=None)._asdict()
            with Database(str(tmp_path / machine / "state.db")) as home, on_machine(machine, "laptop"):
                full_session(home, machine[0], owner=owner, machine_id=machine)
                push(home, db.path)
            sql(db, "UPDATE machines SET seen_at = seen_at - ? WHERE id = ?", (silent, machine))
    return fresh


def keep(page: Page, name: str) -> None:
    """Save a picture where LION_SHOTS names a folder, to look at."""
    if folder := os.environ.get("LION_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_runs_are_filtered_by_machine(visit: Visit, hub: Studio, width: int, scheme: str) -> None:
    page = visit(hub, viewport={"width": width, "height": 900}, color_scheme=scheme).open("runs")
    runs = page.get_by_role("list", name="Runs").get_by_role("listitem")
    expect(runs).to_have_count(3)
    keep(page, f"runs-{width}-{scheme}")

    page.get_by_role("button", name="Filter", exact=True).click()
    filters = page.get_by_role("dialog")
    filters.get_by_role("button", name="Machine", exact=True).click()
    for name in ("laptop (aaaaaaaa)", "laptop (bbbbbbbb)", "this machine"):
        expect(filters.get_by_role("checkbox", name=re.compile(re.escape(name)))).to_have_count(1)
    keep(page, f"filter-{width}-{scheme}")
    filters.get_by_role("checkbox", name=re.compile("bbbbbbbb")).check()
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)

    expect(filters).to_have_count(0)
    expect(runs).to_have_count(1)
    expect(runs).to_contain_text("the name of b")
    keep(page, f"filtered-{width}-{scheme}")
    assert_accessible(page)


@pytest.mark.parametrize("width", [1440, 390])
def test_run_of_a_silent_machine_is_unknown_with_its_question(visit: Visit, hub: Studio, width: int) -> None:
    page = visit(hub, viewport={"width": width, "height": 900}).open("runs/b")

    expect(page.get_by_text("running · unknown").first).to_be_visible()
    expect(page.get_by_text("Which one?").first).to_be_visible()
    expect(page.get_by_text("Answer it on laptop (bbbbbbbb)").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    keep(page, f"silent-{width}")
    page.goto(f"{hub.running.url}runs/a")
    expect(page.get_by_text("running · waiting").first).to_be_visible()
    keep(page, f"waiting-{width}")
