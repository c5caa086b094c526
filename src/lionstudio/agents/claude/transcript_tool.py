"""The transcripts of Claude Code: where they are, and whose they are. What is in them, transcript.py reads."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from lionstudio.agents.transcript import CleanupSetting, TranscriptFacts, TranscriptReader, TranscriptTool

SPACE = UUID("0d9a6f0e-56c1-5b44-9a53-6c1f7b0f7a11")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class _ClaudeTranscripts(TranscriptTool):
    name = "claude"
    agent_name = "claude-code"
    provider = "anthropic"
    home_variable = "CLAUDE_CONFIG_DIR"
    home = "~/.claude"
    folders = ("projects",)
    id_space = SPACE
    record_id_key = "uuid"
    sidecar_suffix = ".meta.json"
    cleanup = CleanupSetting("settings.json", "cleanupPeriodDays", 30)

    def reader(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> TranscriptReader:
        from lionstudio.agents.claude.transcript import ClaudeTranscriptReader  # slow to load

        return ClaudeTranscriptReader(facts, state, born=born)

    def conversation_paths(self, root: str, conversation: str, since: float) -> list[str]:
        from glob import escape, iglob  # slow to load

        folder = os.path.join(escape(root), self.folders[0], "*", escape(conversation))
        return [*iglob(f"{folder}.jsonl"), *iglob(os.path.join(folder, "**", "*.jsonl"), recursive=True)]

    def is_subagent(self, path: str) -> bool:
        return os.path.basename(path).startswith("agent-")

    def facts_from_path(self, path: str) -> TranscriptFacts:
        stem = os.path.splitext(os.path.basename(path))[0]
        if not self.is_subagent(path):
            return TranscriptFacts(session=stem if _UUID.fullmatch(stem) else "")
        folders = path.split(os.sep)
        session = folders[folders.index("subagents") - 1] if "subagents" in folders else ""
        return TranscriptFacts(session=session, thread=stem.removeprefix("agent-"))


TOOL = _ClaudeTranscripts()
