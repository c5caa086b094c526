"""An agent drafts a plan: it is told the format and what there is, and its answer is taken when it holds a plan."""

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

_SECONDS = 1800
_TRIES = 2
_MOST_MESSAGES = 10_000
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_ASK = """\
Plan a show: several agents work on the repository in your folder at the same time, each on one play in a checkout
of its own. A play starts when everything in its `depends_on` is merged. Look at the repository, change nothing.

The goal: {goal}

Cut the work into plays that touch different files as far as possible, so that they can run side by side and merge
without conflicts. Say in each prompt everything its agent needs to know: it sees nothing but the prompt and the
repository. Use gates that prove the work: the commands that this repository has for its tests.

Answer with one fenced block that holds the whole plan, like this:

```markdown
---
gates:
  - command: make test
plays:
  - name: lexer
    intent: why this play exists, in one sentence
    prompt: |
      What the agent is to do, and how it knows that it is done.
  - name: parser
    depends_on: [lexer]
    prompt: |
      …
---

A few sentences about how the plan reaches the goal.
```

Names consist of small letters, digits and dashes. A command is run without a shell. Each play is played by
`{agent}` unless it says `agent:` or `playbook:`.
Agents that exist: {agents}. Playbooks that exist: {playbooks}."""
_AGAIN = """\

Your last answer could not be used:
{problems}

Give the whole plan again, corrected."""


def draft(args: argparse.Namespace, settings: Settings, repo: str, fields: Mapping[str, str]) -> str:
    """The text of a plan by an agent; asked once more when its first answer is none."""
    known = {
        kind: [each.name for each in list_definitions(kind, settings.home, repo)] for kind in ("agent", "playbook")
    }
    prompt = _ASK.format(
        goal=fields["goal"],
        agent=args.agent,
        agents=", ".join(known["agent"]) or "none",
        playbooks=", ".join(known["playbook"]) or "none",
    )
    asked, wrong = prompt, [Problem("error", None, "the agent gave no plan")]
    for _ in range(_TRIES):
        text, wrong = _try(args, settings, repo, asked, {**fields, "agent": args.agent})
        if not wrong:
            return text
        told = "\n".join(f"- line {each.line}: {each.message}" if each.line else f"- {each.message}" for each in wrong)
        say(f"The draft cannot be used:\n{told}", quiet=args.quiet)
        asked = prompt + _AGAIN.format(problems=told)
    raise plan_error("the draft", wrong)


def _try(
    args: argparse.Namespace, settings: Settings, repo: str, prompt: str, fields: dict[str, str]
) -> tuple[str, list[Problem]]:
    found = plan_in(_ask(args, settings, repo, prompt))
    if found is None:
        return "", [Problem("error", None, "there is no fenced block with `plays:` in the answer")]
    try:
        text = with_fields(found, {name: value for name, value in fields.items() if name != "agent"})
        if not re.search(r"^agent:", text, re.MULTILINE):
            text = with_fields(text, {"agent": fields["agent"]})
    except LionError as error:
        return "", [Problem("error", None, error.message)]
    _, problems = parse_plan(args.topic, text)
    return text, [problem for problem in problems if problem.severity == "error"]


def plan_in(answer: str) -> str | None:
    """The plan that an answer holds: in a fence, or the answer itself; the last one counts."""
    fenced = [found[2] for found in _FENCE.finditer(answer)]
    for text in [*reversed(fenced), answer]:
        if re.search(r"^plays:", text, re.MULTILINE):
            whole = text.strip()
            return f"{whole}\n" if whole.startswith("---") else f"---\n{whole}\n---\n"
    return None


def _ask(args: argparse.Namespace, settings: Settings, repo: str, prompt: str) -> str:
    """Run the agent like `li agent`, kept message by message; everything that it said."""
    from lionstudio.cli.run import _execute
    from lionstudio.runs.prepare import resolve
    from lionstudio.runs.prepare.build import RunContext, ShowLink, prepare_agent

    who = resolve.resolve_agent(args.agent, settings, repo)
    link = ShowLink(name=f"plan_{args.topic}", show_topic=args.topic)
    prepared = prepare_agent(RunContext(settings, repo, os.environ), link, who, prompt)
    talk = argparse.Namespace(quiet=args.quiet, json=False, no_color=args.no_color, stream_persist=False)
    with redirect_stdout(sys.stderr):  # what the agent says is talk; the plan is what this command prints
        code = _execute.run_session(talk, settings, prepared, who.timeout or _SECONDS)
    if code != 0:
        hint = f"li state show {prepared.session.id}"
        raise InvalidInput(f"the agent {args.agent} gave no plan (exit code {code})", hint=hint)
    return _said(settings.db, prepared.session.id)


def _said(db: str, session_id: str) -> str:
    """The answers of a session in their order; some agents give one for every line."""
    from lionstudio.cli._toolkit import db_access
    from lionstudio.model.messages import AssistantResponse
    from lionstudio.state.messages.windows import messages_after

    with db_access.reading(db) as conn:
        found = messages_after(conn, session_id, -1, _MOST_MESSAGES)
    return "\n".join(
        each.message.text for each in found if isinstance(each.message, AssistantResponse) and each.message.text
    )
