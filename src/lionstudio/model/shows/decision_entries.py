"""Entries of the decision log of a show in words: who decided what, when and from where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.coerce import dict_of, list_of, text_or_none, to_int, to_timestamp

_DECIDED = {
    "approve": "approved {}",
    "reject": "rejected {}",
    "redo": "sent {} back for another attempt",
    "escalate": "escalated {}",
}
_AMOUNTS = {"tokens": "{:,} tokens", "cost_microusd": "${:,.2f}", "seconds": "{:,} s"}


class DecisionEntry(NamedTuple):
    """One entry; `actor` is the user, or the part of the product that acted."""

    at: float | None
    kind: str  # decision | asked | abort | refused | plan | repair | answer
    actor: str | None
    text: str  # what the actor did: "approved bench although its gate failed"
    play: str | None = None
    attempt: int | None = None
    detail: str | None = None  # feedback or reason
    via: str | None = None  # page | terminal
    origin: Mapping[str, Any] | None = None
    session_id: str | None = None
    overrides: bool = False  # it merges work whose gates failed

    def sentence(self, user: str | None) -> str:
        """The entry as a sentence; the user of this process is "you"."""
        actor = "you" if self.actor is not None and self.actor == user else self.actor or "an unknown user"
        return f"{actor} {self.text}"


def via_of(origin: Mapping[str, Any]) -> str | None:
    """Where a decision was made."""
    return {"http": "page", "cli": "terminal"}.get(str(origin.get("via")))


def parse_decision(record: Mapping[str, Any], *, gate_failed: bool = False) -> DecisionEntry | None:
    """An entry of `_decisions.jsonl`; None for one that another entry repeats, or that is not one."""
    what = record.get("what")
    play, origin = text_or_none(record.get("play")), dict_of(record.get("origin"))
    entry = DecisionEntry(
        at=to_timestamp(record.get("at")) or to_timestamp(record.get("logged_at")),
        kind="plan",
        actor="the director",
        text="",
        play=play,
        attempt=to_int(record.get("attempt")),
        detail=text_or_none(record.get("feedback")) or text_or_none(record.get("reason")),
        via=via_of(origin),
        origin=origin or None,
    )
    by = text_or_none(record.get("by"))
    match what:
        case "decision":
            overrides = gate_failed and record.get("word") == "approve"
            text = _decision_text(record, play)
            text += " although its gate failed" if overrides else ""
            return entry._replace(kind="decision", actor=by, text=text, overrides=overrides)
        case "abort":
            return entry._replace(kind="abort", actor=by, text="aborted the show")
        case "refused":
            action = text_or_none(record.get("action")) or "decide"
            text = f"tried to {action} {play or 'the show'} and was refused"
            return entry._replace(kind="refused", actor="an agent", text=text)
        case "asked":
            return entry._replace(kind="asked", text=f"asked about {play or 'the show'}")
        case "plan edited":
            return entry._replace(text="took over an edit of the plan")
        case "plan refused":
            return entry._replace(text="refused an edit of the plan")
        case "reviewer changed":
            return entry._replace(text=f"found another definition of the reviewer {record.get('reviewer')}")
        case "mended":
            return entry._replace(kind="repair", text=f"repaired the files of {play or 'the show'}")
        case _:
            return None


def _decision_text(record: Mapping[str, Any], play: str | None) -> str:
    if amounts := _granted(dict_of(record.get("budget"))):
        return f"raised the budget by {amounts}"
    word = str(record.get("word", record.get("decision")))
    if play is None and (record.get("plan") or record.get("commits") or record.get("dropped")):
        commits = len(list_of(record.get("commits"))) + len(list_of(record.get("dropped")))
        subjects = [
            *(["the edited plan"] if record.get("plan") else []),
            *([f"{commits} commit{'s' if commits > 1 else ''} on the integration branch"] if commits else []),
        ]
        return f"{'accepted' if word == 'approve' else 'rejected'} {' and '.join(subjects)}"
    text = _DECIDED.get(word, f"decided “{word}” about {{}}").format(play or "the show")
    return f"{text}, conflict markers included" if record.get("force") is True else text


def _granted(budget: Mapping[str, Any]) -> str:
    parts = [
        words.format(amount / 1e6 if name == "cost_microusd" else amount)
        for name, words in _AMOUNTS.items()
        if (amount := to_int(budget.get(name)))
    ]
    return ", ".join(parts)
