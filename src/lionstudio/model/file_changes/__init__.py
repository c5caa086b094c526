"""Changes of files, read from the tool calls of agents: paths, sums and hunks."""
