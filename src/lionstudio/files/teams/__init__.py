"""Team files."""
