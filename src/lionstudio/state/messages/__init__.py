"""Messages: append them, page through them, export them."""
