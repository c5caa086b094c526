"""The conversation with a model: requests, calls of our tools, questions about them, and messages between requests."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from lionstudio.agents.dialog import Delivery, Said, SentMessage
from lionstudio.agents.events import AnswerTaken, Ended, Event, MessageEvent, QuestionAsked, QuestionClosed, TextDelta
from lionstudio.agents.openai import tools
from lionstudio.agents.openai.answer import INTERRUPTED, ModelAnswer, broken_text
from lionstudio.agents.program_and_person import ProgramAndPerson
from lionstudio.agents.provider import Task
from lionstudio.model.messages import ActionRequest, ActionResponse
from lionstudio.model.questions import ALLOW, DENY, AnsweredQuestion, Effect, Question, QuestionKind, QuestionStatus
from lionstudio.model.status.statuses import SessionStatus

_MAX_ROUNDS = 200  # model calls for one message; ends a model that requests tools forever

T = TypeVar("T")


class _Interrupted(Exception):
    """A message replaces what the model does."""


class ModelConversation:
    """Calls the model until it requests no more tools and no message is left."""

    def __init__(self, client: Any, task: Task) -> None:
        self._client = client
        self._task = task
        self._messages = _opening(task)
        self._now: deque[SentMessage] = deque()  # for the next request
        self._next: deque[SentMessage] = deque()  # for after the turn
        self._is_interrupted = False
        self._answers: dict[str, AnsweredQuestion] = {}
        self._outputs: dict[str, str] = {}  # by request

    async def events(self) -> AsyncGenerator[Event, None]:
        rounds = 0
        while rounds < _MAX_ROUNDS:
            rounds += 1
            answer = ModelAnswer(self._task.model)
            async with aclosing(self._request(answer)) as events:
                async for event in events:
                    yield event
            for message in answer.messages():
                yield MessageEvent(message)
            self._hear_all()
            ended = answer.ended()
            if ended and ended.status is SessionStatus.COMPLETED and self._next and not self._now:
                self._now.append(self._next.popleft())
            if ended and not (self._now and (answer.is_interrupted or ended.status is SessionStatus.COMPLETED)):
                for request in answer.requests:
                    yield MessageEvent(_response(request, tools.ToolResult(f"not run: {ended.detail}", False)))
                yield ended
                return
            self._messages += answer.to_request()
            for request, call in zip(answer.requests, answer.calls.values(), strict=True):
                async with aclosing(self._use(request, call)) as events:
                    async for event in events:
                        yield event
                if not answer.is_interrupted:  # else its calls may be incomplete, and the model is not told of them
                    output = self._outputs.pop(request.id)
                    self._messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
            self._hear_all()
            while self._now:
                sent = self._now.popleft()
                yield MessageEvent(sent.message)
                self._messages.append({"role": "user", "content": sent.text})
                rounds = 0
            self._is_interrupted = False
        detail = f"the agent did not finish within {_MAX_ROUNDS} model calls"
        yield Ended(SessionStatus.FAILED, 1, "run.failed.turn_limit", detail)

    async def _request(self, answer: ModelAnswer) -> AsyncGenerator[Event, None]:
        """The text of a stream as it arrives; an error in the middle ends the answer and keeps what came before it."""
        create = self._client.chat.completions.create
        try:
            stream = await self._listening(lambda: create(**_parameters(self._task, self._messages)))
        except _Interrupted:
            answer.interrupt()
            return
        chunks = aiter(stream)

        async def receive() -> Any:
            return await anext(chunks, None)

        while True:
            try:
                chunk = await self._listening(receive)
            except _Interrupted:
                answer.interrupt()
                await stream.close()
                return
            except Exception as error:  # of the HTTP library, which differs between versions of openai, or of JSON
                answer.broken = f"the stream broke in the middle of the answer: {broken_text(error)}"
                return
            if chunk is None:
                return
            if text := answer.add(chunk):
                yield TextDelta(text)

    async def _listening(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work; a message that replaces it cancels it."""
        both = ProgramAndPerson(work, self._task.dialog)
        try:
            while not self._is_interrupted:
                heard = await both.next()
                if not isinstance(heard, (AnsweredQuestion, SentMessage)):
                    return heard
                self._hear(heard)
            raise _Interrupted
        finally:
            while (waiting := both.said_nowait()) is not None:
                self._hear(waiting)
            await both.close()

    def _hear(self, heard: Said) -> None:
        if isinstance(heard, AnsweredQuestion):
            self._answers[heard.question.id] = heard
        elif heard.delivery is Delivery.NEXT:
            self._next.append(heard)
        elif heard.delivery is Delivery.NOW:
            self._now.append(heard)
        else:
            self._now.appendleft(heard)
            self._is_interrupted = True

    def _hear_all(self) -> None:
        while self._task.dialog is not None and (heard := self._task.dialog.receive_nowait()) is not None:
            self._hear(heard)

    async def _use(self, request: ActionRequest, call: dict[str, str]) -> AsyncGenerator[Event, None]:
        """Use a tool, after a person has allowed it where that is needed."""
        arguments, refused = request.content["arguments"], ""
        if tools.needs_permission(self._task, call["name"]) and not self._is_interrupted:
            question = self._question(call, arguments)
            yield QuestionAsked(question)
            answered = await self._wait_for(question)
            if answered is None:
                yield QuestionClosed(question.id, QuestionStatus.WITHDRAWN, INTERRUPTED)
            else:
                yield AnswerTaken(question.id)
                if answered.effect is not Effect.ALLOW:
                    refused = f"the user did not allow it: {answered.answer.text or 'no reason was given'}"
                elif answered.answer.arguments is not None:
                    arguments = dict(answered.answer.arguments)
        if self._is_interrupted:
            refused = f"not run: {INTERRUPTED}"
        result = tools.ToolResult(refused, False)
        if not refused:
            try:
                result = await self._listening(lambda: tools.use(self._task, call["name"], arguments))
            except _Interrupted:
                result = tools.ToolResult(INTERRUPTED, False)
        self._outputs[request.id] = result.output
        yield MessageEvent(_response(request, result, arguments))

    async def _wait_for(self, question: Question) -> AnsweredQuestion | None:
        """The answer; None when a message replaces the turn."""
        dialog = self._task.dialog
        assert dialog is not None
        while not self._is_interrupted:
            answered = self._answers.pop(question.id, None)
            if answered is not None and await dialog.take(question.id):
                return answered
            self._hear(await dialog.receive())
        return None

    def _question(self, call: dict[str, str], arguments: Any) -> Question:
        name = call["name"]
        what = arguments.get("path") or " ".join(map(str, arguments.get("argv") or ())) or ""
        return Question(
            kind=QuestionKind.PERMISSION,
            title=f"{name}: {what}",
            reason=name,
            evidence={"tool": name, "arguments": arguments, "call_id": call["id"], "cwd": self._task.cwd},
            options=(ALLOW, DENY),
            takes_text=True,
            takes_arguments=True,
        )


def _response(request: ActionRequest, result: tools.ToolResult, arguments: Any = None) -> ActionResponse:
    """The result of a call; `arguments` are those that it was run with."""
    key = "output" if result.succeeded else "error"
    content = {**request.content, key: result.output, "action_request_id": request.id}
    if arguments is not None:
        content["arguments"] = arguments
    return ActionResponse(content=content, metadata={"call_id": request.metadata["call_id"], **result.notes})


def _parameters(task: Task, messages: list[dict[str, Any]]) -> dict[str, Any]:
    offered = tools.offered(task)
    return {
        "model": task.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        **({"tools": offered} if offered else {}),
        **({"reasoning_effort": task.effort} if task.effort else {}),
    }


def _opening(task: Task) -> list[dict[str, Any]]:
    """The conversation so far in the shape of the API; tool calls of the history become text."""
    messages = [{"role": "system", "content": task.system}] if task.system else []
    for message in task.history:
        role = message.role if message.role in ("system", "user", "assistant") else "user"
        messages.append({"role": role, "content": message.text})
    return [*messages, {"role": "user", "content": task.prompt}]
