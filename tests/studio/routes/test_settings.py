"""Settings over HTTP: the rules of `li config set`, their origin, and no secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.studio import AUTH, InProcess, application

from lionstudio.files.config_file import write_setting
from lionstudio.studio.schemas import admin


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.delenv("LIONAGI_FOLLOW_TRANSCRIPTS", raising=False)
    with application(tmp_path) as studio:
        yield studio


def setting(studio: InProcess, name: str) -> dict[str, Any]:
    result = studio.get("/api/admin/settings")
    admin.SettingsShape.model_validate(result, strict=True)
    [item] = [item for item in result["items"] if item["name"] == name]
    return dict(item)


def change(studio: InProcess, name: str, value: str | None) -> tuple[int, dict[str, Any]]:
    answer = studio.client.put(f"/api/admin/settings/{name}", headers=AUTH, json={"value": value})
    return answer.status_code, answer.json()


def test_change_setting_writes_the_file_and_keeps_the_rest(studio: InProcess) -> None:
    path = Path(studio.services.settings.home, "config.toml")
    path.write_text("# mine\nkeep_n = 7\n")

    status, body = change(studio, "keep_days", "90")

    assert (status, body["changed"], body["setting"]["origin"]) == (200, True, str(path))
    assert path.read_text() == "# mine\nkeep_n = 7\nkeep_days = 90\n"
    assert (setting(studio, "keep_days")["value"], setting(studio, "keep_days")["in_use"]) == (90, 30)
    assert studio.get("/api/admin/prune")["keep_days"] == 90
    assert change(studio, "keep_days", None)[0] == 200
    assert path.read_text() == "# mine\nkeep_n = 7\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("keep_days", "many"), ("sandbox", "never"), ("notify_webhook", "ftp://x"), ("home", "/tmp"), ("odd", "1")],
)
def test_change_setting_refuses_what_the_command_refuses(studio: InProcess, name: str, value: str) -> None:
    assert change(studio, name, value)[0] == 400
    assert not Path(studio.services.settings.home, "config.toml").exists()


def test_setting_of_the_environment_is_locked(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_KEEP_N", "5")

    assert setting(studio, "keep_n")["locked"] == "the environment variable LIONAGI_KEEP_N sets it"
    status, body = change(studio, "keep_n", "9")
    assert (status, body["code"]) == (409, "conflict")
    assert change(studio, "shows", "/tmp")[0] == 409  # an option of this server


def test_secret_value_is_never_returned(studio: InProcess) -> None:
    secret = "T0000/B0000/abcdefghijklmnop"
    write_setting(
        str(Path(studio.services.settings.home, "config.toml")), "notify_webhook", f"https://hooks.example/{secret}"
    )

    item = setting(studio, "notify_webhook")

    assert (item["value"], item["hidden"]) == ("https://hooks.example/…", True)
    status, body = change(studio, "notify_webhook", f"https://hooks.example/{secret}2")
    assert status == 200
    assert secret not in str(body)
    assert secret not in studio.client.get("/api/admin/logs", headers=AUTH).text
