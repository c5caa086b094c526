"""One attempt of a play and the process that supervises it."""
