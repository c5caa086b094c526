"""The database: all SQL of the product."""
