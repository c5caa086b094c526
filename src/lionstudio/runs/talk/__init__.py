"""Talk with a running agent: answers and messages, and the way they reach it."""
