"""Links between documents lead to files and headings that exist, and the package map is current."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import package_map

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def documents() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if not name.startswith(("src/", "tests/"))]


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_existing_files_and_headings(document: Path) -> None:
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        linked = (document.parent / path).resolve() if path else document
        assert linked.exists(), f"{document.name} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{document.name} links to {target}"


def test_package_map_of_the_architecture_page_is_current() -> None:
    text = package_map.DOCUMENT.read_text(encoding="utf-8")

    assert text == package_map.with_map(text), "renew it with: make docs"


def test_package_map_names_every_top_level_package() -> None:
    packages = {path.parent.name for path in package_map.PACKAGE.glob("*/__init__.py")}

    assert packages == set(package_map.ROOMS)
