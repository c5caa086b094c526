"""`li team`: agents that write to each other by name, in a file and in the database."""
