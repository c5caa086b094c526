-- From version 5 to 6: titles apart from names, the vendor's conversation, lineage, notes, tags, the status history, and a
-- search index that SQLite 3.40 reads.

ALTER TABLE sessions ADD COLUMN title TEXT;
ALTER TABLE sessions ADD COLUMN conversation_id TEXT;
ALTER TABLE sessions ADD COLUMN continues TEXT;
ALTER TABLE sessions ADD COLUMN retries TEXT;
ALTER TABLE sessions ADD COLUMN forked_from TEXT;
ALTER TABLE sessions ADD COLUMN note TEXT;

-- The triggers that keep the text indexes come after these updates.
DROP TRIGGER sessions_fts_insert;
DROP TRIGGER sessions_fts_delete;
DROP TRIGGER sessions_fts_update;
DROP TABLE sessions_fts;
DROP TABLE sessions_words_fts;

UPDATE sessions
   SET conversation_id = coalesce(json_extract(node_metadata, '$.conversation'),
                                  json_extract(node_metadata, '$.mirror.session_id')),
       continues = json_extract(node_metadata, '$.resumed_from'),
       forked_from = json_extract(node_metadata, '$.forked_from')
 WHERE json_valid(node_metadata) AND json_type(node_metadata) = 'object';

CREATE INDEX idx_sessions_conversation ON sessions(conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX idx_sessions_continues ON sessions(continues) WHERE continues IS NOT NULL;
CREATE INDEX idx_sessions_retries ON sessions(retries) WHERE retries IS NOT NULL;
CREATE INDEX idx_sessions_forked_from ON sessions(forked_from) WHERE forked_from IS NOT NULL;

CREATE TABLE session_tags (
  session_id  TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  tag         TEXT NOT NULL,
  created_at  REAL NOT NULL,
  PRIMARY KEY (session_id, tag)
) WITHOUT ROWID;
CREATE INDEX idx_session_tags_tag ON session_tags(tag, session_id);

DROP TRIGGER sessions_updated;
CREATE TRIGGER sessions_updated
AFTER UPDATE OF name, status, started_at, ended_at, playbook_name, agent_name, invocation_kind, show_topic,
  show_play_name, model, provider, project, exit_code, health, delivery, reason_codes, note ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', NEW.id, NULL);
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

-- Append-only. The rows of an entity are deleted with it, never before.
CREATE TABLE status_transitions (
  id           INTEGER PRIMARY KEY,
  at           REAL    NOT NULL,
  entity       TEXT    NOT NULL CHECK (entity IN ('session', 'play', 'show')),
  entity_id    TEXT    NOT NULL,
  previous     TEXT,                     -- NULL: the entity was created with this status
  status       TEXT    NOT NULL,
  reason_code  TEXT,
  source       TEXT,                     -- the part of the product that changed it: run, director, doctor, import, …
  actor        TEXT                      -- the user, agent or process behind it
);
CREATE INDEX idx_status_transitions_entity ON status_transitions(entity, entity_id, id);

-- Items of "Needs you" that a person dismissed; an item returns when the state of its entity changes.
CREATE TABLE attention_dismissals (
  id            TEXT PRIMARY KEY NOT NULL,  -- kind:entity:reason
  state         TEXT NOT NULL,
  dismissed_at  REAL NOT NULL
) WITHOUT ROWID;

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
  (SELECT status FROM status_transitions WHERE entity = 'session' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
  INSERT INTO status_transitions (at, entity, entity_id, status, source)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'session', NEW.id, NEW.status, 'other');
END;
CREATE TRIGGER session_transition_update AFTER UPDATE OF status ON sessions
WHEN NEW.status IS NOT NULL AND NEW.status IS NOT OLD.status AND NEW.status IS NOT
  (SELECT status FROM status_transitions WHERE entity = 'session' AND entity_id = NEW.id ORDER BY id DESC LIMIT 1) BEGIN
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

ALTER TABLE branches ADD COLUMN conversation_id TEXT GENERATED ALWAYS AS
    (CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.conversation') END) VIRTUAL;
CREATE INDEX idx_branches_conversation ON branches(conversation_id) WHERE conversation_id IS NOT NULL;

-- A record of a transcript that a live run stored first, under an id of its own.
CREATE TABLE message_aliases (
  alias       TEXT PRIMARY KEY NOT NULL, -- the id that the transcript's reader gives it
  message_id  TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_message_aliases_message ON message_aliases(message_id);

CREATE VIRTUAL TABLE sessions_fts USING fts5 (
  name, title, agent_name, playbook_name, show_topic, show_play_name, project, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE sessions_words_fts USING fts5 (
  name, title, agent_name, playbook_name, show_topic, show_play_name, project, content = '',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2', detail = none, columnsize = 0);
INSERT INTO sessions_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
  SELECT min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576,
         name, title, agent_name, playbook_name, show_topic, show_play_name, project FROM sessions ORDER BY 1;
INSERT INTO sessions_words_fts (rowid, name, title, agent_name, playbook_name, show_topic, show_play_name, project)
  SELECT min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576,
         name, title, agent_name, playbook_name, show_topic, show_play_name, project FROM sessions ORDER BY 1;

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

-- The index without contentless_delete, which SQLite before 3.43 refuses. It starts empty; state/sqlite/migrate.py fills it.
DROP TRIGGER messages_unindex;
DROP TRIGGER messages_reindex;
DROP TABLE messages_fts;
DROP TABLE search_dirty;
DELETE FROM search_zones;
UPDATE search_state SET indexed_pk = 0;
CREATE VIRTUAL TABLE messages_fts USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE search_dirty (pk INTEGER PRIMARY KEY, content);
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

UPDATE schema_meta SET version = 6 WHERE version = 5;
