"""Lists, counts and summaries of runs."""
