"""Plans and show folders on disk."""
