"""Steps that bring old databases up to date, one module or .sql file a step."""
