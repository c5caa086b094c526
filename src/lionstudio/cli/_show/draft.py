"""Let an agent draft a plan: prompt it with the format and the available agents, and parse its answer."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout

from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.definitions.catalog import list_definitions
from lionstudio.files.formats.field_rules import Problem
from lionstudio.files.shows.plan_reader import parse_plan, plan_error
from lionstudio.files.shows.plan_template import with_fields
from lionstudio.settings import Settings

_TIMEOUT_SECONDS = 1800
_TRIES = 2
_MAX_MESSAGES = 10_000
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_ASK = """\
Plan a show: several agents work on the repository in your folder at the same time, each on one play in a checkout
of its own. A play starts when every play in its `depends_on` is merged. Read the repository, change nothing.

The goal: {goal}

Split the work into plays that touch different files as far as possible, so that they can run in parallel and merge
without conflicts. Put everything its agent needs to know into each prompt: it sees only the prompt and the repository.
Use gates that verify the work: the test commands of this repository.

Answer with one fenced block that contains the whole plan, like this:

```markdown
---
gates:
  - command: make test
plays:
  - name: lexer
    intent: why this play exists, in one sentence
    prompt: |
      The task of the agent, and how it knows that it is done.
  - name: parser
    depends_on: [lexer]
    prompt: |
      …
---

A few sentences about how the plan reaches the goal.
```

Names consist of lowercase letters, digits and dashes. Commands run without a shell. The agent of each play is
`{agent}` unless the play sets `agent:` or `playbook:`.
Available agents: {agents}. Available playbooks: {playbooks}."""
_AGAIN = """\

Your last answer is not a valid plan:
{problems}

Answer with the complete, corrected plan."""


def draft(args: argparse.Namespace, settings: Settings, repo: str, fields: Mapping[str, str]) -> str:
    """The text of a plan drafted by an agent; an invalid first answer is retried once."""
    names = {
        kind: [item.name for item in list_definitions(kind, settings.home, repo) if item.error is None]
        for kind in ("agent", "playbook")
    }
    prompt = _ASK.format(
        goal=fields["goal"],
        agent=args.agent,
        agents=", ".join(names["agent"]) or "none",
        playbooks=", ".join(names["playbook"]) or "none",
    )
    request, problems = prompt, [Problem("error", None, "the agent returned no plan")]
    for _ in range(_TRIES):
        text, problems = _try(args, settings, repo, request, {**fields, "agent": args.agent})
        if not problems:
            return text
        lines = "\n".join(
            f"- line {item.line}: {item.message}" if item.line else f"- {item.message}" for item in problems
        )
        say(f"The draft is invalid:\n{lines}", quiet=args.quiet)
        request = prompt + _AGAIN.format(problems=lines)
    raise plan_error("the draft", problems)


def _try(
    args: argparse.Namespace, settings: Settings, repo: str, prompt: str, fields: dict[str, str]
) -> tuple[str, list[Problem]]:
    plan = plan_in(_ask(args, settings, repo, prompt))
    if plan is None:
        return "", [Problem("error", None, "the answer has no fenced block with `plays:`")]
    try:
        text = with_fields(plan, {name: value for name, value in fields.items() if name != "agent"})
        if not re.search(r"^agent:", text, re.MULTILINE):
            text = with_fields(text, {"agent": fields["agent"]})
    except LionError as error:
        return "", [Problem("error", None, error.message)]
    _, problems = parse_plan(args.topic, text)
    return text, [problem for problem in problems if problem.severity == "error"]


def plan_in(answer: str) -> str | None:
    """The plan in an answer: the last fenced block with plays, or the answer itself."""
    fenced = [match[2] for match in _FENCE.finditer(answer)]
    for text in [*reversed(fenced), answer]:
        if re.search(r"^plays:", text, re.MULTILINE):
            plan = text.strip()
            return f"{plan}\n" if plan.startswith("---") else f"---\n{plan}\n---\n"
    return None


def _ask(args: argparse.Namespace, settings: Settings, repo: str, prompt: str) -> str:
    """Run the agent in a recorded session and return its answers."""
    from lionstudio.cli.run import _execute
    from lionstudio.runs.prepare import resolve
    from lionstudio.runs.prepare.build import RunContext, ShowLink, prepare_agent

    agent = resolve.resolve_agent(args.agent, settings, repo)
    link = ShowLink(name=f"plan_{args.topic}", show_topic=args.topic)
    prepared = prepare_agent(RunContext(settings, repo, os.environ), link, agent, prompt)
    options = argparse.Namespace(quiet=args.quiet, json=False, no_color=args.no_color, stream_persist=False)
    with redirect_stdout(sys.stderr):  # stdout is for the plan
        code = _execute.run_session(options, settings, prepared, agent.timeout or _TIMEOUT_SECONDS)
    if code != 0:
        hint = f"li state show {prepared.session.id}"
        raise InvalidInput(f"agent {args.agent} returned no plan (exit code {code})", hint=hint)
    return _answers(settings.db, prepared.session.id)


def _answers(db: str, session_id: str) -> str:
    """All answers of a session in order; some agents send one per line."""
    from lionstudio.cli._toolkit import db_access
    from lionstudio.model.messages import AssistantResponse
    from lionstudio.state.messages.windows import messages_after

    with db_access.reading(db) as conn:
        items = messages_after(conn, session_id, -1, _MAX_MESSAGES)
    return "\n".join(
        item.message.text for item in items if isinstance(item.message, AssistantResponse) and item.message.text
    )
