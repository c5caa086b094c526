"""File names in a show folder: those of the show itself, and those of each play's own folder."""

# in the show folder
PLAN = "_show.md"
FINAL_VERDICT = "_final_verdict.json"
FINAL_GATES = "_final_gates.json"  # results of the final gates, until the show ends
ABORT = "_ABORT"
DECISION_LOG = "_decisions.jsonl"
DIRECTOR_LOCK, DIRECTOR_LOG = "_director.lock", "_director.log"
GRANTED_BUDGET = "_granted.json"  # only the director writes it
CONCURRENCY = "_concurrency.json"  # any process may write it; the last write wins

# in a play's folder
META, VERDICT = "_meta.json", "_verdict.json"
INTENT, PROMPT = "_intent.md", "_prompt.md"

# in both
DECISION = "_decision.json"
