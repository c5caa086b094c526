"""What importers write, and what they read from other databases."""
