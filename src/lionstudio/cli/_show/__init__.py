"""What the `li show` commands share."""
