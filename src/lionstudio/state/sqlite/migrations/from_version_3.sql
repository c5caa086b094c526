-- From version 3 to 4: index sessions by their position in lists, index short texts, and record the times of index
-- zones for searches by time. A released migration never changes.

-- Some files have these already: they were created before the version was raised.
CREATE TABLE IF NOT EXISTS search_zones (zone INTEGER PRIMARY KEY, newest REAL NOT NULL);  -- 1,024 indexed messages each
CREATE TABLE IF NOT EXISTS embedding_model (model TEXT NOT NULL, dimensions INTEGER NOT NULL, created_at REAL NOT NULL);
DROP TRIGGER IF EXISTS sessions_fts_insert;
DROP TRIGGER IF EXISTS sessions_fts_delete;
DROP TRIGGER IF EXISTS sessions_fts_update;
DROP TABLE IF EXISTS sessions_fts;
DROP TABLE IF EXISTS sessions_words_fts;
DROP INDEX IF EXISTS idx_sessions_place;

-- only for indexed messages: a search reads all others whatever their time
INSERT INTO search_zones (zone, newest)
  SELECT pk / 1024, max(created_at) FROM messages
   WHERE pk <= (SELECT indexed_pk FROM search_state) GROUP BY pk / 1024
  ON CONFLICT (zone) DO UPDATE SET newest = max(newest, excluded.newest);

CREATE VIRTUAL TABLE sessions_fts USING fts5 (
  name, agent_name, playbook_name, show_topic, show_play_name, project, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE sessions_words_fts USING fts5 (
  name, agent_name, playbook_name, show_topic, show_play_name, project, content = '',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2', detail = none, columnsize = 0);
CREATE INDEX idx_sessions_place
  ON sessions(min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576);
INSERT INTO sessions_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
  SELECT min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576,
         name, agent_name, playbook_name, show_topic, show_play_name, project
    FROM sessions ORDER BY 1;
INSERT INTO sessions_words_fts (rowid, name, agent_name, playbook_name, show_topic, show_play_name, project)
  SELECT min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576,
         name, agent_name, playbook_name, show_topic, show_play_name, project
    FROM sessions ORDER BY 1;

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

UPDATE schema_meta SET version = 4 WHERE version = 3;
