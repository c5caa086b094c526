"""Import transcripts, run folders, databases, shows and teams; safe to repeat."""
