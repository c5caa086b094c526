"""Messages: append, page, outline, timeline, export."""
