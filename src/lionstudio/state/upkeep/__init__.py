"""Find problems, check whether processes are alive, delete old sessions."""
