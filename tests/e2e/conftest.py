"""Browser tests: a real Chromium against a real server process with a real database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import Studio, Watched, chromium, serve
from tests.support.seed import rich_home
from tests.support.studio import settings_in

Open = Callable[..., Page]
# Two workers, two servers and two browsers may share two cores; a longer timeout costs nothing when the page is quick.
expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as e2e."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker("e2e")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser; each test gets its own context."""
    with chromium() as instance:
        yield instance


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server with a populated home, shared by the read-only tests of a module."""
    folder = tmp_path_factory.mktemp("rich")
    settings = settings_in(folder)
    seeded = rich_home(settings)
    with serve(folder) as running:
        yield Studio(running, settings, seeded)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Studio]:
    """A server with an empty home for one test."""
    with serve(tmp_path) as running:
        yield Studio(running, settings_in(tmp_path), None)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """`visit(studio)` opens a signed-in browser; the test fails if it sees an error, a dialog or a foreign request."""
    opened: list[Watched] = []

    def start(studio: Studio, *, signed_in: bool = True, **options: Any) -> Watched:
        watched = Watched(browser, studio.running, **options)
        opened.append(watched)
        if signed_in:
            watched.sign_in()
        return watched

    yield start
    for watched in opened:
        watched.close()


@pytest.fixture
def open_page(visit: Callable[..., Watched], studio: Studio) -> Open:
    """`open_page("runs")` opens that address of the populated home in a tab."""
    return lambda path="", **options: visit(studio, **options).open(path)
