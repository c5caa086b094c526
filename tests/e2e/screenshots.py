"""Screenshots of every page for `make screenshots`: light and dark, wide and narrow, saved to docs/img.

python -m tests.e2e.screenshots [--into FOLDER] [--only NAME]
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page
from tests.support.asked import busy_day
from tests.support.browser import Watched, chromium, serve
from tests.support.first_day import first_day, write_history
from tests.support.seed import Seeded, rich_home
from tests.support.studio import Running, settings_in

import web

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
FIRST_DAY = "first-day"  # pictures bypass the page's policy, because the driver hides carets by a style of its own


class Shot(NamedTuple):
    """The name and address of a screenshot."""

    name: str
    path: str
    keys: str = ""
    shown: str = ""  # a selector to wait for


def shots(seeded: Seeded) -> list[Shot]:
    """Every page, with weeks of data."""
    return [
        Shot("home", ""),
        Shot("runs", "runs"),
        Shot("usage", "usage"),
        Shot("runs-failed", "runs?status=failed&within=24h"),
        Shot("run", f"runs/{seeded.long}"),
        Shot("run-hostile", f"runs/{seeded.hostile}"),
        Shot("run-waiting", f"runs/{seeded.waiting}", shown="[data-question]"),
        Shot("shows", "shows"),
        Shot("show", f"shows/{seeded.topic}", shown="[data-plays] [data-play]"),
        Shot("teams", "teams"),
        Shot("agents", "agents"),
        Shot("agent", "agents/reviewer"),
        Shot("playbooks", "playbooks"),
        Shot("plugins", "plugins"),
        Shot("admin", "admin"),
        Shot("search", "search?q=gateway"),
        Shot("palette", "", keys="Control+k"),
        Shot("shortcuts", "runs", keys="?"),
    ]


def take(page: Page, url: str, shot: Shot, target: Path) -> None:
    """Take one screenshot after the page has settled."""
    page.goto(url + shot.path)
    page.get_by_role("heading", level=1).first.wait_for()
    if shot.shown:
        page.locator(shot.shown).first.wait_for()
    page.wait_for_timeout(700)
    if shot.keys:
        page.keyboard.press(shot.keys)
        page.wait_for_timeout(400)
    page.screenshot(path=target, animations="disabled")
    print(target, flush=True)


def views(browser: Browser, running: Running) -> Iterator[tuple[str, Page]]:
    """A signed-in tab for each size and scheme, with the suffix of its file names."""
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            scale = 1 if size == "wide" else 2
            options = {
                "color_scheme": scheme,
                "device_scale_factor": scale,
                "viewport": {"width": width, "height": height},
                "bypass_csp": True,
            }
            watched = Watched(browser, running, **options)
            watched.sign_in()
            yield f"{size}-{scheme}", watched.page()
            watched.close()


def first_day_pictures(browser: Browser, folder: Path, into: Path) -> None:
    """Pictures of the first day of a new person, for docs/tutorial/first-day.md."""
    folder.mkdir()
    (work := folder / "greetings").mkdir()
    write_history(folder / "claude")
    os.environ |= {"CLAUDE_CONFIG_DIR": str(folder / "claude"), "CODEX_HOME": str(folder / "codex")}
    into.mkdir(parents=True, exist_ok=True)

    def picture(page: Page, name: str) -> None:
        page.wait_for_timeout(500)
        page.screenshot(
            path=into / f"{name}.png", animations="disabled", style=".mantine-Notifications-root { display: none }"
        )
        print(into / f"{name}.png", flush=True)

    with serve(folder, "--no-follow") as running:
        watched = Watched(browser, running, viewport={"width": 1200, "height": 760}, bypass_csp=True)
        watched.sign_in()
        first_day(watched.open(), work, picture)
        watched.close()


def main() -> None:
    """Take all screenshots, or those that match --only."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=web.ROOT / "docs" / "img")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        if chosen.only in FIRST_DAY:
            first_day_pictures(browser, Path(folder, FIRST_DAY), chosen.into / FIRST_DAY)
        full, empty, busy = (Path(folder, name) for name in ("full", "empty", "busy"))
        for home in (full, empty, busy):
            home.mkdir()
        seeded = rich_home(settings_in(full))
        busy_day(settings_in(busy))
        with serve(full) as running, serve(empty) as new, serve(busy) as asked:
            for running_, wanted in (
                (running, shots(seeded)),
                (new, [Shot("new-home", ""), Shot("new-runs", "runs")]),
                (asked, [Shot("home-busy", "", shown="[data-question]")]),
            ):
                for suffix, page in views(browser, running_):
                    for shot in wanted:
                        if chosen.only in shot.name:
                            take(page, running_.url, shot, chosen.into / f"{shot.name}-{suffix}.png")


if __name__ == "__main__":
    main()
