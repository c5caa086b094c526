"""Show folders and their rows: sync one to the other, report drift."""
