"""Workers of a hub, and the orders that they take: leases and fences."""
