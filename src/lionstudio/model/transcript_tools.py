"""The programs whose transcripts are imported, by name, with their titles.

`agents/<name>/transcript.py` holds the reader as `TOOL`. Plain data without imports: the help of `li` reads it.
"""

TRANSCRIPT_TOOLS = {"claude": "Claude Code", "codex": "Codex"}
