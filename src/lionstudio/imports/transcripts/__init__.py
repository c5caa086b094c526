"""Other tools' transcripts: find, read, follow."""
