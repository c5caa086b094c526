"""schemathesis: every operation with good and bad data; never a 5xx, never a response outside OpenAPI."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.builders import begin, say, write
from tests.support.studio import Running, server, until_answering

from lionstudio.model.shows.show import Play, Show
from lionstudio.state.database import Database
from lionstudio.state.shows import put_play, put_show
from lionstudio.studio.app import create_app

# `make test-api` looks for two minutes, always with the same data, so that only a change can break it; `make soak-api`
# looks for ten, each time with other data.
EXAMPLES = int(os.environ.get("LIONAGI_SCHEMA_EXAMPLES", "15"))
FRESH = bool(os.environ.get("LIONAGI_SCHEMA_FRESH"))
# A process is started for each of these that is good, so few of them are sent.
SLOW = {"POST /api/launches": 20, "POST /api/shows/{topic}/actions": 10, "POST /api/admin/vacuum": 20}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

EVERY = 10**9
NO_HTTP = "Invalid HTTP request received."
SENT: Counter[str] = Counter()

# Streams never end by themselves; they have tests of their own.
schema = schemathesis.openapi.from_dict(create_app().openapi()).exclude(path_regex=r"(/stream|/api/events)$")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("schema")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("HOME", str(folder))  # a launch must not find the transcripts of the user
        started = stack.enter_context(server(folder))
        until_answering(started)
        with Database(str(started.home / "state.db")) as db:
            begun = begin(db, "0", project="demo")
            say(db, begun.branch_id, "hello", "there")
            show = write(db, put_show, Show(topic="0", show_dir=str(started.home / "0")))
            write(db, put_play, Play(show_id=show.id, name="0", session_id="0"))
        yield started


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not FRESH,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
def test_every_operation_conforms_to_openapi(case: Any, running: Running) -> None:
    SENT[case.operation.label] += 1
    if SENT[case.operation.label] > SLOW.get(case.operation.label, EVERY):
        return
    response = case.call(base_url=running.url.rstrip("/"), headers={"Authorization": f"Bearer {running.token}"})

    if response.status_code == 400 and response.text == NO_HTTP:
        return  # a Content-Length that is not a number is refused before it becomes a request
    case.validate_response(response, checks=CHECKS)
    assert "Traceback" not in response.text


def test_openapi_names_the_server() -> None:
    [server] = create_app().openapi()["servers"]
    assert server["url"] == "http://127.0.0.1:{port}"
    assert server["variables"]["port"]["default"] == "8721"
