"""What commands share: arguments, output, tables, progress, the database."""
