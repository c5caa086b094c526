"""The routes, one module per resource; a handler reads rows or files and returns a response."""
