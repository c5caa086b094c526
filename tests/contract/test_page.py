"""What the page promises about itself: types of the server as it is, a small first load, and nothing of other hosts."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from tests.support.browser import built_page

import web
from lionstudio.studio.app import create_app

MOST_FIRST_BYTES = 250_000
_ENTRY = "index.html"
_FIRST_PAGE = "src/pages/home/page.tsx"
# Where a browser would load something from: url(…), src=, href=, import. Links that a person may follow are not meant.
_LOADED = re.compile(r"""(?:url\(|\bsrc=|@import|\bfrom\s*|\bimport\s*\(?)\s*["']?(https?:)?//[\w.-]+""")


def test_the_types_are_those_of_the_server() -> None:
    made = web.types(json.dumps(create_app().openapi()))

    assert web.TYPES.read_text(encoding="utf-8") == made, "renew them with `make types`"


def chunks_of(manifest: dict[str, dict[str, object]], name: str) -> set[str]:
    """The files that a chunk needs before it runs, with its own."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        chunk = manifest[waiting.pop()]
        if str(chunk["file"]) not in found:
            found.add(str(chunk["file"]))
            waiting += chunk.get("imports", [])  # type: ignore[arg-type]
    return found


@pytest.mark.slow
def test_the_first_page_loads_little_script() -> None:
    folder = built_page()
    manifest = json.loads((folder / "assets" / "manifest.json").read_text())
    files = chunks_of(manifest, _ENTRY) | chunks_of(manifest, _FIRST_PAGE)
    sizes = {name: len(gzip.compress((folder / name).read_bytes(), 6)) for name in files}

    assert sum(sizes.values()) <= MOST_FIRST_BYTES, sizes
    assert not any(re.search("xyflow|codemirror|highlight|dagre", name) for name in files)


@pytest.mark.slow
def test_the_built_page_loads_nothing_from_elsewhere_and_has_no_inline_script() -> None:
    folder = built_page()
    page = (folder / "index.html").read_text()
    styles = [path.read_text() for path in (folder / "assets").glob("*.css")]

    assert not _LOADED.search(page)
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert " style=" not in page
    assert [found for text in styles if (found := _LOADED.search(text))] == []
    assert '<meta name="csp-nonce" content="' in page


def test_the_lock_holds_hashes_and_no_hosts() -> None:
    lock = json.loads((web.SOURCES / "package-lock.json").read_text())
    packages = [facts for name, facts in lock["packages"].items() if name]

    assert all("resolved" not in facts for facts in packages)
    assert all("integrity" in facts for facts in packages)


def test_scripts_of_the_page_do_not_call_npm() -> None:
    # The npm that pip installs cannot be called by name.
    scripts = json.loads((web.SOURCES / "package.json").read_text())["scripts"]

    assert [script for script in scripts.values() if re.search(r"\bnp[mx]\b", script)] == []


def test_such_a_load_would_be_noticed() -> None:
    assert _LOADED.search("@import 'https://fonts.example/x.css'")
    assert _LOADED.search("background: url(//cdn.example/x.png)")
    assert not _LOADED.search(Path(__file__).name)
