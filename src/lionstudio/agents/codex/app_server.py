"""A conversation with Codex by `codex app-server`: approvals, messages into the running turn, interrupts.

docs/reference/agents.md lists the requests and notifications that are used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any

from lionstudio.agents.codex.approvals import Approval, parse_approval
from lionstudio.agents.codex.thread_items import ThreadReader
from lionstudio.agents.continuation import history_sent
from lionstudio.agents.dialog import Delivery, Said, SentMessage
from lionstudio.agents.events import AnswerTaken, Event, MessageEvent, QuestionAsked, QuestionClosed
from lionstudio.agents.json_rpc import (
    AgentConnection,
    AgentError,
    AgentRequest,
    Notification,
    Output,
    Response,
    error_text,
)
from lionstudio.agents.preflight import prompt_of
from lionstudio.agents.program_and_person import ProgramAndPerson
from lionstudio.agents.provider import Task
from lionstudio.agents.records import joined_text, raw_message, text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import AnsweredQuestion, QuestionStatus
from lionstudio.version import VERSION

_OPENING = ("thread/start", "thread/resume", "thread/fork")
_MAY_FAIL = ("turn/steer", "turn/interrupt")  # the turn may have ended meanwhile
_PROMPT = "prompt"  # our id of the first message, which the run has stored before we start

Then = Callable[[Response], Awaitable[None]]
Decide = Callable[[], Awaitable[None]]


class CodexConversation:
    """One thread: the prompt, then the messages that arrive, until a turn ends and none is left."""

    def __init__(self, task: Task, connection: AgentConnection, reader: ThreadReader, settings: Record) -> None:
        self._task = task
        self._connection = connection
        self._reader = reader
        self._settings = settings
        self._listener = ProgramAndPerson(connection.receive, task.dialog)
        self._expected: dict[Any, tuple[str, Then]] = {}  # requests of ours
        self._thread = ""
        self._turn = ""  # the running turn, once Codex has named it
        self._is_over = False
        self._wants_interrupt = False
        self._waiting: dict[str, Approval] = {}  # by question
        self._answered = list(task.answered)  # of the run that this one continues; each decides once
        self._sent: dict[str, SentMessage] = {}  # given to Codex, and not in the conversation yet
        self._decisions: dict[str, Decide] = {}  # by the message that Codex must have before the decision
        self._now: deque[SentMessage] = deque()  # for the running turn, once it has a name
        self._next: deque[SentMessage] = deque()

    @property
    def _asks(self) -> bool:
        return self._task.dialog is not None and self._task.permissions == "ask"

    async def events(self) -> AsyncGenerator[Event, None]:
        info = {"name": "lion-studio", "title": "Lion Studio", "version": VERSION}
        params = {"clientInfo": info, "capabilities": {"experimentalApi": True}}
        await self._request("initialize", params, self._log_in)
        try:
            while not self._is_over:
                try:
                    heard = await self._listener.next(self._reader.hold_left)
                except TimeoutError:
                    for held in self._reader.flush():
                        yield held
                    continue
                async for event in self._handle(heard):
                    yield event
        finally:
            await self._listener.close()

    async def _request(self, method: str, params: Mapping[str, Any], then: Then) -> None:
        self._expected[await self._connection.send_request(method, params)] = method, then

    async def _handle(
        self, heard: Notification | AgentRequest | Response | Output | Said
    ) -> AsyncGenerator[Event, None]:
        if isinstance(heard, AnsweredQuestion):
            async for event in self._answer(heard):
                yield event
        elif isinstance(heard, SentMessage):
            await self._send(heard)
        elif isinstance(heard, Notification):
            async for event in self._notified(heard.method, heard.params):
                yield event
        elif isinstance(heard, AgentRequest):
            async for event in self._asked(heard):
                yield event
        elif isinstance(heard, Output):
            for event in self._reader.emit(raw_message(heard.value)):
                yield event
        elif heard.id in self._expected:
            method, then = self._expected.pop(heard.id)
            if self._task.resume and self._task.history and (problem := self._opening_problem(method, heard)):
                for event in history_sent("codex", self._task, problem):
                    yield event
                self._task = self._task._replace(resume=None)
                self._reader.start_anew()
                await self._request("thread/start", self._settings, self._begin)
                return
            if heard.error is not None and method not in _MAY_FAIL:
                raise AgentError(method, heard.error)
            await then(heard)
            if method in _OPENING:
                for event in self._reader.open(self._thread, text_or_empty(heard.result.get("model"))):
                    yield event

    async def _ignore(self, response: Response) -> None:
        pass

    async def _log_in(self, response: Response) -> None:
        """Use CODEX_API_KEY, which only `codex exec` reads by itself; the key is not stored."""
        await self._connection.notify("initialized")
        if key := self._task.env.get("CODEX_API_KEY"):
            await self._request("account/login/start", {"type": "apiKey", "apiKey": key}, self._open)
        else:
            await self._open(response)

    async def _open(self, response: Response) -> None:
        method, params = "thread/start", dict(self._settings)
        if self._task.resume:
            method = "thread/fork" if self._task.options.get("fork") else "thread/resume"
            turn = self._task.last_turn
            params |= {"threadId": self._task.resume, "excludeTurns": turn is None} | without_empty(lastTurnId=turn)
        await self._request(method, params, self._begin)

    def _opening_problem(self, method: str, response: Response) -> str | None:
        """The reason that the thread is not the conversation up to its last turn."""
        if method not in _OPENING:
            return None
        if response.error is not None:
            return error_text(response.error)
        turns = list_of(dict_of(response.result.get("thread")).get("turns"))
        wanted = self._task.last_turn
        if wanted is None or not turns or dict_of(turns[-1]).get("id") == wanted:
            return None
        return "this version forks whole conversations only"

    async def _begin(self, response: Response) -> None:
        self._thread = text_or_empty(dict_of(response.result.get("thread")).get("id"))
        await self._start_turn(prompt_of(self._task).decode(), _PROMPT)

    async def _start_turn(self, text: str, message_id: str) -> None:
        self._turn = ""
        params = {"threadId": self._thread, "clientUserMessageId": message_id, "input": _input(text)}
        await self._request("turn/start", params, self._turn_started)

    async def _turn_started(self, response: Response) -> None:
        self._turn = self._turn or text_or_empty(dict_of(response.result.get("turn")).get("id"))
        await self._catch_up()

    async def _catch_up(self) -> None:
        """Do what was asked for before the turn had a name."""
        if self._turn and self._wants_interrupt:
            await self._interrupt()
        while self._turn and self._now and not self._wants_interrupt:
            await self._steer(self._now.popleft())

    async def _send(self, sent: SentMessage) -> None:
        if sent.delivery is Delivery.INSTEAD:
            self._next.appendleft(sent)
            self._wants_interrupt = True
        else:
            (self._now if sent.delivery is Delivery.NOW else self._next).append(sent)
        await self._catch_up()

    async def _interrupt(self) -> None:
        params = {"threadId": self._thread, "turnId": self._turn}
        await self._request("turn/interrupt", params, self._ignore)

    async def _steer(self, sent: SentMessage) -> None:
        self._sent[sent.message.id] = sent

        async def steered(response: Response) -> None:
            # refused: the turn has ended meanwhile, or takes no messages; it is the next one then
            if response.error is not None and self._sent.pop(sent.message.id, None) is not None:
                self._next.append(sent)
            if decide := self._decisions.pop(sent.message.id, None):
                await decide()

        params = {"threadId": self._thread, "expectedTurnId": self._turn, "clientUserMessageId": sent.message.id}
        await self._request("turn/steer", {**params, "input": _input(sent.text)}, steered)

    async def _asked(self, request: AgentRequest) -> AsyncGenerator[Event, None]:
        item = self._reader.items.get(text_or_empty(request.params.get("itemId")), {})
        approval = parse_approval(request, item, keeps_rules=self._task.sandbox is None)
        if approval is None:
            await self._connection.refuse(request)
        elif not self._asks:
            await self._connection.respond(request, approval.refusal)
        else:
            question = approval.question
            for event in self._reader.flush():  # the call is stored before the question about it
                yield event
            earlier = next((answered for answered in self._answered if answered.question.asks_the_same(question)), None)
            if earlier is not None:
                self._answered.remove(earlier)
                if await self._takes(earlier):
                    yield AnswerTaken(earlier.question.id)
                    await self._connection.respond(request, approval.reply(earlier))
                    return
            self._waiting[question.id] = approval
            yield QuestionAsked(question)

    async def _takes(self, answered: AnsweredQuestion) -> bool:
        """Commit that the answer is taken, before the tool can run: it must never run twice."""
        return self._task.dialog is not None and await self._task.dialog.take(answered.question.id)

    async def _answer(self, answered: AnsweredQuestion) -> AsyncGenerator[Event, None]:
        approval = self._waiting.pop(answered.question.id, None)
        if approval is None or not await self._takes(answered):  # it was closed meanwhile
            return
        yield AnswerTaken(answered.question.id)
        decide = partial(self._connection.respond, approval.request, approval.reply(answered))
        if answered.answer.text and not approval.takes_words:
            # Codex takes no words with a decision; once it has them, the request that tells the decision has them too
            metadata = {"answers": answered.question.id}
            words = Instruction(content={"instruction": answered.answer.text}, metadata=metadata)
            await self._send(SentMessage(words, Delivery.NOW))
            if words.id in self._sent:
                self._decisions[words.id] = decide
                return
        await decide()

    async def _notified(self, method: str, params: Record) -> AsyncGenerator[Event, None]:
        if method == "serverRequest/resolved":
            waiting = [key for key, value in self._waiting.items() if value.request.id == params.get("requestId")]
            for event in self._close(waiting, "codex stopped waiting for it"):
                yield event
            return
        if params.get("threadId") not in (None, self._thread):
            return  # a sub-agent's: its transcript has it
        item = dict_of(params.get("item"))
        if method == "item/started" and item.get("type") == "userMessage":
            for event in self._take(item):
                yield event
        for event in self._reader.read(method, params):
            yield event
        if method == "turn/started":
            self._turn = text_or_empty(dict_of(params.get("turn")).get("id"))
            await self._catch_up()
        elif method == "turn/completed":
            for event in self._close(list(self._waiting), "the turn ended"):
                yield event
            while self._answered:  # the agent has read them, and did not make the call again
                answered = self._answered.pop()
                if await self._takes(answered):
                    yield AnswerTaken(answered.question.id)
            await self._go_on(text_or_empty(dict_of(params.get("turn")).get("status")))

    def _take(self, item: Record) -> Iterator[Event]:
        """A message is in the conversation now: this is its receipt."""
        message_id = text_or_empty(item.get("clientId"))
        if not message_id:  # a version that does not repeat our id
            text = joined_text(item.get("content"))
            message_id = next((key for key, sent in self._sent.items() if sent.text == text), "")
        sent = self._sent.pop(message_id, None)
        if sent is not None:
            yield from self._reader.flush()
            yield MessageEvent(sent.message)

    def _close(self, questions: list[str], reason: str) -> Iterator[Event]:
        for question_id in questions:
            del self._waiting[question_id]
            yield QuestionClosed(question_id, QuestionStatus.WITHDRAWN, reason)

    async def _go_on(self, status: str) -> None:
        """After a turn: the next message, or the end."""
        is_ours = status == "completed" or (status == "interrupted" and self._wants_interrupt)
        self._turn, self._wants_interrupt = "", False
        while (heard := self._listener.said_nowait()) is not None:
            if isinstance(heard, SentMessage):
                self._next.append(heard)
        # a message that arrived too late for the turn
        self._next.extend((*self._sent.values(), *self._now))
        self._sent.clear()
        self._now.clear()
        if is_ours and self._next:
            sent = self._next.popleft()
            self._sent[sent.message.id] = sent
            await self._start_turn(sent.text, sent.message.id)
        else:
            self._is_over = True


def _input(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, "text_elements": []}]


def thread_settings(task: Task, sandbox: str | None, policy: str) -> dict[str, Any]:
    """The parameters with which a thread is started, resumed or forked."""
    return without_empty(
        cwd=task.cwd,
        model=task.model,
        sandbox=sandbox,
        approvalPolicy=policy,
        approvalsReviewer="user",
        developerInstructions=task.system,
        config=without_empty(model_reasoning_effort=task.effort),
    )
