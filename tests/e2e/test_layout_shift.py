"""Nothing moves while a page loads: what is drawn stays where it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.e2e.test_every_page import PAGES, settled
from tests.support.browser import Studio, Watched

_SHIFT = """
window.shift = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
_PATHS = sorted({*PAGES.values(), "compare?a=run-long&b=run-hostile", "playbooks/ship-it", "teams/checkout"})

# Fonts, code and data come late: the page is quiet when none of them has arrived for a while.
_QUIET = """
document.fonts.ready.then(() => new Promise((done) => {
  let timer = setTimeout(done, 300);
  new PerformanceObserver(() => { clearTimeout(timer); timer = setTimeout(done, 300); }).observe({ type: "resource" });
})).then(() => window.shift)
"""


def shift_of(watched: Watched, path: str) -> float:
    """The layout shift of a page that is loaded with an empty cache."""
    page = watched.page()
    watched.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(watched.running.url + path)
    settled(page)
    shift: float = page.evaluate(_QUIET)
    page.close()
    return shift


@pytest.mark.parametrize("width", [1440, 390])
def test_home_does_not_shift_while_it_loads(visit: Callable[..., Watched], studio: Studio, width: int) -> None:
    watched = visit(studio, viewport={"width": width, "height": 900})
    watched.context.add_init_script(_SHIFT)

    assert [shift_of(watched, "") for _ in range(10)] == [0] * 10


@pytest.mark.parametrize("width", [1440, 390])
def test_pages_do_not_shift_while_they_load(visit: Callable[..., Watched], studio: Studio, width: int) -> None:
    watched = visit(studio, viewport={"width": width, "height": 900})
    watched.context.add_init_script(_SHIFT)
    shifts = {path: shift_of(watched, path) for path in _PATHS}

    assert {path: shift for path, shift in shifts.items() if shift > 0.01} == {}
