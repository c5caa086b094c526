"""File names in a show folder: those of the show itself, and those of each play's own folder."""

# in the show folder
PLAN = "_show.md"
ACCEPTED_PLAN = "_show.accepted.md"  # the last plan that a person accepted; the row has its digest
PINNED_REVIEWERS = "_reviewers"  # definitions of reviewers as they were pinned, by digest; the row has the digests
REJECTED_PLAN = "_show.rejected.md"  # the last edit of the plan that a person rejected
REPLACED_PLAN = "_show.replaced.md"  # of a show for workers: the plan here before that of the row was written
FINAL_VERDICT = "_final_verdict.json"
FINAL_GATES = "_final_gates.json"  # results of the final gates, until the show ends
ABORT = "_ABORT"
DECISION_LOG = "_decisions.jsonl"
DIRECTOR_LOCK, DIRECTOR_LOG = "_director.lock", "_director.log"
RESTING = "_resting.json"  # the director waits for a person
GRANTED_BUDGET = "_granted.json"  # only the director writes it
DECISION_LOCK = "_decision.lock"  # held while a decision is saved: the first one wins
CONCURRENCY = "_concurrency.json"  # any process may write it; the last write wins

# in a play's folder
META, VERDICT = "_meta.json", "_verdict.json"
INTENT, PROMPT = "_intent.md", "_prompt.md"

# in both
DECISION = "_decision.json"
