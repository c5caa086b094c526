"""The decision log of a show as the API returns it: its file, and the answers that its agents got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.files.shows.decision_log import list_decisions
from lionstudio.model.coerce import dict_of, list_of, text_or_none
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.questions import QuestionKind
from lionstudio.model.shows.decision_entries import DecisionEntry, via_of
from lionstudio.runs.callers.caller import describe_origin
from lionstudio.state.transitions import user_name

_OF_AGENTS = (QuestionKind.PERMISSION, QuestionKind.QUESTION)  # the others are decisions, which the file has


def list_entries(show: Mapping[str, Any], questions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries of a show, newest first."""
    user = user_name()
    logged = [] if show["error"] else list_decisions(show["path"])
    answers = [entry for question in questions if (entry := _answer(question)) is not None]
    return [_entry_json(entry, user) for entry in sorted([*logged, *answers], key=lambda entry: -(entry.at or 0.0))]


def _answer(question: Mapping[str, Any]) -> DecisionEntry | None:
    """The answer that the agent of a play got."""
    if question["kind"] not in _OF_AGENTS or question["answered_at"] is None:
        return None
    answer = dict_of(load_or_keep(question["answer"]))
    options = {option.get("id"): option.get("label") for option in list_of(load_or_keep(question["options"])) if option}
    words = [options.get(answer.get("option")), answer.get("text")]
    origin = dict_of(load_or_keep(question["answered_from"]))
    return DecisionEntry(
        question["answered_at"],
        "answer",
        question["answered_by"],
        f"answered {question['play'] or 'an agent'}: {question['title']}",
        play=question["play"],
        attempt=question["attempt"],
        detail=": ".join(filter(None, map(text_or_none, words))) or None,
        via=via_of(origin),
        origin=origin or None,
        session_id=question["session_id"],
    )


def _entry_json(entry: DecisionEntry, user: str | None) -> dict[str, Any]:
    fields = {**entry._asdict(), "sentence": entry.sentence(user)}
    fields.pop("text")
    return {**fields, "origin": describe_origin(entry.origin) if entry.origin else None}
