"""Two Studios on one hub and a browser on each; one Studio is killed, and both pages go on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, serve
from tests.support.commands import li
from tests.support.studio import Running, settings_in
from tests.support.tcp_proxy import TcpProxy

pytestmark = pytest.mark.postgres
Visit = Callable[..., Watched]


class Hub(NamedTuple):
    url: str
    proxy: TcpProxy
    first: Running
    second: Running

    def record(self, text: str) -> None:
        env = {"LIONAGI_DB": self.url, "LIONAGI_HOME": str(self.second.home)}
        done = li("agent", "script", f"@say {text}", "--name", text, env=env)
        assert done.code == 0, done.err


@pytest.fixture
def hub(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    proxy = TcpProxy()
    monkeypatch.setenv("LIONAGI_DB", postgres_url)
    monkeypatch.setenv("LIONAGI_STUDIO_URL", f"http://127.0.0.1:{proxy.port}")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    try:
        with serve(tmp_path / "a") as first, serve(tmp_path / "b") as second:
            proxy.ports += [first.port, second.port]
            yield Hub(postgres_url, proxy, first, second)
    finally:
        proxy.close()


def test_pages_go_on_when_a_studio_is_killed(hub: Hub, visit: Visit, tmp_path: Path) -> None:
    behind_proxy = hub.first._replace(url=f"http://127.0.0.1:{hub.proxy.port}/")
    pages: list[Page] = []
    for running in (behind_proxy, hub.second):
        pages.append(visit(Studio(running, settings_in(tmp_path), None)).open("runs"))
    hub.record("before the kill")
    for page in pages:
        expect(page.get_by_role("link", name="before the kill").first).to_be_visible()

    hub.first.stop(signal.SIGKILL)
    hub.record("after the kill")

    for page in pages:
        expect(page.get_by_role("link", name="after the kill").first).to_be_visible()
        page.get_by_role("link", name="after the kill").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("after the kill")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_contain_text("after the kill")
