"""Requests of Codex for a person's decision as questions, and the answers as its protocol has them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.codex.items import request_of
from lionstudio.agents.json_rpc import AgentRequest
from lionstudio.agents.records import text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.questions import (
    ALLOW,
    DENY,
    AnsweredQuestion,
    AnswerOption,
    Effect,
    Question,
    QuestionKind,
    replies,
)

SESSION = AnswerOption("allow_session", "Allow for this session", Effect.ALLOW)
_LONG = 10_000  # characters of a command that are too many to be parsed for its title
_DECISIONS: Mapping[str, AnswerOption] = {"accept": ALLOW, "acceptForSession": SESSION}

Reply = Callable[[AnsweredQuestion], Mapping[str, Any]]


class Approval(NamedTuple):
    """A request of Codex that waits, the question that it is, and the way to answer it."""

    request: AgentRequest
    question: Question
    reply: Reply
    refusal: Mapping[str, Any]  # the answer without a person
    takes_words: bool = False  # else words with the answer are a message of their own


def parse_approval(request: AgentRequest, item: Record, *, keeps_rules: bool) -> Approval | None:
    """The request as a question; None if it does not ask for a decision."""
    match request.method:
        case "item/commandExecution/requestApproval":
            return _command(request, keeps_rules=keeps_rules)
        case "item/fileChange/requestApproval":
            return _file_change(request, item)
        case "item/permissions/requestApproval":
            return _permissions(request)
        case "mcpServer/elicitation/request":
            return _elicitation(request)
        case "item/tool/requestUserInput":
            return _user_input(request)
    return None


def _command(request: AgentRequest, *, keeps_rules: bool) -> Approval:
    params = request.params
    network = dict_of(params.get("networkApprovalContext"))
    command = text_or_empty(params.get("command")) or f"connect to {text_or_empty(network.get('host'))}"
    decisions: dict[str, Any] = {}
    options: list[AnswerOption] = []
    offered = params.get("availableDecisions")
    for decision in offered if isinstance(offered, list) else [*_DECISIONS, *_amendments(params)]:
        option = _option(decision, len(options))
        if option is not None and (keeps_rules or isinstance(decision, str)):
            options.append(option)
            decisions[option.id] = decision
    evidence = {
        "tool": "shell",
        "arguments": {"command": command},
        **without_empty(
            kind=params.get("kind"),
            network=network,
            actions=params.get("commandActions"),
            suggestions=params.get("proposedExecpolicyAmendment"),
            network_suggestions=params.get("proposedNetworkPolicyAmendments"),
        ),
    }
    return _decision(request, f"shell: {_words(command)}", "shell", evidence, (*options, DENY), decisions)


def _words(command: str) -> str:
    """The command inside `bash -lc`, which Codex puts around it."""
    if len(command) > _LONG:
        return command
    try:
        parts = shlex.split(command)
    except ValueError:
        return command
    return parts[2] if len(parts) == 3 and parts[1] in ("-lc", "-c") else command


def _amendments(params: Record) -> Iterable[dict[str, Any]]:
    """The rules that Codex proposes, for a version that does not list its decisions."""
    if rule := list_of(params.get("proposedExecpolicyAmendment")):
        yield {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": rule}}
    for rule in list_of(params.get("proposedNetworkPolicyAmendments")):
        yield {"applyNetworkPolicyAmendment": {"network_policy_amendment": rule}}


def _option(decision: Any, number: int) -> AnswerOption | None:
    """The option for a decision; declining is always possible and has one option."""
    if isinstance(decision, str):
        return _DECISIONS.get(decision)
    rule = dict_of(dict_of(decision).get("acceptWithExecpolicyAmendment")).get("execpolicy_amendment")
    if isinstance(rule, list):
        return AnswerOption("always", f"Always allow {shlex.join(map(str, rule))}", Effect.ALLOW_ALWAYS)
    network = dict_of(dict_of(dict_of(decision).get("applyNetworkPolicyAmendment")).get("network_policy_amendment"))
    host, action = text_or_empty(network.get("host")), text_or_empty(network.get("action"))
    if not host:
        return None
    effect = Effect.DENY if action == "deny" else Effect.ALLOW_ALWAYS
    return AnswerOption(f"{action}_host_{number}", f"Always {action} {host}", effect)


def _file_change(request: AgentRequest, item: Record) -> Approval:
    arguments = request_of(item).content["arguments"] if item else {}
    changes = list(map(dict_of, list_of(arguments.get("changes"))))
    paths = [os.path.basename(text_or_empty(change.get("path"))) for change in changes]
    diff = "\n".join(f"{change.get('kind')} {change.get('path')}\n{change.get('diff') or ''}" for change in changes)
    root = request.params.get("grantRoot")
    evidence = {"tool": "apply_patch", "arguments": arguments, **without_empty(diff=diff, grant_root=root)}
    title = f"apply_patch: {', '.join(paths) or 'files'}"
    decisions = {option.id: decision for decision, option in _DECISIONS.items()}
    return _decision(request, title, "apply_patch", evidence, (ALLOW, SESSION, DENY), decisions)


def _decision(
    request: AgentRequest,
    title: str,
    tool: str,
    evidence: Mapping[str, Any],
    options: tuple[AnswerOption, ...],
    decisions: Mapping[str, Any],
) -> Approval:
    refusal = {"decision": "decline"}
    return Approval(
        request,
        _question(request, title, tool, evidence, options),
        lambda answered: {"decision": decisions.get(answered.answer.option or "", "decline")},
        refusal,
    )


def _permissions(request: AgentRequest) -> Approval:
    wanted = without_empty(**dict_of(request.params.get("permissions")))
    refusal = {"permissions": {}, "scope": "turn"}
    granted = {
        ALLOW.id: {"permissions": wanted, "scope": "turn"},
        SESSION.id: {"permissions": wanted, "scope": "session"},
    }
    evidence = {"tool": "request_permissions", "arguments": jsonable(wanted)}
    title = f"request_permissions: {', '.join(wanted) or 'none'}"
    question = _question(request, title, "request_permissions", evidence, (ALLOW, SESSION, DENY))
    return Approval(request, question, lambda answered: granted.get(answered.answer.option or "", refusal), refusal)


def _elicitation(request: AgentRequest) -> Approval:
    """A question of an MCP server: a form, an address to open, or a permission in the shape of an empty form."""
    params = request.params
    server, schema = text_or_empty(params.get("serverName")), dict_of(params.get("requestedSchema"))
    form = dict_of(schema.get("properties"))
    evidence = {
        "tool": f"mcp__{server}",
        "arguments": dict.fromkeys(form),
        **without_empty(
            text=params.get("message"), schema=schema, url=params.get("url"), details=jsonable(params.get("_meta"))
        ),
    }
    refusal = {"action": "decline", "content": None, "_meta": None}

    def reply(answered: AnsweredQuestion) -> Mapping[str, Any]:
        if answered.answer.option != ALLOW.id:
            return refusal
        return {"action": "accept", "content": dict(answered.answer.arguments or {}), "_meta": None}

    title = f"{server}: {text_or_empty(params.get('message'))}"
    kind = QuestionKind.QUESTION if form else QuestionKind.PERMISSION
    question = _question(
        request, title, f"mcp__{server}", evidence, (ALLOW, DENY), kind=kind, takes_arguments=bool(form)
    )
    return Approval(request, question, reply, refusal)


def _user_input(request: AgentRequest) -> Approval:
    """Questions in words; the arguments may answer several of them, words answer all."""
    asked = list(map(dict_of, list_of(request.params.get("questions"))))
    ids = [text_or_empty(entry.get("id")) for entry in asked]
    labels = [
        text_or_empty(dict_of(choice).get("label")) for entry in asked for choice in list_of(entry.get("options"))
    ]
    text = "\n".join(text_or_empty(entry.get("question")) for entry in asked)
    evidence = {
        "tool": "request_user_input",
        "text": text,
        "arguments": dict.fromkeys(ids),
        "questions": jsonable(asked),
    }

    def reply(answered: AnsweredQuestion) -> Mapping[str, Any]:
        option = answered.question.option(answered.answer.option)
        words = [part for part in (option.label if option else "", answered.answer.text or "") if part]
        given = answered.answer.arguments or {}
        return {"answers": {name: {"answers": [str(given[name])] if name in given else words} for name in ids}}

    question = _question(
        request,
        text,
        "request_user_input",
        evidence,
        replies(labels) if len(asked) == 1 else (),
        kind=QuestionKind.QUESTION,
        takes_arguments=len(asked) > 1,
    )
    return Approval(request, question, reply, {"answers": {}}, takes_words=True)


def _question(
    request: AgentRequest,
    title: str,
    reason: str,
    evidence: Mapping[str, Any],
    options: tuple[AnswerOption, ...],
    *,
    kind: QuestionKind = QuestionKind.PERMISSION,
    takes_arguments: bool = False,
) -> Question:
    params = request.params
    where = without_empty(call_id=params.get("itemId"), cwd=params.get("cwd"), text=params.get("reason"))
    return Question(
        kind=kind,
        title=title[:_LONG].strip() or reason,
        reason=reason,
        evidence={**where, **evidence},
        options=options,
        takes_text=True,
        takes_arguments=takes_arguments,
        outlives=True,
    )
