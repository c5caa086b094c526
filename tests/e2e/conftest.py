"""The page in a real Chromium, against a real server process with a real database."""

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
# Two workers, two servers and two browsers share two cores; waiting longer costs nothing when it is quick.
expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever lies here needs the browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("e2e")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser; each test has a context of its own."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server with a home full of everything, shared by the tests of a file that only look."""
    folder = tmp_path_factory.mktemp("rich")
    settings = settings_in(folder)
    seeded = rich_home(settings)
    with serve(folder) as running:
        yield Studio(running, settings, seeded)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Studio]:
    """A server with an empty home of the test's own."""
    with serve(tmp_path) as running:
        yield Studio(running, settings_in(tmp_path), None)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """`visit(studio)` is a signed-in browser; at the end it must have seen no error, dialog or foreign request."""
    made: list[Watched] = []

    def start(studio: Studio, *, signed_in: bool = True, **options: Any) -> Watched:
        watched = Watched(browser, studio.running, **options)
        made.append(watched)
        if signed_in:
            watched.sign_in()
        return watched

    yield start
    for watched in made:
        watched.close()


@pytest.fixture
def open_page(visit: Callable[..., Watched], studio: Studio) -> Open:
    """`open_page("runs")` is a tab at that address of the rich home."""
    return lambda path="", **options: visit(studio, **options).open(path)
