"""`li send` and `li attach`: write to running agents, and answer them while their output is followed."""
