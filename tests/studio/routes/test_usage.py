"""`/api/usage`: sums, CSV, waiting and bounds; the same usage in shows and metrics."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, said, write
from tests.support.sql_trace import traced
from tests.support.studio import AUTH, InProcess, application

from lionstudio.errors import InvalidInput
from lionstudio.model.reports.calendar import zone_of
from lionstudio.model.reports.csv_rows import to_csv
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.usage.sums import UsageScope, sum_usage
from lionstudio.studio.schemas import usage as schemas
from lionstudio.studio.views.usage import budget_of, usage_report

NOW = time.time()
DAY = 86400


def spend(db: Database, branch: str, at: float, model: str, tokens: int, cost: int | None) -> None:
    usage = {"input_tokens": tokens, "cache_read_tokens": 2 * tokens}
    metadata = {"model": model, "usage": usage | ({} if cost is None else {"cost_microusd": cost})}
    write(db, append, branch, said("x", created_at=at, metadata=metadata))


@pytest.fixture(scope="module")
def studio(database_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    folder = tmp_path_factory.mktemp("usage")
    (folder / "home").mkdir()
    with application(folder) as running:
        db = running.services.db.database()
        show = write(db, put_show, Show(topic="build", show_dir=str(folder / "shows" / "build")))
        write(db, put_play, Play(show_id=show.id, name="api", status=PlayStatus.MERGED))
        play = begin(db, "play", project='we"b', created_at=NOW - 100, show_topic="build", show_play_name="api")
        spend(db, play.branch_id, NOW - 60, "sonnet", 100, 5_000_000)
        other = begin(db, "other", project="=cmd()", created_at=NOW - 3 * DAY)
        spend(db, other.branch_id, NOW - 3 * DAY, "local", 10, None)
        yield running


def get(studio: InProcess, **query: Any) -> Any:
    answer = studio.client.get("/api/usage", params=query, headers=AUTH)
    assert answer.status_code == 200, answer.text
    schemas.UsageReport.model_validate(answer.json())
    return answer.json()


def test_usage_sums_by_day_and_names_what_is_unknown(studio: InProcess) -> None:
    report = get(studio, stack="model", timezone="UTC")

    assert {part["name"]: part["usage"]["cost_microusd"] for part in report["parts"]} == {
        "sonnet": 5_000_000,
        "local": None,
    }
    assert report["total"]["usage"]["total"] == 330
    assert report["total"]["usage"]["unpriced_tokens"] == 30
    assert report["total"]["runs"] == 2
    assert len(report["buckets"]) in (7, 8)
    assert sum(bucket["usage"]["total"] for bucket in report["buckets"]) == 330
    assert [run["id"] for run in report["top_runs"]] == ["play", "other"]


def test_usage_filters_and_refuses_long_ranges(studio: InProcess) -> None:
    assert get(studio, show="build")["total"]["usage"]["total"] == 300
    assert get(studio, model="local")["total"]["runs"] == 1
    for query in ({"since": NOW - 500 * DAY}, {"since": NOW, "until": NOW - 5}, {"timezone": "Mars/Olympus"}):
        assert studio.client.get("/api/usage", params=query, headers=AUTH).status_code == 400


def test_usage_counts_the_time_of_runs(studio: InProcess) -> None:
    report = get(studio, measure="time", stack="show")

    assert {part["name"] for part in report["parts"]} == {"build", ""}
    assert report["total"]["seconds"] >= 3 * DAY
    assert get(studio, measure="waiting")["total"]["seconds"] == 0


def test_usage_csv_has_no_formula(studio: InProcess) -> None:
    answer = studio.client.get("/api/usage.csv", params={"stack": "project"}, headers=AUTH)

    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["project"] for row in rows} == {'we"b', "'=cmd()"}
    assert sum(int(row["total"]) for row in rows) == 330


def test_usage_of_shows_and_plays_is_the_same(studio: InProcess) -> None:
    show = studio.client.get("/api/shows/build", headers=AUTH).json()
    listed = studio.client.get("/api/shows", headers=AUTH).json()["shows"][0]

    expected = {"input": 100, "output": 0, "cache_read": 200, "cache_write": 0, "total": 300}
    for usage in (show["usage"], show["plays"][0]["usage"], listed["usage"]):
        assert expected.items() <= usage.items()
        assert (usage["cost_microusd"], usage["unpriced_tokens"]) == (5_000_000, 0)


def test_metrics_have_usage_by_model_and_project(studio: InProcess) -> None:
    text = studio.client.get("/metrics", headers=AUTH).text

    assert 'lion_tokens{kind="cache_read",model="sonnet",project="we\\"b"} 200' in text
    assert 'lion_cost_dollars{model="sonnet",project="we\\"b"} 5.000000' in text
    assert 'lion_unpriced_tokens{model="local",project="=cmd()"} 30' in text
    assert 'lion_runs{status="running",model="unknown",project="=cmd()"} 1' in text


def test_usage_report_runs_few_statements(db: Database) -> None:
    run = begin(db, "s")
    for day in range(30):
        spend(db, run.branch_id, NOW - day * DAY, f"model-{day}", 10, 1)
    scope, zone = UsageScope(NOW - 30 * DAY, NOW), zone_of("UTC")
    with traced(db.conn) as ran:
        options: dict[str, Any] = {"by": "day", "stack": "model", "measure": "usage"}
        report = usage_report(db.conn, scope, **options, zone=zone, timezone="UTC", now=NOW)

    assert len(ran) <= 6
    assert len(report["parts"]) == 11  # ten, and all others
    assert sum(part["usage"]["total"] for part in report["parts"]) == report["total"]["usage"]["total"]


def test_budget_counts_the_current_month(db: Database) -> None:
    run = begin(db, "s")
    spend(db, run.branch_id, NOW, "sonnet", 1, 3_000_000)
    spend(db, run.branch_id, NOW - 40 * DAY, "sonnet", 1, 9_000_000)

    assert budget_of(db.conn, 0, NOW, zone_of("UTC")) is None
    budget = budget_of(db.conn, 10, NOW, zone_of("UTC"))
    assert budget is not None
    assert budget["limit_microusd"] == 10_000_000
    assert budget["spent"]["cost_microusd"] == 3_000_000


def test_usage_of_hostile_numbers_and_times_is_answered(tmp_path: Path) -> None:
    """Two runs whose tool claims more than 64 bits can hold together, at a time before every calendar."""
    with application(tmp_path) as running:
        db = running.services.db.database()
        for name in ("one", "two"):
            run = begin(db, name, created_at=NOW)
            spend(db, run.branch_id, -9e10, "m", 1, 1)
            spend(db, run.branch_id, NOW - 60, "m", 1, 1)
            db.write(lambda conn: conn.execute("UPDATE usage_ledger SET input_tokens = 6000000000000000000"))
        for path in ("/api/usage", "/api/usage/sums?since=-1e11", "/api/usage?by=block", "/metrics"):
            answer = running.client.get(path, headers=AUTH)
            assert answer.status_code == 200, (path, answer.text)
        early: dict[str, str | float] = {"since": -1e11, "until": -1e11 + DAY, "timezone": "Europe/Berlin"}
        assert running.client.get("/api/usage", params=early, headers=AUTH).status_code == 200
        lines = db.read(lambda conn: sum_usage(conn, UsageScope(), by="block", stack=None, zone=zone_of("UTC")))
        assert all(datetime.fromtimestamp(line.bucket, UTC).year > 0 for line in lines)


def test_append_refuses_a_usage_that_nobody_can_spend(tmp_path: Path) -> None:
    with application(tmp_path) as running:
        db = running.services.db.database()
        run = begin(db, "run", created_at=NOW)
        with pytest.raises(InvalidInput, match="10\\^12"):
            spend(db, run.branch_id, NOW, "m", 10**13, None)


def test_metrics_have_each_series_once(tmp_path: Path) -> None:
    """A scraper refuses all metrics if two have the same labels, and an agent chooses the names of models."""
    with application(tmp_path) as running:
        db = running.services.db.database()
        run = begin(db, "run", created_at=NOW)
        for end in ("a", "b"):
            spend(db, run.branch_id, NOW, "m" * 150 + end, 7, 1)
        text = running.client.get("/metrics", headers=AUTH).text
    series = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(series) == len(set(series))
    assert f'lion_tokens{{kind="input",model="{"m" * 100}",project="unknown"}} 14' in text


@pytest.mark.parametrize("name", ["\n=cmd()", " =cmd()", "\uff1dcmd()", "\u00a0@x"])
def test_to_csv_makes_no_formula_of_a_name(name: str) -> None:
    [value] = list(csv.DictReader(io.StringIO(to_csv([{"a": name}]), newline="")))
    assert value["a"] == f"'{name}"
