-- From the tables of the design records (renamed to old_*) into the current schema. Ids, times and order stay.

-- the rows of messages hold the old numbers, so those take precedence over ours
CREATE TEMP TABLE our_message_types AS SELECT type_id, lion_class FROM message_types;
DELETE FROM message_types;
INSERT OR IGNORE INTO message_types (type_id, lion_class) SELECT type_id, lion_class FROM old_message_types;
INSERT OR IGNORE INTO message_types (type_id, lion_class) SELECT type_id, lion_class FROM our_message_types;
DROP TABLE our_message_types;

INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
  SELECT id, coalesce(created_at, 0), node_metadata, content, embedding, sender, recipient, channel, role,
         CASE WHEN lion_class IN (SELECT type_id FROM message_types) THEN lion_class ELSE 0 END
    FROM old_messages WHERE id IS NOT NULL ORDER BY created_at, rowid;

-- A collection with other values than ids is kept as it was; its ids keep their positions all the same.
-- Each CASE keeps json_each away from text that is not JSON, whatever order the planner chooses.
INSERT INTO progression_heads (id, created_at, unreadable)
  SELECT id, coalesce(created_at, 0),
         CASE WHEN NOT json_valid(collection) THEN nullif(collection, '')
              WHEN json_type(collection) <> 'array' THEN collection
              WHEN EXISTS (SELECT 1 FROM json_each(collection) WHERE type <> 'text') THEN collection END
    FROM old_progressions WHERE id IS NOT NULL ORDER BY created_at, rowid;
INSERT INTO progression_items (prog, ord, message_id)
  SELECT h.pk, j.key, j.value
    FROM old_progressions p
    JOIN progression_heads h ON h.id = p.id
    CROSS JOIN json_each(CASE WHEN NOT json_valid(p.collection) THEN '[]'
                              WHEN json_type(p.collection) <> 'array' THEN '[]' ELSE p.collection END) j
   WHERE j.type = 'text';

INSERT INTO sessions (id, created_at, node_metadata, name, user, progression_id, first_msg_id, last_msg_id,
                      updated_at, playbook_name, agent_name, invocation_kind, show_topic, show_play_name,
                      artifacts_path, source_kind, status, started_at, ended_at, last_message_at, message_count)
  SELECT s.id, coalesce(s.created_at, 0), s.node_metadata, s.name, s.user,
         (SELECT id FROM progression_heads WHERE id = s.progression_id),
         (SELECT id FROM messages WHERE id = s.first_msg_id),
         (SELECT id FROM messages WHERE id = s.last_msg_id),
         coalesce(s.updated_at, s.created_at, 0), s.playbook_name, s.agent_name,
         CASE WHEN s.invocation_kind IN ('agent', 'play', 'flow', 'fanout', 'show-play') THEN s.invocation_kind END,
         s.show_topic, s.show_play_name, s.artifacts_path,
         CASE WHEN s.source_kind = 'live' OR s.source_kind GLOB 'imported_[a-z]*' THEN s.source_kind END,
         -- ADR-0017: a session without a status is historical and counts as completed
         CASE WHEN s.status IN ('running', 'completed', 'failed', 'timed_out', 'aborted', 'cancelled')
              THEN s.status ELSE 'completed' END,
         s.started_at, s.ended_at,
         coalesce(s.last_message_at, (SELECT max(m.created_at) FROM progression_heads h
                                        JOIN progression_items i ON i.prog = h.pk
                                        JOIN messages m ON m.id = i.message_id
                                       WHERE h.id = s.progression_id)),
         (SELECT count(*) FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
           WHERE h.id = s.progression_id)
    FROM old_sessions s WHERE s.id IS NOT NULL ORDER BY s.created_at, s.rowid;

INSERT INTO branches (id, created_at, node_metadata, user, name, session_id, progression_id, system_msg_id)
  SELECT b.id, coalesce(b.created_at, 0), b.node_metadata, b.user, b.name, b.session_id,
         (SELECT id FROM progression_heads WHERE id = b.progression_id),
         (SELECT id FROM messages WHERE id = b.system_msg_id)
    FROM old_branches b WHERE b.id IS NOT NULL AND b.session_id IN (SELECT id FROM sessions)
   ORDER BY b.created_at, b.rowid;

INSERT INTO shows (id, topic, goal, repo, base_branch, integration_branch, status, status_source, show_dir,
                   created_at, updated_at)
  SELECT id, topic, goal, repo, base_branch, integration_branch,
         CASE WHEN status IN ('active', 'completed', 'aborted') THEN status ELSE 'imported' END,
         status_source, coalesce(show_dir, ''), created_at, updated_at
    FROM old_shows WHERE id IS NOT NULL ORDER BY created_at, rowid;

INSERT INTO plays (id, show_id, name, playbook, effort, status, attempt, session_id, started_at, ended_at, exit_code,
                   worktree, branch, merge_sha, merged_at, gate_passed, gate_feedback, depends_on, sort_order,
                   created_at, updated_at)
  SELECT id, show_id, name, playbook, effort,
         CASE WHEN status IN ('pending', 'prepared', 'running', 'running_complete', 'gated', 'gate_failed', 'redoing',
                              'merged', 'escalated', 'blocked', 'aborted_after_finish') THEN status
              ELSE 'pending' END,
         coalesce(attempt, 1), (SELECT id FROM sessions WHERE id = old_plays.session_id), started_at, ended_at,
         exit_code, worktree, branch, merge_sha, merged_at, gate_passed, gate_feedback, coalesce(depends_on, '[]'),
         coalesce(sort_order, 0), created_at, updated_at
    FROM old_plays WHERE id IS NOT NULL AND show_id IN (SELECT id FROM shows) ORDER BY created_at, rowid;

INSERT INTO teams (id, name, created_at, updated_at, member_count, members, node_metadata, status)
  SELECT id, name, created_at, updated_at, coalesce(member_count, 0), coalesce(members, '[]'), node_metadata,
         CASE WHEN status = 'archived' THEN 'archived' ELSE 'active' END
    FROM old_teams WHERE id IS NOT NULL ORDER BY created_at, rowid;

INSERT INTO team_messages (id, team_id, created_at, sender, recipient, content, summary, read_by, session_id)
  SELECT id, team_id, created_at, sender, coalesce(recipient, 'all'), content, summary, coalesce(read_by, '[]'),
         (SELECT id FROM sessions WHERE id = old_team_messages.session_id)
    FROM old_team_messages WHERE id IS NOT NULL AND team_id IN (SELECT id FROM teams) ORDER BY created_at, rowid;
