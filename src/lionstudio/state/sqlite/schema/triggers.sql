-- Triggers on the tables of schema.sql; only syntax that SQLite 3.40 supports.

-- ── Progressions: the view reads and writes as ADR-0009 has it ──
-- INSERT OR REPLACE without foreign keys leaves items behind; a reused pk must start empty
CREATE TRIGGER progression_heads_fresh AFTER INSERT ON progression_heads BEGIN
  DELETE FROM progression_items WHERE prog = NEW.pk;
END;
CREATE TRIGGER progressions_insert INSTEAD OF INSERT ON progressions BEGIN
  SELECT RAISE(ABORT, 'progressions.collection must be a JSON array of message ids')
   WHERE CASE WHEN NOT json_valid(coalesce(NEW.collection, '[]')) THEN 1
              WHEN json_type(coalesce(NEW.collection, '[]')) <> 'array' THEN 1
              ELSE EXISTS (SELECT 1 FROM json_each(coalesce(NEW.collection, '[]')) WHERE type <> 'text') END;
  INSERT INTO progression_heads (id, created_at)
    VALUES (NEW.id, coalesce(NEW.created_at, (julianday('now') - 2440587.5) * 86400.0));
  INSERT INTO progression_items (prog, ord, message_id)
    SELECT h.pk, j.key, j.value FROM progression_heads h, json_each(coalesce(NEW.collection, '[]')) j
     WHERE h.id = NEW.id AND changes() > 0;    -- none after an INSERT OR IGNORE that was ignored
END;
CREATE TRIGGER progressions_update INSTEAD OF UPDATE ON progressions BEGIN
  SELECT RAISE(ABORT, 'progressions.collection must be a JSON array of message ids')
   WHERE CASE WHEN NOT json_valid(coalesce(NEW.collection, '[]')) THEN 1
              WHEN json_type(coalesce(NEW.collection, '[]')) <> 'array' THEN 1
              ELSE EXISTS (SELECT 1 FROM json_each(coalesce(NEW.collection, '[]')) WHERE type <> 'text') END;
  UPDATE progression_heads SET id = NEW.id, created_at = NEW.created_at
   WHERE id = OLD.id AND (NEW.id IS NOT OLD.id OR NEW.created_at IS NOT OLD.created_at);
  -- positions that hold the same id stay untouched, so an append by another tool is one row
  DELETE FROM progression_items
   WHERE prog = (SELECT pk FROM progression_heads WHERE id = NEW.id)
     AND ord >= json_array_length(coalesce(NEW.collection, '[]'));
  INSERT INTO progression_items (prog, ord, message_id)
    SELECT h.pk, j.key, j.value FROM progression_heads h, json_each(coalesce(NEW.collection, '[]')) j
     WHERE h.id = NEW.id
       AND NOT EXISTS (SELECT 1 FROM progression_items i
                        WHERE i.prog = h.pk AND i.ord = j.key AND i.message_id = j.value)
    ON CONFLICT (prog, ord) DO UPDATE SET message_id = excluded.message_id;
END;
CREATE TRIGGER progressions_delete INSTEAD OF DELETE ON progressions BEGIN
  DELETE FROM progression_items WHERE prog = (SELECT pk FROM progression_heads WHERE id = OLD.id);
  DELETE FROM progression_heads WHERE id = OLD.id;
END;

-- ── Counts ───────────────────────────────────────────────────────────────
CREATE TRIGGER session_counts_insert AFTER INSERT ON sessions BEGIN
  INSERT INTO session_counts VALUES (coalesce(NEW.status, 'unknown'), 1)
    ON CONFLICT (status) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER session_counts_delete AFTER DELETE ON sessions BEGIN
  UPDATE session_counts SET n = n - 1 WHERE status = coalesce(OLD.status, 'unknown');
END;
CREATE TRIGGER session_counts_update AFTER UPDATE OF status ON sessions WHEN NEW.status IS NOT OLD.status BEGIN
  UPDATE session_counts SET n = n - 1 WHERE status = coalesce(OLD.status, 'unknown');
  INSERT INTO session_counts VALUES (coalesce(NEW.status, 'unknown'), 1)
    ON CONFLICT (status) DO UPDATE SET n = n + 1;
END;

-- ── Change feed ──────────────────────────────────────────────────────────
-- state/messages/append.py writes the rows of messages; triggers write those of everything that changes rarely, so
-- that no writer, ours or another tool's, can forget them.
CREATE TRIGGER sessions_created AFTER INSERT ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'session', NEW.id, NULL);
END;
CREATE TRIGGER sessions_updated
AFTER UPDATE OF name, status, started_at, ended_at, playbook_name, agent_name, invocation_kind, show_topic,
  show_play_name, model, provider, project, exit_code, health, delivery, reason_codes, note, continues, retries,
  forked_from ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', NEW.id, NULL);
END;
CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'session', OLD.id, NULL);
END;
CREATE TRIGGER session_tags_added AFTER INSERT ON session_tags BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', NEW.session_id, NULL);
END;
CREATE TRIGGER session_tags_removed AFTER DELETE ON session_tags
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id) BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', OLD.session_id, NULL);
END;
CREATE TRIGGER branches_created AFTER INSERT ON branches BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'branch', NEW.id, NEW.session_id);
END;
CREATE TRIGGER branches_updated AFTER UPDATE OF name, node_metadata, system_msg_id, session_id ON branches BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'branch', NEW.id, NEW.session_id);
END;
CREATE TRIGGER branches_deleted AFTER DELETE ON branches BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'branch', OLD.id, OLD.session_id);
END;
CREATE TRIGGER shows_created AFTER INSERT ON shows BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'show', NEW.id, NULL);
END;
CREATE TRIGGER shows_updated AFTER UPDATE ON shows BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'show', NEW.id, NULL);
END;
CREATE TRIGGER shows_deleted AFTER DELETE ON shows BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'show', OLD.id, NULL);
END;
CREATE TRIGGER plays_created AFTER INSERT ON plays BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'play', NEW.id, NEW.show_id);
END;
CREATE TRIGGER plays_updated AFTER UPDATE ON plays BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'play', NEW.id, NEW.show_id);
END;
CREATE TRIGGER plays_deleted AFTER DELETE ON plays BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'play', OLD.id, OLD.show_id);
END;
CREATE TRIGGER teams_created AFTER INSERT ON teams BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'team', NEW.id, NULL);
END;
CREATE TRIGGER teams_updated AFTER UPDATE ON teams BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'team', NEW.id, NULL);
END;
CREATE TRIGGER teams_deleted AFTER DELETE ON teams BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'team', OLD.id, NULL);
END;
CREATE TRIGGER team_messages_created AFTER INSERT ON team_messages BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'team_message', NEW.id, NEW.team_id);
END;
CREATE TRIGGER team_messages_updated AFTER UPDATE ON team_messages BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'team_message', NEW.id, NEW.team_id);
END;
CREATE TRIGGER team_messages_deleted AFTER DELETE ON team_messages BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'team_message', OLD.id, OLD.team_id);
END;
CREATE TRIGGER definitions_created AFTER INSERT ON definitions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'definition', NEW.id, NULL);
END;
CREATE TRIGGER definitions_updated AFTER UPDATE ON definitions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'definition', NEW.id, NULL);
END;
CREATE TRIGGER definitions_deleted AFTER DELETE ON definitions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'definition', OLD.id, NULL);
END;

-- ── Search ───────────────────────────────────────────────────────────────
-- No trigger changes the index itself: its text is made by our code, and other tools must be able to delete messages.
-- The first content stays: it is the indexed one.
CREATE TRIGGER messages_unindex AFTER DELETE ON messages BEGIN
  INSERT OR IGNORE INTO search_dirty (pk, content)
    SELECT OLD.pk, OLD.content WHERE OLD.pk <= (SELECT indexed_pk FROM search_state);
  -- the newest pk is reused after its deletion; the mark must not be above it
  UPDATE search_state SET indexed_pk = min(indexed_pk, coalesce((SELECT max(pk) FROM messages), 0))
   WHERE OLD.pk > coalesce((SELECT max(pk) FROM messages), 0);
END;
CREATE TRIGGER messages_reindex AFTER UPDATE OF content ON messages WHEN NEW.content IS NOT OLD.content BEGIN
  INSERT OR IGNORE INTO search_dirty (pk, content)
    SELECT OLD.pk, OLD.content WHERE OLD.pk <= (SELECT indexed_pk FROM search_state);
END;

-- Both indexes of a session are keyed by its position in lists (schema.sql).
CREATE TRIGGER sessions_fts_insert AFTER INSERT ON sessions BEGIN
  INSERT INTO sessions_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.title, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
  INSERT INTO sessions_words_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.title, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
END;
CREATE TRIGGER sessions_fts_delete AFTER DELETE ON sessions BEGIN
  INSERT INTO sessions_fts (sessions_fts, rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.title, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_words_fts
    (sessions_words_fts, rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.title, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
END;
CREATE TRIGGER sessions_fts_update
AFTER UPDATE OF created_at, name, title, agent_name, playbook_name, show_topic, show_play_name, project ON sessions BEGIN
  INSERT INTO sessions_fts (sessions_fts, rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.title, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_words_fts
    (sessions_words_fts, rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.title, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.title, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
  INSERT INTO sessions_words_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.title, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
END;

-- ── Status history ───────────────────────────────────────────────────────
-- state/transitions.py writes an entry before it changes a status; these add one for a change without an entry, which
-- another tool made, and delete the entries with their entity. A pushed session has the history of its machine.
CREATE TRIGGER status_transitions_kept BEFORE UPDATE ON status_transitions BEGIN
  SELECT RAISE(ABORT, 'status_transitions is append-only');
END;
CREATE TRIGGER status_transitions_stay BEFORE DELETE ON status_transitions
WHEN CASE OLD.entity WHEN 'session' THEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.entity_id)
                     WHEN 'play' THEN EXISTS (SELECT 1 FROM plays WHERE id = OLD.entity_id)
                     ELSE EXISTS (SELECT 1 FROM shows WHERE id = OLD.entity_id) END BEGIN
  SELECT RAISE(ABORT, 'status_transitions is append-only');
END;
CREATE TRIGGER session_transition_insert AFTER INSERT ON sessions WHEN NEW.status IS NOT NULL AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'session' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM pushed_sessions WHERE session_id = NEW.id) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'session', NEW.id, NEW.status, 'other');
END;
CREATE TRIGGER session_transition_update AFTER UPDATE OF status ON sessions
WHEN NEW.status IS NOT NULL AND NEW.status IS NOT OLD.status AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'session' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM pushed_sessions WHERE session_id = NEW.id) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, previous, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'session', NEW.id, OLD.status, NEW.status, 'other');
END;
CREATE TRIGGER session_transition_delete AFTER DELETE ON sessions BEGIN
  DELETE FROM status_transitions WHERE entity = 'session' AND entity_id = OLD.id;
END;
CREATE TRIGGER play_transition_insert AFTER INSERT ON plays WHEN NEW.status IS NOT NULL AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'play' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'play', NEW.id, NEW.status, 'other');
END;
CREATE TRIGGER play_transition_update AFTER UPDATE OF status ON plays
WHEN NEW.status IS NOT NULL AND NEW.status IS NOT OLD.status AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'play' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, previous, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'play', NEW.id, OLD.status, NEW.status, 'other');
END;
CREATE TRIGGER play_transition_delete AFTER DELETE ON plays BEGIN
  DELETE FROM status_transitions WHERE entity = 'play' AND entity_id = OLD.id;
END;
CREATE TRIGGER show_transition_insert AFTER INSERT ON shows WHEN NEW.status IS NOT NULL AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'show' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'show', NEW.id, NEW.status, 'other');
END;
CREATE TRIGGER show_transition_update AFTER UPDATE OF status ON shows
WHEN NEW.status IS NOT NULL AND NEW.status IS NOT OLD.status AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'show' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, previous, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'show', NEW.id, OLD.status, NEW.status, 'other');
END;
CREATE TRIGGER show_transition_delete AFTER DELETE ON shows BEGIN
  DELETE FROM status_transitions WHERE entity = 'show' AND entity_id = OLD.id;
END;

-- The end of a session ends its streams, in every server.
CREATE TRIGGER studio_sessions_created AFTER INSERT ON studio_sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'studio_session', NEW.id, NULL);
END;
CREATE TRIGGER studio_sessions_deleted AFTER DELETE ON studio_sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'studio_session', OLD.id, NULL);
END;

-- ── Questions ───────────────────────────────────────────────────────────
CREATE TRIGGER questions_created AFTER INSERT ON questions BEGIN
  UPDATE sessions SET health = 'waiting' WHERE id = NEW.session_id AND status = 'running' AND health IS NOT 'waiting';
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'question', NEW.id, NEW.session_id);
END;
-- a run waits as long as one of its questions is open
CREATE TRIGGER questions_updated AFTER UPDATE OF status, taken_ord ON questions BEGIN
  UPDATE sessions SET health = NULL
   WHERE id = NEW.session_id AND status = 'running' AND health = 'waiting'
     AND NOT EXISTS (SELECT 1 FROM questions WHERE session_id = NEW.session_id AND is_open);
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'question', NEW.id, NEW.session_id);
END;
CREATE TRIGGER questions_deleted AFTER DELETE ON questions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'question', OLD.id, OLD.session_id);
END;

-- ── Refused decisions: a change at the first, and each time the count has doubled ──
CREATE TRIGGER refused_decisions_created AFTER INSERT ON refused_decisions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'refusal', NEW.id, NEW.session_id);
END;
CREATE TRIGGER refused_decisions_updated AFTER UPDATE OF count ON refused_decisions
WHEN (NEW.count & (NEW.count - 1)) = 0 BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'refusal', NEW.id, NEW.session_id);
END;

CREATE TRIGGER sessions_deleted_terminals AFTER DELETE ON sessions BEGIN
  DELETE FROM terminals WHERE session_id = OLD.id;
END;

-- a question about a play or a show is open as long as it waits
CREATE TRIGGER plays_moved_on AFTER UPDATE OF status, attempt ON plays
WHEN NEW.status IS NOT OLD.status OR NEW.attempt IS NOT OLD.attempt BEGIN
  UPDATE questions SET status = 'withdrawn', closed_reason = 'the play is ' || NEW.status
   WHERE show_topic = (SELECT topic FROM shows WHERE id = NEW.show_id) AND play_name = NEW.name
     AND session_id IS NULL AND is_open;
END;
CREATE TRIGGER plays_removed AFTER DELETE ON plays BEGIN
  UPDATE questions SET status = 'withdrawn', closed_reason = 'the play was removed from the plan'
   WHERE show_topic = (SELECT topic FROM shows WHERE id = OLD.show_id) AND play_name = OLD.name
     AND session_id IS NULL AND is_open;
END;
CREATE TRIGGER shows_ended AFTER UPDATE OF status ON shows WHEN NEW.status <> 'active' BEGIN
  UPDATE questions SET status = 'withdrawn', closed_reason = 'the show is ' || NEW.status
   WHERE show_topic = NEW.topic AND session_id IS NULL AND is_open;
END;

-- a session that was deleted here does not come back by a push
CREATE TRIGGER sessions_deleted_pushed AFTER DELETE ON sessions BEGIN
  UPDATE pushed_sessions SET deleted_at = (julianday('now') - 2440587.5) * 86400.0, digest = NULL
   WHERE session_id = OLD.id;
END;

-- ── Workers and orders; a renewal is not a change ──
CREATE TRIGGER workers_created AFTER INSERT ON workers BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'worker', NEW.id, NULL);
END;
CREATE TRIGGER workers_updated
AFTER UPDATE OF name, labels, at_once, version, shape, sandbox, draining, stopping, stopped_at ON workers
WHEN NEW.name IS NOT OLD.name OR NEW.labels IS NOT OLD.labels OR NEW.at_once IS NOT OLD.at_once
  OR NEW.version IS NOT OLD.version OR NEW.shape IS NOT OLD.shape OR NEW.sandbox IS NOT OLD.sandbox
  OR NEW.draining IS NOT OLD.draining OR NEW.stopping IS NOT OLD.stopping OR NEW.stopped_at IS NOT OLD.stopped_at BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'worker', NEW.id, NULL);
END;
CREATE TRIGGER workers_deleted AFTER DELETE ON workers BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'worker', OLD.id, NULL);
END;
CREATE TRIGGER orders_created AFTER INSERT ON orders BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'order', NEW.id, NEW.topic);
END;
CREATE TRIGGER orders_updated AFTER UPDATE OF worker_id, fence, stop, ended_at ON orders BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'order', NEW.id, NEW.topic);
END;
CREATE TRIGGER orders_deleted AFTER DELETE ON orders BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'order', OLD.id, OLD.topic);
END;
