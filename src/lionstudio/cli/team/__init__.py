"""`li team`: messages between agents, stored in team files and in the database."""
