"""Agents, playbooks, skills and plugins from their folders; agents and playbooks can be edited and have versions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Header, Path
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.definitions import versions as editing
from lionstudio.errors import Conflict, LionError, NotFound
from lionstudio.files.definitions import catalog, plugin_details, plugins, search_paths
from lionstudio.state.definitions import Version, get_version, list_versions
from lionstudio.studio.http.error_responses import error_response, problem_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import definitions as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name
from lionstudio.system.filenames import shown as shown_path

router = LazyRouter(tags=["definitions"])
IfMatch = Annotated[str | None, Header(alias="If-Match", max_length=200)]
_LISTED = {304: {"description": "as before"}, **problems()}
AUTHOR = "studio"


@router.get("/api/agents", response_model=schemas.Definitions, responses=_LISTED)
async def list_agents(request: Request) -> Response:
    """List agents; an invalid one has an `error`."""
    return await _list(request, _definitions("agent"))


@router.get("/api/playbooks", response_model=schemas.Definitions, responses=_LISTED)
async def list_playbooks(request: Request) -> Response:
    """List playbooks; an invalid one has an `error`."""
    return await _list(request, _definitions("playbook"))


@router.get("/api/skills", response_model=schemas.Definitions, responses=_LISTED)
async def list_skills(request: Request) -> Response:
    """List skills; none of them is executed."""
    return await _list(request, _skills)


@router.get("/api/plugins", response_model=schemas.Plugins, responses=_LISTED)
async def list_plugins(request: Request) -> Response:
    """List plugins with their components; none of them is executed."""
    return await _list(request, _plugins)


@router.get("/api/plugins/{plugin_id}", response_model=schemas.PluginDetail, responses=problems())
async def get_plugin(request: Request, plugin_id: str) -> Response:
    """Get a plugin with its texts, hooks and servers; no value of an environment variable or header is read out."""
    app = services(request)

    def work() -> dict[str, Any]:
        plugin = plugins.find_plugin(plugin_id, app.settings.home, search_paths.claude_folder())
        if plugin is None:
            raise NotFound(f"plugin {shown_path(plugin_id)!r:.100} does not exist", hint="li plugins ls")
        return {"plugin": _plugin_json(plugin, plugin), **plugin_details.read_details(plugin)}

    return json_response(await asyncio.to_thread(work), app.db.seq())


@router.get("/api/definitions/{kind}/{name}", response_model=schemas.DefinitionDetail, responses=problems())
async def get_definition(request: Request, kind: schemas.Kind, name: str) -> Response:
    """Get a definition with its text; a save must send its ETag."""
    app = services(request)
    seq = app.db.seq()  # before the text: a save in between then counts as a change
    definition = await asyncio.to_thread(_find, app, kind, name)
    return json_response(_detail(definition), seq, headers=_etag(definition))


@router.put(
    "/api/definitions/{kind}/{name}",
    response_model=schemas.DefinitionDetail,
    responses={201: {"description": "created", "model": schemas.DefinitionDetail}, **problems(409, 412, 428)},
)
async def save_definition(
    request: Request,
    kind: schemas.Kind,
    name: str,
    payload: schemas.NewText,
    if_match: IfMatch = None,
    if_none_match: Annotated[str | None, Header(alias="If-None-Match", max_length=200)] = None,
) -> Response:
    """Save a text: with `If-Match` and the ETag of the text it replaces, or `If-None-Match: *` for a new one."""
    app = services(request)
    check_name(name)
    try:
        editing.check_definition(kind, name, payload.text)
    except editing.InvalidDefinition as error:
        errors = [problem._asdict() for problem in error.problems]
        return problem_response(422, error.code, error.message, hint=error.hint, errors=errors)
    creating = if_match is None and if_none_match == "*"
    if if_match is None and not creating:
        return _no_precondition()

    def save() -> catalog.Definition:
        target = (
            editing.new_target(kind, name, app.settings.home)
            if creating
            else editing.target_of(catalog.get_definition(kind, name, app.settings.home, _cwd()))
        )
        editing.save(
            app.db.database(),
            app.settings.home,
            target,
            payload.text,
            create=creating,
            expected=_expected(if_match),
            author=AUTHOR,
            message=payload.message,
        )
        return catalog.get_definition(kind, name, app.settings.home, _cwd())

    try:
        saved = await asyncio.to_thread(save)
    except Conflict as error:
        return error_response(error, 412)
    return json_response(_detail(saved), app.db.seq(), status=201 if creating else 200, headers=_etag(saved))


@router.delete(
    "/api/definitions/{kind}/{name}", response_model=schemas.DeletedDefinition, responses=problems(409, 412, 428)
)
async def delete_definition(request: Request, kind: schemas.Kind, name: str, if_match: IfMatch = None) -> Response:
    """Delete the file of a definition; its versions stay, and a rollback restores it."""
    app = services(request)
    if if_match is None:
        return _no_precondition()

    def work() -> Version:
        target = editing.target_of(catalog.get_definition(kind, name, app.settings.home, _cwd()))
        return editing.delete(app.db.database(), app.settings.home, target, expected=_expected(if_match))

    try:
        last = await asyncio.to_thread(work)
    except Conflict as error:
        return error_response(error, 412)
    return json_response({"version": _version_json(last, whole=False)}, app.db.seq())


@router.post("/api/definitions/{kind}/{name}/validate", response_model=schemas.CheckedText, responses=problems())
async def check_definition(kind: schemas.Kind, name: str, payload: schemas.Draft) -> Response:
    """Validate a text without saving it."""
    check_name(name)
    parsed = await asyncio.to_thread(editing.parse_text, kind, name, payload.text)
    return Response(encode_json({"definition": catalog.to_dict(parsed, whole=True)}), media_type=JSON)


@router.get("/api/definitions/{kind}/{name}/versions", response_model=schemas.Versions, responses=problems())
async def get_versions(request: Request, kind: schemas.Kind, name: str) -> Response:
    """List the versions, newest first, without their texts."""
    app = services(request)
    key = (await asyncio.to_thread(_target, app, kind, name)).key
    versions, seq = app.db.read(lambda conn: list_versions(conn, kind, key))
    return json_response({"versions": [_version_json(version, whole=False) for version in versions]}, seq)


@router.get(
    "/api/definitions/{kind}/{name}/versions/{version}", response_model=schemas.OneVersion, responses=problems()
)
async def get_one_version(
    request: Request, kind: schemas.Kind, name: str, version: Annotated[int, Path(ge=1, le=2**31)]
) -> Response:
    """Get one version with its text."""
    app = services(request)
    key = (await asyncio.to_thread(_target, app, kind, name)).key
    row, seq = app.db.read(lambda conn: get_version(conn, kind, key, version))
    return json_response({"version": _version_json(row, whole=True)}, seq)


@router.post(
    "/api/definitions/{kind}/{name}/rollback", response_model=schemas.DefinitionDetail, responses=problems(409)
)
async def roll_back(request: Request, kind: schemas.Kind, name: str, payload: schemas.RollbackRequest) -> Response:
    """Save the text of an earlier version as the newest one."""
    app = services(request)

    def work() -> catalog.Definition:
        target = _target(app, kind, name)
        editing.rollback(app.db.database(), app.settings.home, target, payload.version, author=AUTHOR)
        return _find(app, kind, name)

    restored = await asyncio.to_thread(work)
    return json_response(_detail(restored), app.db.seq(), headers=_etag(restored))


Lister = Callable[[Services], tuple[list[dict[str, Any]], list[search_paths.SearchPath]]]


async def _list(request: Request, lister: Lister) -> Response:
    app = services(request)
    seq = app.db.seq()
    items, search_path = await asyncio.to_thread(lister, app)
    folders = [{**folder._asdict(), "path": shown_path(folder.path)} for folder in search_path]
    body = {"items": items, "places": [folder["path"] for folder in folders], "looked": folders}
    return cacheable_response(request, encode_json(body), seq)


def _definitions(kind: str) -> Lister:
    def list_kind(app: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
        home = app.settings.home
        definitions = _with_versions(app, lambda: catalog.list_definitions(kind, home, _cwd()))
        folders = search_paths.definition_paths(home, _cwd())
        search_path = [folder._replace(path=os.path.join(folder.path, catalog.FOLDERS[kind])) for folder in folders]
        return [catalog.to_dict(definition) for definition in definitions], search_path

    return list_kind


def _skills(app: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
    claude = search_paths.claude_folder()
    skills = plugins.list_skills(app.settings.home, _cwd(), claude)
    return [catalog.to_dict(skill) for skill in skills], search_paths.skill_paths(app.settings.home, _cwd(), claude)


def _plugins(app: Services) -> tuple[list[dict[str, Any]], list[search_paths.SearchPath]]:
    listing = plugins.list_plugins(app.settings.home, search_paths.claude_folder())
    newest = plugins.newest_of(listing.plugins)
    return [_plugin_json(plugin, newest[plugin.name]) for plugin in listing.plugins], listing.places


def _plugin_json(plugin: plugins.Plugin, newest: plugins.Plugin) -> dict[str, Any]:
    managed = plugin.place.origin == "claude"
    return plugins.to_dict(plugin, whole=True) | {
        "read_only": managed or not os.access(plugin.path, os.W_OK),
        "newest": newest.version if newest.version != plugin.version else None,
    }


def _find(app: Services, kind: str, name: str) -> catalog.Definition:
    return _with_versions(app, lambda: [catalog.get_definition(kind, name, app.settings.home, _cwd())])[0]


def _target(app: Services, kind: str, name: str) -> editing.Target:
    """The file of a name and the key of its versions; a deleted file of the home has versions too."""
    try:
        return editing.target_of(_find(app, kind, name))
    except NotFound:
        target = editing.new_target(kind, name, app.settings.home)
        if not app.db.read(lambda conn: list_versions(conn, kind, target.key))[0]:
            raise
        return target


def _expected(if_match: str | None) -> str | None:
    return None if if_match in (None, "*") else if_match.removeprefix("W/").strip('"')


def _no_precondition() -> Response:
    return problem_response(
        428,
        "no_precondition",
        "If-Match is missing: it names the text that you changed.",
        hint="send the ETag of the response that you read, or If-None-Match: * for a new definition",
    )


def _with_versions(app: Services, read: Callable[[], list[catalog.Definition]]) -> list[catalog.Definition]:
    """Read definitions; an edit by another program becomes a version, if the database can be written."""
    try:
        database = app.db.find_database()
        if database is not None:
            return editing.list_recorded(database, app.settings.home, read)
    except NotFound:
        raise
    except LionError as error:
        app.audit_log.write("unobserved", why=error.message)
    return read()


def _detail(definition: catalog.Definition) -> dict[str, Any]:
    return {"definition": catalog.to_dict(definition, whole=True), "text": definition.text}


def _version_json(version: Version, *, whole: bool) -> dict[str, Any]:
    data = version._asdict()
    del data["id"], data["kind"], data["name"]
    return data if whole else {**data, "content": None}


def _etag(definition: catalog.Definition) -> dict[str, str]:
    return {} if definition.sha256 is None else {"ETag": f'"{definition.sha256}"'}


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep
