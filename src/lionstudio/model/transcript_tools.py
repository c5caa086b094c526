"""The registry of import formats: one line for each program whose transcripts are imported.

Plain data without imports, because the help of `li` reads it.
"""

# name: title, and the module below `lionstudio` that has the reader as `TOOL`
TRANSCRIPT_TOOLS = {
    "claude": ("Claude Code", "agents.claude.transcript_tool"),
    "codex": ("Codex", "agents.codex.transcript"),
}
