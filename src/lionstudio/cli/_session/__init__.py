"""A session as the terminal shows it."""
