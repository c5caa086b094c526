"""Shows on many machines: the worker process, the orders that it carries out, and shows opened from their rows."""
