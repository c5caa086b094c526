"""SQL conditions on `status`, made once at import from the table of statuses."""

from __future__ import annotations

from collections.abc import Iterable

from lionstudio.model.status.statuses import PLAYS_NEEDING_DECISION, PLAYS_NEEDING_REVIEW, SESSIONS
from lionstudio.model.status.vocabulary import Card


def _condition(statuses: Iterable[str]) -> str:
    """`= 'x'` for one status: SQLite matches a partial index by the text of its condition."""
    quoted = [f"'{status}'" for status in statuses]
    return f"= {quoted[0]}" if len(quoted) == 1 else f"IN ({', '.join(quoted)})"


SESSION_CARDS = {
    card: _condition(status for status, row in SESSIONS.items() if card in row.cards)
    for card in Card
    if card is not Card.NEEDS_REVIEW
}
NEEDS_REVIEW = _condition(PLAYS_NEEDING_REVIEW)
NEEDS_DECISION = _condition(PLAYS_NEEDING_DECISION)
