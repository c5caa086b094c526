"""Any model behind an OpenAI-compatible API: OpenAI, Ollama, vLLM, llama.cpp. Needs the extra `openai`.

The URL is `options["base_url"]` or OPENAI_BASE_URL; agents/openai/tools.py has the tools.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing

from lionstudio.agents.events import Ended, Event, MetadataEvent
from lionstudio.agents.openai.answer import error_text
from lionstudio.agents.openai.conversation import ModelConversation
from lionstudio.agents.provider import Provider, Task
from lionstudio.agents.rate_limits import reset_time
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.status.statuses import SessionStatus


def provider() -> Provider:
    return OpenAI()


class OpenAI:
    name = "openai"

    def check(self, task: Task) -> None:
        try:
            import openai  # noqa: F401
        except ImportError:
            raise NotFound("the provider openai needs the package openai", hint="pip install openai") from None
        if not task.model:
            raise InvalidInput("missing model", hint="li agent openai/MODEL …")
        base_url = _base_url(task)
        if base_url and not re.match(r"https?://[^/?#]", base_url):
            raise InvalidInput(
                f"{base_url!r:.80} is not the URL of a server",
                hint="set OPENAI_BASE_URL or `base_url` of the agent, for example http://127.0.0.1:11434/v1",
            )

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Call the model until it requests no more tools."""
        import openai

        base_url = _base_url(task)
        key = task.env.get("OPENAI_API_KEY") or "none"  # local servers require a key and ignore it
        server = base_url or "the OpenAI API"
        yield MetadataEvent({"model": task.model, "conversation": None, **({"base_url": base_url} if base_url else {})})
        try:
            async with (
                openai.AsyncOpenAI(base_url=base_url, api_key=key) as client,
                aclosing(ModelConversation(client, task).events()) as events,
            ):
                async for event in events:
                    yield event
        except openai.RateLimitError as error:
            detail = error_text(error)
            yield Ended(SessionStatus.FAILED, 1, "run.failed.usage_limit", detail, reset_time(detail))
        except openai.AuthenticationError as error:
            yield _failure(f"{error_text(error)}; set OPENAI_API_KEY to a valid key")
        except openai.NotFoundError as error:
            yield _failure(f"{error_text(error)} (model {task.model})")
        except openai.APITimeoutError:
            yield _failure(f"{server} did not answer in time")
        except openai.APIConnectionError as error:
            yield _failure(f"cannot connect to {server}: {error.__cause__ or error}")
        except openai.OpenAIError as error:
            yield _failure(f"{server}: {error_text(error)}")


def _base_url(task: Task) -> str | None:
    url = task.options.get("base_url") or task.env.get("OPENAI_BASE_URL")
    return str(url) if url else None


def _failure(detail: str) -> Ended:
    return Ended(SessionStatus.FAILED, 1, "run.failed.provider_error", detail)
