"""Complete the part of a run that this process recorded from the transcript of its program."""

from __future__ import annotations

from collections.abc import Callable

from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.runs.run import RunPart
from lionstudio.state.branches import get_branch
from lionstudio.state.database import Database


def completer(database: Database) -> Callable[[RunPart], None]:
    """A function that completes a part of a run at its end."""

    def complete(part: RunPart) -> None:
        tool = TOOLS.get(part.provider.name)
        if tool is None:
            return
        branch = database.read(lambda conn: get_branch(conn, part.branch_id))
        conversation = branch.metadata.get("conversation")
        if isinstance(conversation, str) and conversation:
            # an agent without transcripts needs none of the importer
            from lionstudio.imports.report import Report
            from lionstudio.imports.transcripts.sync import Mirror

            root = tool.root(part.task.env)
            paths = tool.conversation_paths(root, conversation, branch.created_at)
            Mirror(database, tool, root).complete_run(paths, Report())

    return complete
