"""The built page: the same document on every path, with a fresh nonce; its files are cacheable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.studio import AUTH, InProcess, application

PAGE = '<html><head><meta name="csp-nonce" content="" /></head><body></body></html>'


MANIFEST = {
    "index.html": {"file": "assets/index.js", "imports": ["_app"]},
    "_app": {"file": "assets/app.js", "css": ["assets/app.css"]},
    "_lists": {"file": "assets/lists.js", "imports": ["_app"]},
    "src/pages/run/page.tsx": {"file": "assets/run.js", "imports": ["_app", "_lists"], "css": ["assets/run.css"]},
    "src/pages/runs/page.tsx": {"file": "assets/runs.js", "imports": ["_lists"]},
}


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text(PAGE)
    (static / "favicon.svg").write_text("<svg/>")
    (static / "assets" / "app-1a2b.js").write_text("run()")
    (static / "assets" / "manifest.json").write_text(json.dumps(MANIFEST))
    monkeypatch.setattr("lionstudio.studio.http.static.STATIC", str(static))
    with application(tmp_path) as running:
        yield running


@pytest.mark.parametrize("path", ["/", "/runs/019e", "/runs/a.b", "/shows/x/plays/y", "/nothing-here"])
def test_page_has_a_fresh_nonce_on_every_path(studio: InProcess, path: str) -> None:
    answers = [studio.client.get(path) for _ in range(2)]
    nonces = [re.search(r'content="([^"]+)"', answer.text) for answer in answers]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert len({nonce and nonce[1] for nonce in nonces}) == 2
    for answer, nonce in zip(answers, nonces, strict=True):
        assert nonce is not None
        policy = answer.headers["content-security-policy"]
        assert f"style-src 'self' 'nonce-{nonce[1]}'" in policy
        assert "script-src 'self';" in policy
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("/runs/019e", ["/assets/lists.js", "/assets/run.js", "/assets/run.css"]),
        ("/runs", ["/assets/lists.js", "/assets/runs.js"]),
        ("/", []),
        ("/runs/019e/more", []),
        ("/%22%3E%3Cscript%3E", []),
    ],
)
def test_page_preloads_the_code_of_its_path(studio: InProcess, path: str, files: list[str]) -> None:
    answer = studio.client.get(path)

    assert re.findall(r'<link rel="(?:module)?preload"[^>]* href="([^"]+)">', answer.text) == files
    assert "<script>" not in answer.text


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/metrics", "/openapi.json", "/API/runs"])
def test_page_is_not_served_on_data_paths(studio: InProcess, path: str) -> None:
    assert studio.client.get(path).status_code == 401
    assert "<html" not in studio.client.get(path, headers=AUTH).text


def test_static_files_are_cacheable_by_etag(studio: InProcess) -> None:
    asset, icon = studio.client.get("/assets/app-1a2b.js"), studio.client.get("/favicon.svg")
    again = studio.client.get("/favicon.svg", headers={"If-None-Match": icon.headers["etag"]})

    assert "immutable" in asset.headers["cache-control"]
    assert (icon.headers["cache-control"], icon.text) == ("no-cache", "<svg/>")
    assert (again.status_code, again.content) == (304, b"")
    for missing in ("/assets/none.js", "/none.png", "/assets/app-1a2b.js/more"):
        assert studio.client.get(missing).status_code == 404
