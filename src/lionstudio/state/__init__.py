"""The SQLite half of what is kept. All SQL of the product lives in this room."""
