"""Codex: the live stream and the transcripts."""
