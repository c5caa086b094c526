"""Claude Code: the live stream and the transcripts."""
