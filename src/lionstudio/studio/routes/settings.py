"""`/api/admin/settings`: every setting with its origin, and changes of config.toml in the home."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import Conflict
from lionstudio.files.config_file import write_setting
from lionstudio.settings import (
    CONFIG,
    SETTINGS,
    Setting,
    Settings,
    check_in_file,
    describe,
    load_settings,
    parse_setting,
)
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, encode_json
from lionstudio.studio.schemas import admin as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services

router = LazyRouter(tags=["admin"])


@router.get("/api/admin/settings", response_model=schemas.SettingsShape, responses=problems())
async def get_settings(request: Request) -> Response:
    """Get every setting as a new process has it, its origin, and the value that this server started with."""
    app = services(request)
    items = await asyncio.to_thread(_items, app)
    values, origins = ({item["name"]: item[key] for item in items} for key in ("value", "origin"))
    body = {"settings": values, "origins": origins, "items": items, "read_only": app.credentials.read_only}
    return Response(encode_json(body), media_type=JSON)


@router.put("/api/admin/settings/{name}", response_model=schemas.ChangedSetting, responses=problems(409))
async def change_setting(request: Request, name: str, payload: schemas.SettingChange) -> Response:
    """Change a setting in config.toml of the home, as `li config set` and `li config unset` do."""
    app = services(request)
    path = os.path.join(app.settings.home, CONFIG)

    def work() -> dict[str, Any]:
        check_in_file(name)
        value = None if payload.value is None else parse_setting(name, payload.value)
        locked = next(item["locked"] for item in _items(app) if item["name"] == name)
        if locked is not None:
            raise Conflict(f"{name} cannot be changed here: {locked}", hint="change it where it is set")
        changed = write_setting(path, name, value)
        app.audit_log.write("changed_setting", why=f"{name} in {path}")
        [setting] = [item for item in _items(app) if item["name"] == name]
        return {"setting": setting, "path": path, "changed": changed}

    return Response(encode_json(await asyncio.to_thread(work)), media_type=JSON)


def current_settings(app: Services) -> Settings:
    """The settings of a process that would start now; options of this server stay."""
    flags = {name: getattr(app.settings, name) for name, origin in app.settings.origins.items() if origin == "flag"}
    return load_settings(flags)


def _items(app: Services) -> list[dict[str, Any]]:
    started = {item["name"]: item["value"] for item in describe(app.settings)}
    by_name = {item.name: item for item in SETTINGS}
    return [
        item
        | {
            "kind": _kind_of(by_name[item["name"]]),
            "choices": list(by_name[item["name"]].choices),
            "locked": _locked(by_name[item["name"]], item["origin"], os.path.join(app.settings.home, CONFIG)),
            "in_use": started[item["name"]],
        }
        for item in describe(current_settings(app))
    ]


def _kind_of(item: Setting) -> str:
    if item.choices:
        return "choice"
    if item.is_boolean:
        return "boolean"
    return "integer" if item.is_integer else "text" if item.is_text else "path"


def _locked(item: Setting, origin: str, home_file: str) -> str | None:
    if origin == "environment":
        return f"the environment variable {item.variable} sets it"
    if origin == "flag":
        return f"Studio was started with --{item.name.replace('_', '-')}"
    if item.name == "home":
        return f"only the environment variable {item.variable} sets it"
    return None if origin in ("default", home_file) else f"{origin} sets it"
