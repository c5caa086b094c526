"""Sessions on a terminal: rows, tables, headers and transcripts."""
