"""Run an agent by the Agent Client Protocol: one process, one session, a prompt and the messages that follow it.

The program is `options["command"]`. We offer no file system and no terminal: the agent uses its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from lionstudio.agents.acp.permissions import decide, decided, fitting_mode, question_of
from lionstudio.agents.acp.updates import UpdateReader, config_facts
from lionstudio.agents.acp.usage import models_of_turn, usage_of_turn, with_cost
from lionstudio.agents.continuation import history_sent
from lionstudio.agents.denials import completed, denial_facts
from lionstudio.agents.dialog import Delivery, Said, SentMessage
from lionstudio.agents.events import (
    AnswerTaken,
    Ended,
    Event,
    MessageEvent,
    MetadataEvent,
    QuestionAsked,
    QuestionClosed,
)
from lionstudio.agents.json_rpc import (
    AUTH_REQUIRED,
    AgentConnection,
    AgentError,
    AgentRequest,
    ConnectionClosed,
    Notification,
    Output,
    Response,
    error_text,
)
from lionstudio.agents.jsonl_process import ended_without_result, notice
from lionstudio.agents.preflight import check_request
from lionstudio.agents.program_and_person import ProgramAndPerson
from lionstudio.agents.provider import Provider, Task, history_as_text
from lionstudio.agents.rate_limits import failed
from lionstudio.agents.records import text_or_empty, without_empty
from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import AnsweredQuestion, QuestionStatus
from lionstudio.model.status.reasons import ANSWER_CUT
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.system.program import Program, find_program
from lionstudio.version import VERSION

PROTOCOL_VERSION = 1
_REPLAY_SECONDS = 0.5  # of silence: Gemini CLI answers `session/load` before it has replayed the conversation
_STOPS: Mapping[str, tuple[str, str]] = {
    "max_tokens": (ANSWER_CUT, "the answer is incomplete: the model reached its output limit"),
    "max_turn_requests": ("run.failed.turn_limit", "the agent reached its limit of model requests for one prompt"),
    "refusal": ("run.failed.refused", "the agent refused to continue"),
}


def provider() -> Provider:
    return Acp()


class Acp:
    name = "acp"

    def check(self, task: Task) -> None:
        check_request(task)
        argv = task.options.get("command")
        if not isinstance(argv, (list, tuple)) or not argv:
            raise InvalidInput(
                "the provider acp needs the command of an agent", hint='li agent acp "…" -- claude-agent-acp'
            )
        find_program(str(argv[0]), task.env, f"install {argv[0]}, or write its full path after --", cwd=task.cwd)

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Start the program, send one prompt, yield its events."""
        command = [str(part) for part in task.options["command"]]
        argv = [find_program(command[0], task.env, "", cwd=task.cwd), *command[1:]]
        async with Program(argv, cwd=task.cwd, env=task.env, conversation=True, sandbox=task.sandbox) as program:
            conversation = _Conversation(task, AgentConnection(program))
            try:
                async with aclosing(conversation.events()) as events:
                    async for event in events:
                        yield event
                ended = conversation.ended()
            except AgentError as error:
                ended = conversation.ended_by(error)
            except ConnectionClosed:
                ended = ended_without_result(await program.wait(), program.stderr_tail, command[0])
            for event in conversation.reader.end_turn():
                yield event
            yield ended


class _Conversation:
    """A prompt and everything that the agent sends until it has answered; then the messages that came meanwhile."""

    def __init__(self, task: Task, connection: AgentConnection) -> None:
        self.reader = UpdateReader()
        self._task = task
        self._connection = connection
        self._result: Record = {}  # of the last request
        self._session_id = ""
        self._capabilities: Record = {}
        self._login = ""
        self._is_replaying = False
        self._model: str | None = None
        self._listener = ProgramAndPerson(connection.receive, task.dialog)
        self._waiting: dict[str, AgentRequest] = {}  # by question
        self._answered = list(task.answered)  # of the run that this one continues; each decides once
        self._next: deque[SentMessage] = deque()
        self._is_prompting = False
        self._is_interrupted = False
        self._cost = 0  # of the turns before

    async def events(self) -> AsyncGenerator[Event, None]:
        info = {"name": "lion-studio", "version": VERSION}
        parameters = {"protocolVersion": PROTOCOL_VERSION, "clientCapabilities": {}, "clientInfo": info}
        try:
            for step in (self._call("initialize", parameters), self._open(), self._prompts()):
                async with aclosing(step) as events:
                    async for event in events:
                        yield event
        finally:
            await self._listener.close()

    async def _call(self, method: str, params: Mapping[str, Any]) -> AsyncGenerator[Event, None]:
        """Send a request and yield the events until its answer, which becomes `_result`."""
        request_id = await self._connection.send_request(method, params)
        while True:
            try:
                message = await self._listener.next(self.reader.hold_left)
            except TimeoutError:
                for event in self.reader.flush():
                    yield event
                continue
            if isinstance(message, Response):
                if message.id != request_id:
                    continue
                if message.error is not None:
                    raise AgentError(method, message.error)
                self._result = message.result
                return
            async for event in self._handle(message):
                yield event

    async def _handle(self, message: Notification | AgentRequest | Output | Said) -> AsyncGenerator[Event, None]:
        if isinstance(message, Output):
            for event in self.reader.output(message.value):
                yield event
        elif isinstance(message, Notification):
            # `_auth/status_update` and other extensions say nothing about the conversation
            if message.method == "session/update" and not self._is_replaying:
                for event in self.reader.feed(dict_of(message.params.get("update"))):
                    yield event
            elif message.method == "$/cancel_request":
                cancelled = message.params.get("requestId")
                for event in await self._withdraw("the agent stopped waiting for it", cancelled):
                    yield event
        elif isinstance(message, AnsweredQuestion):
            async for event in self._answer(message):
                yield event
        elif isinstance(message, SentMessage):
            for event in await self._hear(message):
                yield event
        elif message.method != "session/request_permission":
            await self._connection.refuse(message)
        else:
            async for event in self._permit(message):
                yield event

    async def _permit(self, request: AgentRequest) -> AsyncGenerator[Event, None]:
        """Answer a permission request as the task permits, or ask."""
        options = list_of(request.params.get("options"))
        call = self.reader.merge_request(request.params)
        if self._task.permissions == "ask" and self._task.dialog is not None:
            evidence = {**call.evidence, "cwd": self._task.cwd}
            question = question_of(evidence, options, outlives=self._can_continue)
            for event in self.reader.permission_asked(request.params):
                yield event
            earlier = next((answered for answered in self._answered if answered.question.asks_the_same(question)), None)
            if earlier is not None:
                self._answered.remove(earlier)
            if earlier is None or not await self._takes(earlier):
                self._waiting[question.id] = request
                yield QuestionAsked(question)
                return
            yield AnswerTaken(earlier.question.id)
            decision = decided(earlier, options)
        else:
            decision = decide(self._task.permissions, call.kind, options)
        for event in self.reader.permission(request.params, decision):
            yield event
        await self._connection.respond(request, decision.outcome)

    async def _takes(self, answered: AnsweredQuestion) -> bool:
        """Commit that the answer is taken, before the tool can run: it must never run twice."""
        return self._task.dialog is not None and await self._task.dialog.take(answered.question.id)

    async def _answer(self, answered: AnsweredQuestion) -> AsyncGenerator[Event, None]:
        request = self._waiting.pop(answered.question.id, None)
        if request is None or not await self._takes(answered):  # it was closed meanwhile
            return
        yield AnswerTaken(answered.question.id)
        decision = decided(answered, list_of(request.params.get("options")))
        for event in self.reader.permission(request.params, decision):
            yield event
        if answered.answer.text:  # the protocol has no words with a decision
            metadata = {"answers": answered.question.id}
            words = Instruction(content={"instruction": answered.answer.text}, metadata=metadata)
            self._next.appendleft(SentMessage(words, Delivery.NEXT))
        await self._connection.respond(request, decision.outcome)

    async def _hear(self, sent: SentMessage) -> list[Event]:
        """Keep a message for the next prompt; one that replaces the turn cancels it."""
        if sent.delivery is not Delivery.INSTEAD:
            self._next.append(sent)
            return []
        self._next.appendleft(sent)
        if not self._is_prompting:
            return []
        self._is_interrupted = True
        await self._connection.notify("session/cancel", {"sessionId": self._session_id})
        return await self._withdraw("the turn was interrupted")

    async def _withdraw(self, reason: str, request_id: Any = None) -> list[Event]:
        """Close the open questions, or the one of a request; the agent receives that they were cancelled."""
        events: list[Event] = []
        for question_id, request in list(self._waiting.items()):
            if request_id in (None, request.id):
                del self._waiting[question_id]
                await self._connection.respond(request, {"outcome": {"outcome": "cancelled"}})
                events.append(QuestionClosed(question_id, QuestionStatus.WITHDRAWN, reason))
        return events

    @property
    def _can_continue(self) -> bool:
        offered = dict_of(self._capabilities.get("sessionCapabilities"))
        return offered.get("resume") is not None or bool(self._capabilities.get("loadSession"))

    async def _open(self) -> AsyncGenerator[Event, None]:
        """Start or continue a session, and set its mode, model and effort."""
        for event in self._note_agent():
            yield event
        method, params = self._opening()
        self._is_replaying = method == "session/load"
        try:
            async with aclosing(self._call(method, params)) as events:
                async for event in events:
                    yield event
        except AgentError as error:
            if not (self._task.resume and self._task.answered and self._task.history):
                raise
            # it was killed before it had stored the conversation: the answers must reach it all the same
            for event in history_sent("the agent", self._task, str(error)):
                yield event
            self._task = self._task._replace(resume=None)
            self._is_replaying = False
            method, params = self._opening()
            async with aclosing(self._call(method, params)) as events:
                async for event in events:
                    yield event
        if self._is_replaying:
            await self._skip_replay()
        session = self._result
        self._session_id = text_or_empty(session.get("sessionId")) or text_or_empty(params.get("sessionId"))
        modes, models = dict_of(session.get("modes")), dict_of(session.get("models"))
        facts = {
            "conversation": self._session_id,
            **without_empty(model=models.get("currentModelId"), permission_mode=modes.get("currentModeId")),
            **config_facts(session),
        }
        self._model = text_or_empty(facts.get("model")) or None
        for event in self.reader.note_facts(**facts):
            yield event
        for method, params, fact in self._settings(session):
            try:
                async with aclosing(self._call(method, {"sessionId": self._session_id, **params})) as events:
                    async for event in events:
                        yield event
            except AgentError as error:
                if "permission_mode" not in fact:
                    raise
                # an agent may refuse a mode for this folder; its permission requests are answered all the same
                text = f"the agent did not accept the mode {fact['permission_mode']}: {error}"
                yield MessageEvent(notice(text, "mode", params))
                continue
            self._model = fact.get("model", self._model)
            for event in self.reader.note_facts(**fact):
                yield event

    def _note_agent(self) -> Iterator[Event]:
        self._capabilities = dict_of(self._result.get("agentCapabilities"))
        methods = [text_or_empty(dict_of(entry).get("name")) for entry in list_of(self._result.get("authMethods"))]
        self._login = ", ".join(filter(None, methods))
        agent = dict_of(self._result.get("agentInfo"))
        name = text_or_empty(agent.get("name")).rpartition("/")[2]
        command = list(map(str, self._task.options["command"]))
        # `program` stays the agent's own name when the run has the name of a definition
        facts = {"agent_name": name, "program": name, "version": agent.get("version"), "command": command}
        yield from self.reader.note_facts(**facts)

    def _opening(self) -> tuple[str, dict[str, Any]]:
        params: dict[str, Any] = {"cwd": self._task.cwd, "mcpServers": []}
        if not self._task.resume:
            return "session/new", params
        offered = dict_of(self._capabilities.get("sessionCapabilities"))
        params["sessionId"] = self._task.resume
        if self._task.options.get("fork"):
            if offered.get("fork") is not None:
                return "session/fork", params
            raise AgentError(
                "session/fork",
                {
                    "message": "this agent cannot fork a conversation; `--fork SESSION:ORD` "
                    "sends it the earlier messages"
                },
            )
        if offered.get("resume") is not None:
            return "session/resume", params
        if self._capabilities.get("loadSession"):
            return "session/load", params
        raise AgentError(
            "session/load",
            {
                "message": "this agent cannot continue a conversation; `--fork SESSION:ORD` "
                "sends it the earlier messages"
            },
        )

    async def _skip_replay(self) -> None:
        """Drop the updates about the past until the agent is silent."""
        while True:
            try:
                message = await self._connection.receive(_REPLAY_SECONDS)
            except TimeoutError:
                self._is_replaying = False
                return
            if isinstance(message, AgentRequest):
                await self._connection.refuse(message)

    def _settings(self, session: Record) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        """The requests that set the mode, model and effort of the task, with the fact that each establishes."""
        modes = [
            text_or_empty(dict_of(mode).get("id"))
            for mode in list_of(dict_of(session.get("modes")).get("availableModes"))
        ]
        options = {
            text_or_empty(option.get("category")): option
            for option in map(dict_of, list_of(session.get("configOptions")))
        }
        mode = fitting_mode(self._task.permissions, modes)
        if mode is not None:
            yield "session/set_mode", {"modeId": mode}, {"permission_mode": mode}
        elif mode := fitting_mode(self._task.permissions, _values(options.get("mode"))):
            yield _config(options["mode"], mode, "permission_mode")
        if model := self._task.model:
            models = list_of(dict_of(session.get("models")).get("availableModels"))
            names = [text_or_empty(dict_of(entry).get("modelId")) for entry in models]
            if "model" in options:
                yield _config(options["model"], _offered(model, _values(options["model"]), "model"), "model")
            else:
                yield "session/set_model", {"modelId": _offered(model, names, "model")}, {"model": model}
        if effort := self._task.effort:
            option = options.get("thought_level", {})
            yield _config(option, _offered(effort, _values(option), "effort"), "effort")

    async def _prompts(self) -> AsyncGenerator[Event, None]:
        """The prompt of the task, then the messages that came during a turn."""
        task = self._task
        history = history_as_text(task.history) if task.history and not task.resume else None
        text = "\n\n".join(part for part in (task.system, history, task.prompt) if part)
        while True:
            async with aclosing(self._prompt(text)) as events:
                async for event in events:
                    yield event
            while (heard := self._listener.said_nowait()) is not None:
                if isinstance(heard, SentMessage):
                    self._next.append(heard)
            goes_on = self._is_interrupted or self._result.get("stopReason") == "end_turn"
            self._is_interrupted = False
            if not goes_on or not self._next:
                break
            sent = self._next.popleft()
            yield MessageEvent(sent.message)
            text = sent.text
        if self.reader.denied:
            yield MetadataEvent({"denied": denial_facts(tuple(self.reader.denied))})

    async def _prompt(self, text: str) -> AsyncGenerator[Event, None]:
        """One turn."""
        params = {"sessionId": self._session_id, "prompt": [{"type": "text", "text": text}]}
        self._is_prompting = True
        async with aclosing(self._call("session/prompt", params)) as events:
            async for event in events:
                yield event
        self._is_prompting = False
        for event in await self._withdraw("the turn ended"):
            yield event
        while self._answered:  # the agent has read them, and did not make the call again
            answered = self._answered.pop()
            if await self._takes(answered):
                yield AnswerTaken(answered.question.id)
        models = models_of_turn(self._result)
        self._model = self.reader.model or (models[0] if models else self._model)
        for event in self.reader.note_facts(model=self._model):
            yield event
        # the cost of a continued conversation includes earlier runs
        cost = None if self._task.resume else self.reader.cost
        if cost is not None:
            cost, self._cost = max(0, cost - self._cost), cost
        for event in self.reader.end_turn(with_cost(usage_of_turn(self._result), cost, self._model)):
            yield event

    def ended(self) -> Ended:
        """The outcome by the agent's stop reason."""
        stop = text_or_empty(self._result.get("stopReason"))
        if self.reader.has_system_error:
            return _failure(error_text({"data": self.reader.last_text.strip()}))
        if stop == "end_turn":
            return completed(self.reader.denied)
        if stop == "cancelled":
            code = EXIT_CODES[SessionStatus.CANCELLED]
            return Ended(SessionStatus.CANCELLED, code, "run.cancelled.agent", "the agent cancelled its turn")
        reason, detail = _STOPS.get(stop, ("run.failed.provider_error", f"unknown stop reason {stop!r:.60}"))
        delivery = None
        if reason == ANSWER_CUT:
            delivery = "partial" if self.reader.last_text else "missing"
        return Ended(SessionStatus.FAILED, 1, reason, detail, delivery=delivery)

    def ended_by(self, error: AgentError) -> Ended:
        if error.code == AUTH_REQUIRED:
            offered = f" (it offers: {self._login})" if self._login else ""
            hint = "log in with the agent's own program, or pass its API key with --pass-env NAME"
            return _failure(f"the agent requires a login{offered}; {hint}")
        if error.method in ("session/resume", "session/load", "session/fork"):
            hint = "; `--fork SESSION:ORD` starts a new conversation with the earlier messages"
            return _failure(f"{error}{'' if '--fork' in str(error) else hint}")
        return _failure(str(error))


def _failure(text: str) -> Ended:
    ended = failed(text, 1)
    return ended._replace(reason="run.failed.provider_error") if ended.reason == "run.failed.exit_nonzero" else ended


def _values(option: Record | None) -> list[str]:
    """The values of an option, which may be in groups."""
    entries = [dict_of(entry) for entry in list_of(dict_of(option).get("options"))]
    entries += [dict_of(entry) for group in entries for entry in list_of(group.get("options"))]
    return [value for entry in entries if (value := text_or_empty(entry.get("value")))]


def _config(option: Record, value: str, fact: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return "session/set_config_option", {"configId": option.get("id"), "value": value}, {fact: value}


def _offered(value: str, names: list[str], what: str) -> str:
    if value in names:
        return value
    listed = (
        f"it offers: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}"
        if names
        else f"it offers no choice of {what}"
    )
    raise AgentError(
        "session/set_config_option", {"message": f"the agent does not offer the {what} {value!r}; {listed}"}
    )
