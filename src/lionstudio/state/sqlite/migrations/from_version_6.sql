-- From version 6 to 7: browsers that are signed in to Studio.
-- Rows, so that several servers of one database share them. Secrets are stored as SHA-256 hashes only.
CREATE TABLE studio_sessions (
  id            TEXT PRIMARY KEY NOT NULL,
  cookie_hash   TEXT NOT NULL UNIQUE,
  header_hash   TEXT NOT NULL,
  created_at    REAL NOT NULL,
  last_seen_at  REAL NOT NULL,
  expires_at    REAL NOT NULL,
  user_agent    TEXT,
  address       TEXT
) WITHOUT ROWID;
CREATE TABLE studio_codes (
  code_hash   TEXT PRIMARY KEY NOT NULL,
  created_at  REAL NOT NULL,
  expires_at  REAL NOT NULL
) WITHOUT ROWID;

-- The end of a session ends its streams, in every server.
CREATE TRIGGER studio_sessions_created AFTER INSERT ON studio_sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'studio_session', NEW.id, NULL);
END;
CREATE TRIGGER studio_sessions_deleted AFTER DELETE ON studio_sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'deleted', 'studio_session', OLD.id, NULL);
END;

UPDATE schema_meta SET version = 7 WHERE version = 6;
