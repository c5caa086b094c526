"""The page in a real Chromium: from a commit to pixels, the first paint of a long run, and how smoothly it scrolls.

The messages are committed by this process, the server is another, the browser a third; all read one clock.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page
from tests.support.browser import Watched, chromium, serve
from tests.support.seed import begin, say
from tests.support.studio import settings_in

import browser as browsers
from benches.measure import percentile
from benches.table import Options, Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

_LONG = 30_000
_PAUSE = 0.15  # between commits, so that each is its own batch
# Records when a mark is on the screen: after the frame that shows it.
_WATCH = """
() => {
  window.seen = {};
  const look = () => {
    for (const [mark] of document.querySelector('main').innerText.matchAll(/mark-\\d+/g)) {
      if (mark in window.seen) continue;
      window.seen[mark] = 0;
      requestAnimationFrame(() => setTimeout(() => {
        window.seen[mark] = performance.timeOrigin + performance.now();
      }));
    }
  };
  const what = {subtree: true, childList: true, characterData: true};
  new MutationObserver(look).observe(document.querySelector('main'), what);
}
"""
# Records when the first message is on the screen, since the start of the navigation.
_SHOWN = """
window.shown = new Promise((resolve) => {
  const look = () => {
    if (!document.querySelector('main ol[aria-label=Messages] article')) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  requestAnimationFrame(look);
});
"""
_SCROLL = """
async () => {
  const scroller = [...document.querySelectorAll('main [data-scroll]')].find((each) => each.scrollHeight > 20000);
  const frames = [];
  let last = performance.now();
  for (let step = 0; step < 120; step++) {
    scroller.scrollTop += 700;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames;
}
"""


def main() -> None:
    args = options(__doc__)
    browsers.install()
    table = Table("The page in Chromium", args)
    with tempfile.TemporaryDirectory() as folder, _studio(Path(folder)) as watched:
        _commit_to_pixels(table, args, watched, Path(folder))
        _long_run(table, args, watched)
    table.close()


@contextlib.contextmanager
def _studio(folder: Path) -> Iterator[Watched]:
    with Database(settings_in(folder).db) as db:
        db.write(_fill)
    with chromium() as browser, serve(folder) as running:
        watched = Watched(browser, running)
        watched.sign_in()
        yield watched
        watched.close()


def _fill(conn: Connection) -> None:
    now = time.time()
    begin(conn, "live", now, name="live")
    branch = begin(conn, "long", now - 40_000, name="long")
    for number in range(_LONG):
        at = now - 40_000 + number
        content = {"assistant_response": f"Message **{number}** with `code` and a list:\n\n- one\n- two"}
        append(conn, branch, say({"instruction": f"Step {number}"} if number % 10 == 0 else content, at))
    # A running run opens at its end; this one is read from the beginning.
    finish_session(conn, "long", "completed", exit_code=0, at=now)


def _commit_to_pixels(table: Table, args: Options, watched: Watched, folder: Path) -> None:
    page = watched.open("runs/live")
    page.evaluate(_WATCH)
    count = 20 if args.quick else 100
    with Database(settings_in(folder).db) as db:
        committed = [_commit(db, number) for number in range(count)]
    page.wait_for_function(f"() => Object.values(window.seen).filter(Boolean).length === {count}")
    seen = page.evaluate("window.seen")
    took = [seen[f"mark-{number}"] - at * 1000 for number, at in enumerate(committed)]
    table.row("commit to pixels, p50", statistics.median(took), "ms")
    table.row("commit to pixels, p95", percentile(took, 95), "ms", at_most(100))
    page.close()


def _commit(db: Database, number: int) -> float:
    time.sleep(_PAUSE)
    message = say({"assistant_response": f"mark-{number}"}, time.time())
    db.write(lambda conn: append(conn, "live.main", message))
    return time.time()


def _long_run(table: Table, args: Options, watched: Watched) -> None:
    paints: list[float] = []
    shown: list[float] = []
    frames: list[float] = []
    for _ in range(2 if args.quick else 5):
        page = watched.page()
        page.add_init_script(_SHOWN)
        page.goto(f"{watched.running.url}runs/long")
        shown.append(page.evaluate("window.shown"))
        page.get_by_text("Message 1 with", exact=False).first.wait_for()
        paints.append(_first_paint(page))
        frames += page.evaluate(_SCROLL)
        page.close()
    table.row("30,000 messages: first contentful paint", statistics.median(paints), "ms", at_most(1000))
    table.row("30,000 messages: first messages painted", statistics.median(shown), "ms", at_most(1000))
    table.row("30,000 messages: frame while scrolling, p50", statistics.median(frames), "ms")
    table.row("30,000 messages: frame while scrolling, p95", percentile(frames, 95), "ms", at_most(50))


def _first_paint(page: Page) -> float:
    return float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))


if __name__ == "__main__":
    main()
