"""A finding of the doctor."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    severity: str  # error | warning | info
    code: str
    subject: str
    evidence: str
    advice: str
    session_id: str | None = None  # the run that it is about
    topic: str | None = None  # the show that it is about
