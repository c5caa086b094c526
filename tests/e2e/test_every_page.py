"""Every page, populated and empty, light and dark: accessible and within the content security policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.screenshots import shots
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import Seeded

Open = Callable[..., Page]
_SEEDED = Seeded("run-long", "run-waiting", "run-stale", "run-hostile", "checkout-flow")
PAGES = {shot.name: shot.path for shot in shots(_SEEDED) if not shot.keys}
EMPTY = ("", "runs", "usage", "shows", "teams", "agents", "playbooks", "plugins", "admin", "search?q=nothing")


def settled(page: Page) -> None:
    """Wait until nothing is loading: its placeholder is blank at first, but marked as busy."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible(open_page: Open, name: str, scheme: str) -> None:
    page = open_page(PAGES[name], color_scheme=scheme)
    settled(page)

    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert_accessible(page)


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_a_narrow_screen(open_page: Open, name: str) -> None:
    page = open_page(PAGES[name], viewport={"width": 390, "height": 844})
    settled(page)

    wide = page.evaluate(
        "document.documentElement.scrollWidth > innerWidth || document.querySelector('main').scrollWidth > innerWidth"
    )
    assert not wide
    assert_accessible(page)


def test_page_of_an_empty_home_shows_a_hint(visit: Callable[..., Watched], fresh: Studio) -> None:
    watched = visit(fresh)
    for path in EMPTY:
        page = watched.open(path)
        settled(page)
        assert len(page.locator("main").inner_text()) > 30, path
        assert_accessible(page)
        page.close()


def test_page_of_a_missing_item_shows_an_error(open_page: Open) -> None:
    for path in ("runs/no-such-run", "shows/no-such-show", "agents/no-such-agent", "teams/no-such-team"):
        page = open_page(path)
        expect(page.get_by_role("alert").first).to_be_visible()
        page.close()
