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
  show_play_name, model, provider, project, exit_code, health, delivery, reason_codes ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', NEW.id, NULL);
END;
CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'session', OLD.id, NULL);
END;
CREATE TRIGGER branches_created AFTER INSERT ON branches BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'branch', NEW.id, NEW.session_id);
END;
CREATE TRIGGER branches_updated AFTER UPDATE OF name, node_metadata, system_msg_id ON branches BEGIN
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
-- No trigger changes the index itself: SQLite before 3.43 cannot, and old tools must be able to delete messages.
CREATE TRIGGER messages_unindex AFTER DELETE ON messages BEGIN
  INSERT OR IGNORE INTO search_dirty SELECT OLD.pk WHERE OLD.pk <= (SELECT indexed_pk FROM search_state);
  -- the newest pk is reused after its deletion; the mark must not be above it
  UPDATE search_state SET indexed_pk = min(indexed_pk, coalesce((SELECT max(pk) FROM messages), 0))
   WHERE OLD.pk > coalesce((SELECT max(pk) FROM messages), 0);
END;
CREATE TRIGGER messages_reindex AFTER UPDATE OF content ON messages BEGIN
  INSERT OR IGNORE INTO search_dirty SELECT NEW.pk WHERE NEW.pk <= (SELECT indexed_pk FROM search_state);
END;

-- Both indexes of a session are keyed by its position in lists (schema.sql).
CREATE TRIGGER sessions_fts_insert AFTER INSERT ON sessions BEGIN
  INSERT INTO sessions_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
  INSERT INTO sessions_words_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
END;
CREATE TRIGGER sessions_fts_delete AFTER DELETE ON sessions BEGIN
  INSERT INTO sessions_fts (sessions_fts, rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_words_fts
    (sessions_words_fts, rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
END;
CREATE TRIGGER sessions_fts_update
AFTER UPDATE OF created_at, name, agent_name, playbook_name, show_topic, show_play_name, project ON sessions BEGIN
  INSERT INTO sessions_fts (sessions_fts, rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_words_fts
    (sessions_words_fts, rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES ('delete', min(max(CAST(OLD.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + OLD.pk % 1048576,
            OLD.name, OLD.agent_name, OLD.playbook_name, OLD.show_topic, OLD.show_play_name, OLD.project);
  INSERT INTO sessions_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
  INSERT INTO sessions_words_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
    VALUES (min(max(CAST(NEW.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + NEW.pk % 1048576,
            NEW.name, NEW.agent_name, NEW.playbook_name, NEW.show_topic, NEW.show_play_name, NEW.project);
END;
