"""Agents, playbooks, skills and plugins from their folders; agents and playbooks can be edited, with a history."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.definitions import versions as editing
from lionstudio.errors import Conflict, LionError, NotFound
from lionstudio.files.definitions import catalog, plugins, search_paths
from lionstudio.state.definitions import Version, get_version, list_versions
from lionstudio.studio.http.error_responses import error_response, problem_response
from lionstudio.studio.http.responses import JSON, cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import definitions as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name
from lionstudio.system.filenames import shown as shown_path

router = APIRouter(tags=["definitions"])
IfMatch = Annotated[str | None, Header(alias="If-Match", max_length=200)]
_LISTED = {304: {"description": "as before"}, **problems()}
AUTHOR = "studio"


@router.get("/api/agents", response_model=wire.Definitions, responses=_LISTED)
async def list_agents(request: Request) -> Response:
    """Every agent, a bad one as an entry that says why."""
    return await _listed(request, _edited("agent"))


@router.get("/api/playbooks", response_model=wire.Definitions, responses=_LISTED)
async def list_playbooks(request: Request) -> Response:
    """Every playbook, a bad one as an entry that says why."""
    return await _listed(request, _edited("playbook"))


@router.get("/api/skills", response_model=wire.Definitions, responses=_LISTED)
async def list_skills(request: Request) -> Response:
    """Every skill; nothing of them is run."""
    return await _listed(request, _skills)


@router.get("/api/plugins", response_model=wire.Plugins, responses=_LISTED)
async def list_plugins(request: Request) -> Response:
    """Every plugin with its parts; nothing of them is run."""
    return await _listed(request, _plugins)


@router.get("/api/definitions/{kind}/{name}", response_model=wire.DefinitionDetail, responses=problems())
async def get_definition(request: Request, kind: wire.Kind, name: str) -> Response:
    """One definition with its text; its ETag is what a save must name."""
    here = services(request)
    seq = here.db.seq()  # before the text: what is saved in between is news then
    found = await asyncio.to_thread(_find, here, kind, name)
    shown = catalog.to_dict(found, whole=True)
    body = {"definition": shown, "text": found.text}
    return json_response(body, seq, headers=_tagged(found.sha256))


@router.put(
    "/api/definitions/{kind}/{name}",
    response_model=wire.DefinitionDetail,
    responses={201: {"description": "made", "model": wire.DefinitionDetail}, **problems(409, 412, 428)},
)
async def save_definition(
    request: Request,
    kind: wire.Kind,
    name: str,
    given: wire.NewText,
    if_match: IfMatch = None,
    if_none_match: Annotated[str | None, Header(alias="If-None-Match", max_length=200)] = None,
) -> Response:
    """Save a text: `If-Match` with the ETag it was read with, or `If-None-Match: *` for a new one."""
    here = services(request)
    check_name(name)
    creating = if_match is None and if_none_match == "*"
    if if_match is None and not creating:
        return problem_response(
            428,
            "no_precondition",
            "Say with If-Match which text you have changed.",
            hint="its ETag is in the answer that you read; a new one takes If-None-Match: *",
        )

    def save() -> catalog.Definition:
        target = (
            editing.new_target(kind, name, here.settings.home)
            if creating
            else editing.target_of(catalog.get_definition(kind, name, here.settings.home, _cwd()))
        )
        editing.save(
            here.db.database(),
            here.settings.home,
            target,
            given.text,
            create=creating,
            expected=None if if_match in (None, "*") else if_match.removeprefix("W/").strip('"'),
            author=AUTHOR,
            message=given.message,
        )
        return catalog.get_definition(kind, name, here.settings.home, _cwd())

    try:
        found = await asyncio.to_thread(save)
    except Conflict as error:
        return error_response(error, 412)
    body = {"definition": catalog.to_dict(found, whole=True), "text": found.text}
    return json_response(body, here.db.seq(), status=201 if creating else 200, headers=_tagged(found.sha256))


@router.post("/api/definitions/{kind}/{name}/validate", response_model=wire.CheckedText, responses=problems())
async def check_definition(kind: wire.Kind, name: str, given: wire.Draft) -> Response:
    """What is wrong with a text, while it is written; nothing is saved."""
    check_name(name)
    draft = catalog.Definition(kind, name, "", search_paths.SearchPath("", "draft"), text=given.text)
    found = await asyncio.to_thread(catalog.parsed, draft, given.text)
    return Response(encode_json({"definition": catalog.to_dict(found, whole=True)}), media_type=JSON)


@router.get("/api/definitions/{kind}/{name}/versions", response_model=wire.Versions, responses=problems())
async def get_versions(request: Request, kind: wire.Kind, name: str) -> Response:
    """The history, newest first, without the texts."""
    here = services(request)
    key = (await asyncio.to_thread(_find, here, kind, name)).key
    found, seq = here.db.read(lambda conn: list_versions(conn, kind, key))
    return json_response({"versions": [_version(each, whole=False) for each in found]}, seq)


@router.get("/api/definitions/{kind}/{name}/versions/{version}", response_model=wire.OneVersion, responses=problems())
async def get_one_version(
    request: Request, kind: wire.Kind, name: str, version: Annotated[int, Path(ge=1, le=2**31)]
) -> Response:
    """One earlier text."""
    here = services(request)
    key = (await asyncio.to_thread(_find, here, kind, name)).key
    found, seq = here.db.read(lambda conn: get_version(conn, kind, key, version))
    return json_response({"version": _version(found, whole=True)}, seq)


@router.post("/api/definitions/{kind}/{name}/rollback", response_model=wire.DefinitionDetail, responses=problems(409))
async def roll_back(request: Request, kind: wire.Kind, name: str, given: wire.RollbackRequest) -> Response:
    """Make an earlier text the newest version."""
    here = services(request)

    def work() -> catalog.Definition:
        target = editing.target_of(_find(here, kind, name))
        editing.rollback(here.db.database(), here.settings.home, target, given.version, author=AUTHOR)
        return _find(here, kind, name)

    found = await asyncio.to_thread(work)
    body = {"definition": catalog.to_dict(found, whole=True), "text": found.text}
    return json_response(body, here.db.seq(), headers=_tagged(found.sha256))


Lister = Callable[[Services], tuple[list[dict[str, Any]], list[search_paths.SearchPath]]]


async def _listed(request: Request, lister: Lister) -> Response:
    here = services(request)
    seq = here.db.seq()
    items, looked = await asyncio.to_thread(lister, here)
    shown = [{**each._asdict(), "path": shown_path(each.path)} for each in looked]
    return cacheable_response(
        request, encode_json({"items": items, "places": [each["path"] for each in shown], "looked": shown}), seq
    )


def _edited(kind: str) -> Lister:
    def look(here: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
        home = here.settings.home
        found = _settled(here, lambda: catalog.list_definitions(kind, home, _cwd()))
        folders = search_paths.definition_paths(home, _cwd())
        looked = [place._replace(path=os.path.join(place.path, catalog.FOLDERS[kind])) for place in folders]
        return [catalog.to_dict(each) for each in found], looked

    return look


def _skills(here: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
    claude = search_paths.claude_folder()
    found = plugins.list_skills(here.settings.home, _cwd(), claude)
    return [catalog.to_dict(each) for each in found], search_paths.skill_paths(here.settings.home, _cwd(), claude)


def _plugins(here: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
    found = plugins.list_plugins(here.settings.home, search_paths.claude_folder())
    return [plugins.to_dict(each, whole=True) for each in found.plugins], found.places


def _find(here: Services, kind: str, name: str) -> catalog.Definition:
    return _settled(here, lambda: [catalog.get_definition(kind, name, here.settings.home, _cwd())])[0]


def _settled(here: Services, look: Callable[[], list[catalog.Definition]]) -> list[catalog.Definition]:
    """An edit by another program becomes a version; what is there is shown even where that cannot be written."""
    try:
        database = here.db.find_database()
        if database is not None:
            return editing.settled(database, here.settings.home, look)
    except NotFound:
        raise
    except LionError as error:
        here.audit_log.write("unobserved", why=error.message)
    return look()


def _version(each: Version, *, whole: bool) -> dict[str, Any]:
    data = each._asdict()
    del data["id"], data["kind"], data["name"]
    return data if whole else {**data, "content": None}


def _tagged(sha256: str | None) -> dict[str, str]:
    return {} if sha256 is None else {"ETag": f'"{sha256}"'}


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep
