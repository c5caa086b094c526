"""The examples of docs/reference/api.md: each runs in a shell and returns no problem."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.builders import begin, say, write
from tests.support.studio import Running, server, until_answering

from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "api.md"
EXAMPLES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.strip().splitlines()
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("documented")) as started:
        until_answering(started)
        with Database(str(started.home / "state.db")) as db:
            begun = begin(db, "documented")
            say(db, begun.branch_id, "hello")
            write(db, finish_session, "documented", "completed")
        yield started


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("example", EXAMPLES)
def test_docs_example_works(running: Running, example: str) -> None:
    given = {
        **os.environ,
        "STUDIO": running.url.rstrip("/"),
        "LIONAGI_HOME": str(running.home),
        "SESSION": "documented",
        "AUTH": f"Authorization: Bearer {running.token}",
        "no_proxy": "*",
    }
    done = subprocess.run(["sh", "-c", example], env=given, capture_output=True, text=True, timeout=30)

    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "urn:lion-studio" not in done.stdout


def test_docs_have_examples() -> None:
    assert len(EXAMPLES) >= 10
