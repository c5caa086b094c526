"""PostgreSQL only: open, upgrade, append, wake up readers, full-text search, vectors."""
