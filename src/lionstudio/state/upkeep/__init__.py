"""Find problems, prove a process alive or dead, delete old sessions."""
