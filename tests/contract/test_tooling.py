"""The repository itself: a complete wheel, exact versions, no trace of the build machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest

import web

ROOT = Path(__file__).resolve().parents[2]
LONGEST_FILE = 600
GENERATED = {"web/src/api/schema.d.ts"}
FIXTURES = ROOT / "tests" / "fixtures"
SOURCE_SUFFIXES = {".py", ".sql", ".ts", ".tsx", ".css", ".js"}

# Split, so that this file does not match itself.
REGISTRY_HOSTS = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "yarn" + "pkg.com",
    "debian" + ".org/debian",
    "arti" + "factory",
]
BUILD_MACHINE = re.compile(r"(?<![\w.~$}-])/(?:root|work)/")


def tracked(*folders: str) -> list[Path]:
    """Tracked files below these folders, or in the whole repository."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in done.stdout.split("\0") if (ROOT / name).is_file()]


def tracked_texts() -> dict[str, str]:
    """Every tracked text file: name to text."""
    contents = {path: path.read_bytes() for path in tracked()}
    return {
        str(path.relative_to(ROOT)): content.decode(errors="replace")
        for path, content in contents.items()
        if b"\0" not in content
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of this tree and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_wheel_contains_every_file_of_the_package(built: Path) -> None:
    (wheel,) = built.glob("lion_studio-*-py3-none-any.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    ours = {str(path.relative_to(ROOT / "src")) for path in tracked("src/lionstudio")}

    assert ours - inside == set()
    assert {"lionstudio/py.typed", "lionstudio/studio/static/index.html"} <= inside
    assert {name.partition("/")[0].partition("-")[0] for name in inside} == {"lionstudio", "lion_studio"}


@pytest.mark.slow
def test_sdist_contains_the_built_page_and_not_its_sources(built: Path) -> None:
    (sdist,) = built.glob("lion_studio-*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}

    assert {"tools/backend.py", "tools/web.py", "src/lionstudio/py.typed"} <= inside
    assert "src/lionstudio/studio/static/index.html" in inside
    assert not any(name.startswith("web/") for name in inside)


def test_build_runs_once_for_the_same_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, ...]] = []

    def npm(*arguments: str) -> None:
        calls.append(arguments)
        web.BUILT.mkdir(exist_ok=True)
        (web.BUILT / "index.html").write_text("built")

    monkeypatch.setattr(web, "SOURCES", tmp_path / "web")
    monkeypatch.setattr(web, "BUILT", tmp_path / "web" / "dist")
    monkeypatch.setattr(web, "STATIC", tmp_path / "static")
    monkeypatch.setattr(web, "npm", npm)

    assert web.requirements() == []
    web.build()
    assert calls == []

    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text("{}")
    assert web.requirements() == [web.NODE]
    web.build()
    assert [call[0] for call in calls] == ["ci", "run"]
    assert (tmp_path / "static" / "index.html").read_text() == "built"

    # Files that npm creates are not sources.
    (tmp_path / "web" / "node_modules").mkdir()
    (tmp_path / "web" / "node_modules" / "new.js").write_text("")
    assert web.requirements() == []
    web.build()
    assert len(calls) == 2

    (tmp_path / "web" / "page.ts").write_text("changed")
    assert web.requirements() == [web.NODE]


def test_build_runs_again_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def npm(*arguments: str) -> None:
        raise SystemExit("npm failed")

    (tmp_path / "package.json").write_text("{}")
    monkeypatch.setattr(web, "SOURCES", tmp_path)
    monkeypatch.setattr(web, "STATIC", tmp_path / "static")
    monkeypatch.setattr(web, "npm", npm)

    with pytest.raises(SystemExit):
        web.build()
    assert web.is_stale()


def test_repository_names_no_package_registry() -> None:
    mentions = [
        f"{name}: {host}" for name, text in tracked_texts().items() for host in REGISTRY_HOSTS if host in text.lower()
    ]

    assert mentions == []


def test_repository_names_no_folder_of_the_build_machine() -> None:
    names = [name for name, text in tracked_texts().items() if BUILD_MACHINE.search(text)]

    assert names == []


@pytest.mark.parametrize("before", ["", "see ", "'", "(", "file://", "="])
@pytest.mark.parametrize("folder", ["root", "work"])
def test_build_machine_pattern_matches_its_folders(before: str, folder: str) -> None:
    assert BUILD_MACHINE.search(f"{before}/{folder}/file") is not None


def test_source_files_stay_below_the_length_limit() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_bytes().splitlines())
        for path in tracked()
        # fixtures are copies: the schema of an earlier version stays as it was
        if path.suffix in SOURCE_SUFFIXES
        and str(path.relative_to(ROOT)) not in GENERATED
        and FIXTURES not in path.parents
    }

    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}
    assert lengths


def test_constraints_are_exact_and_sorted() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]

    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", pin)] == []
    assert pins == sorted(pins, key=str.upper)
    assert "make constraints" in lines[0]


def test_constraints_cover_every_requirement() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    requirements += (ROOT / "requirements-dev.txt").read_text().splitlines()
    names = {name for line in requirements if (name := re.split(r"[^A-Za-z0-9._-]", line)[0])}
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}

    assert names - pinned == set()


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    output = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert [line.split()[1] for line in output.stdout.splitlines()] == phony[1].split()
