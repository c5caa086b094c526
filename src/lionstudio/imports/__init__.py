"""Reads files of every origin into the state; doing it twice is the same as doing it once."""
