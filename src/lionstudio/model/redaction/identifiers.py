"""Which columns and fields identify something: redaction leaves them alone, because they are looked up again."""

from __future__ import annotations

from lionstudio.model.redaction.formats import words

# The names of columns, and of the parameters that are bound to them.
IDENTIFIERS = frozenset(
    words(
        """
    id ids session session_id session_ids run branch branch_id branches parent parent_id progression progression_id to
    message_id first_msg_id last_msg_id system_msg_id system alias entity entity_id conversation conversation_id
    continues retries forked_from thread show show_id team team_id machine machine_id
    topic show_topic play show_play_name playbook playbook_name agent_name project model provider tool lion_class
    path cwd repo show_dir worktree artifacts_path lock_path owner owners
    base_branch integration_branch git_branch git_commit merge_sha sha256 checksum before
    cookie_hash header_hash code_hash
    sender recipient channel box reader members read_by depends_on
    kind source source_kind invocation_kind status status_source previous old new
    """
    )
)
# Names and addresses that people and agents choose freely; in other tables they are keys.
_FREE = {
    "sessions": frozenset({"name"}),
    "branches": frozenset({"name"}),
    "messages": frozenset({"sender", "recipient", "channel"}),
}
# Redacted by its writer, field by field: it holds the paths and ids of the transcript beside its titles.
_REDACTED_BEFORE = ("mirror_files", "state")


def is_identifier(table: str, name: str) -> bool:
    """Whether a column or parameter of a statement on a table is bound as it is."""
    is_key = name in IDENTIFIERS or name == "name"
    return (is_key and name not in _FREE.get(table, ())) or (table, name) == _REDACTED_BEFORE
