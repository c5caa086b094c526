"""Front matter, strict YAML, and the rules for single fields."""
