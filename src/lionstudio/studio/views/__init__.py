"""Rows and folders as the API returns them."""
