"""`li mirror`: other tools' transcripts, read in and followed."""
