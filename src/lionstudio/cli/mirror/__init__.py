"""`li mirror`: import and follow the transcripts of other tools."""
