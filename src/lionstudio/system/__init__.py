"""The operating system: processes, locks, files and git, with nothing of ours in it."""
