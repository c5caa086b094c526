"""`/api/search` by run, its filters, and `/api/find`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.seed import rich_home
from tests.support.studio import AUTH, InProcess, application, settings_in

from lionstudio.studio.schemas import search as schemas

pytestmark = pytest.mark.sqlite  # the home is seeded before the application starts


@pytest.fixture(scope="module")
def studio(database_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    folder: Path = tmp_path_factory.mktemp("rich")
    rich_home(settings_in(folder))
    with application(folder) as running:
        yield running


def names(studio: InProcess, typed: str) -> list[tuple[str, str]]:
    answer = studio.get(f"/api/find?q={typed}")
    schemas.Names.model_validate(answer, strict=True)
    return [(section["kind"], name["id"]) for section in answer["sections"] for name in section["names"]]


def test_search_groups_by_run(studio: InProcess) -> None:
    answer = studio.get("/api/search?q=limits&group=true")
    schemas.Hits.model_validate(answer, strict=True)
    (run,) = answer["runs"]
    assert (run["name"], run["count"], len(run["hits"]), answer["total"]) == ("rate limits", 45, 3, 45)
    assert run["state"]["label"] == "completed"
    assert answer["hits"] == []


def test_search_by_file_is_one_request(studio: InProcess) -> None:
    (run,) = studio.get("/api/search?group=true&file=tests/step_7.py")["runs"]
    assert [(hit["tool"], hit["ord"]) for hit in run["hits"]] == [("Bash", 24)]
    refused = studio.client.get("/api/search?q=role:boss", headers=AUTH)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")


def test_search_filters_say_why_a_mode_is_off(studio: InProcess) -> None:
    answer = studio.get("/api/search/filters")
    schemas.SearchFilters.model_validate(answer, strict=True)
    modes: dict[str, Any] = {mode["mode"]: mode["reason"] for mode in answer["modes"]}
    assert modes == {"words": None, "semantic": "embed_model is not set", "hybrid": "embed_model is not set"}
    assert answer["tools"] == ["Bash"]


def test_find_covers_every_kind_of_name(studio: InProcess) -> None:
    assert names(studio, "reviewer")[0] == ("agent", "reviewer")
    assert names(studio, "ship-it")[0] == ("playbook", "ship-it")
    assert names(studio, "che fl")[0] == ("show", "checkout-flow")
    assert names(studio, "receipts")[0] == ("play", "receipts")
    assert names(studio, "infra")[0] == ("project", "infra")
    assert names(studio, "archive-me")[0][0] == "team"
    assert names(studio, "task+7")[0] == names(studio, "TASK+7")[0] == ("run", "run-007")
    assert names(studio, "run-0")[0] == ("run", "run-000")
    assert names(studio, "zzzz") == []
    assert names(studio, "%22%25_*") == []
    assert {kind for kind, _ in names(studio, "")} == {"run", "show"}
