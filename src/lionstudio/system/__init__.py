"""The operating system: processes, locks, files, git, and how our own commands are started."""
