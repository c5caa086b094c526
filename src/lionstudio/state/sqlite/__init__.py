"""What only SQLite can do: opening, migrations, checkpoints, wake-ups, full-text search, vectors."""
