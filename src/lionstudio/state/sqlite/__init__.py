"""SQLite only: open, migrate, checkpoint, wake up readers, full-text search, vectors."""
