"""The exchange of a person with an agent: the messages sent to it, and its questions with their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import local
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.cli.ask._render import answer_lines, taken_line
from lionstudio.model.message_text import first_line
from lionstudio.model.questions import Question
from lionstudio.state.exchange.mailboxes import Receipt

_LONGEST_LINE = 80  # characters of a message in the inbox


def exchange_lines(
    receipts: Sequence[Receipt], questions: Sequence[Question], paint: Paint, *, running: bool
) -> Iterator[str]:
    """The inbox and the questions, each under its title; a part that is empty is left out."""
    if receipts:
        yield paint("Inbox", "bold")
        yield from _receipt_lines(receipts, paint, running=running)
        yield ""
    if questions:
        yield paint("Questions", "bold")
        for question in questions:
            yield from _question_lines(question, paint)
        yield ""


def _receipt_lines(receipts: Sequence[Receipt], paint: Paint, *, running: bool) -> Iterator[str]:
    """The messages that were sent to the agent, each with its receipt."""
    for message, taken in receipts:
        queued = "queued" if running else "not taken before the run ended"
        status = paint(queued, "yellow") if taken is None else f"taken at #{taken}"
        text = inline(first_line(" ".join(message.text[: 2 * _LONGEST_LINE].split()), _LONGEST_LINE))
        yield f"  {local(message.created_at)}  {status}  {paint(inline(message.sender or ''), 'dim')}  {text}"


def _question_lines(question: Question, paint: Paint) -> Iterator[str]:
    status = str(question.status)
    yield f"  {local(question.created_at)}  {paint(status, 'yellow') if question.is_open else status}  " + inline(
        question.title
    )
    if question.is_open:
        yield f"    answer: li ask answer {inline(question.id)}"
    if question.answered_at is not None:
        who = f" by {inline(question.answered_by)}" if question.answered_by else ""
        facts = [f"answered{who}, {local(question.answered_at)}", taken_line(question)]
        yield from (f"    {line}" for line in answer_lines(question))
        yield paint(f"    {'; '.join(filter(None, facts))}", "dim")
    if question.closed_reason is not None:
        yield paint(f"    {inline(question.closed_reason)}", "dim")
