"""The usage ledger: tokens and money by quarter of an hour, model and session, and the sums over it."""
