-- From version 7 to 8: the usage ledger, questions, snoozed attention items, refused decisions, notifications, terminals
-- of the user, lists by model, machines that push to a hub.
CREATE TABLE questions (
  id               TEXT    PRIMARY KEY NOT NULL,
  created_at       REAL    NOT NULL,
  kind             TEXT    NOT NULL CHECK (kind IN ('permission', 'question', 'gate', 'budget', 'escalation', 'conflict')),
  status           TEXT    NOT NULL DEFAULT 'asked'
                   CHECK (status IN ('asked', 'shown', 'answered', 'taken', 'withdrawn', 'expired')),
  session_id       TEXT    REFERENCES sessions(id) ON DELETE CASCADE,
  branch_id        TEXT,
  show_topic       TEXT,
  play_name        TEXT,
  attempt          INTEGER,
  fingerprint      TEXT    NOT NULL,       -- kind:entity:reason
  reason           TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  evidence         JSON    NOT NULL,       -- what is asked, in full
  options          JSON    NOT NULL,
  takes_text       INTEGER NOT NULL DEFAULT 0,
  takes_arguments  INTEGER NOT NULL DEFAULT 0,
  outlives         INTEGER NOT NULL DEFAULT 0,  -- answered after its run has died, the run continues from the answer
  shown_at         REAL,
  answered_at      REAL,
  answer           JSON,
  answered_by      TEXT,
  answered_from    JSON,
  taken_at         REAL,
  taken_ord        INTEGER,
  taken_session    TEXT,
  closed_reason    TEXT,
  is_open          INTEGER GENERATED ALWAYS AS (status IN ('asked', 'shown')) VIRTUAL
);
CREATE INDEX questions_open ON questions (created_at) WHERE is_open;
CREATE INDEX questions_answered ON questions (answered_at) WHERE status = 'answered';
CREATE INDEX questions_by_session ON questions (session_id, created_at);
CREATE INDEX questions_by_show ON questions (show_topic, play_name, created_at) WHERE show_topic IS NOT NULL;

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

-- a vendor's program in a terminal of the user, as its hooks report it
CREATE TABLE terminals (
  tool             TEXT    NOT NULL,
  conversation_id  TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,       -- of its transcript, which may not be imported yet
  state            TEXT    NOT NULL CHECK (state IN ('working', 'waiting', 'idle', 'ended')),
  since            REAL    NOT NULL,
  owner            JSON    NOT NULL,       -- the process of the program
  cwd              TEXT,
  hooks_version    INTEGER NOT NULL,       -- of the settings that `li connect` wrote
  last_event       TEXT    NOT NULL,
  last_event_at    REAL    NOT NULL,
  events           INTEGER NOT NULL DEFAULT 1,
  unknown_events   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tool, conversation_id)
);
CREATE INDEX terminals_by_session ON terminals (session_id);
CREATE INDEX terminals_open ON terminals (last_event_at) WHERE state <> 'ended';
CREATE TRIGGER sessions_deleted_terminals AFTER DELETE ON sessions BEGIN
  DELETE FROM terminals WHERE session_id = OLD.id;
END;

ALTER TABLE attention_dismissals ADD COLUMN until REAL;

CREATE TABLE refused_decisions (
  id          TEXT    PRIMARY KEY NOT NULL,  -- digest of agent and action
  created_at  REAL    NOT NULL,
  last_at     REAL    NOT NULL,
  count       INTEGER NOT NULL DEFAULT 1,
  session_id  TEXT,
  agent       TEXT    NOT NULL,
  action      TEXT    NOT NULL,
  reason      TEXT    NOT NULL
);

CREATE TABLE notifications (
  fingerprint  TEXT PRIMARY KEY NOT NULL,
  state        TEXT NOT NULL,
  claimed_at   REAL NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER refused_decisions_created AFTER INSERT ON refused_decisions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'created', 'refusal', NEW.id, NEW.session_id);
END;
CREATE TRIGGER refused_decisions_updated AFTER UPDATE OF count ON refused_decisions
WHEN (NEW.count & (NEW.count - 1)) = 0 BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'refusal', NEW.id, NEW.session_id);
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

-- ── Usage: each session's tokens and cost by model and quarter of an hour; its rows add up to the session's columns ──
CREATE TABLE usage_ledger (
  quarter             INTEGER NOT NULL,    -- unix time / 900
  session_pk          INTEGER NOT NULL REFERENCES sessions(pk) ON DELETE CASCADE,
  model               TEXT    NOT NULL,    -- '': that of the session
  input_tokens        INTEGER NOT NULL,
  output_tokens       INTEGER NOT NULL,
  cache_read_tokens   INTEGER NOT NULL,
  cache_write_tokens  INTEGER NOT NULL,
  cost_microusd       INTEGER NOT NULL,    -- of the tokens with a known price
  unpriced_tokens     INTEGER NOT NULL,    -- the tokens without one
  first_at            REAL    NOT NULL,
  last_at             REAL    NOT NULL,
  PRIMARY KEY (quarter, session_pk, model)
) WITHOUT ROWID;
CREATE INDEX idx_usage_ledger_session ON usage_ledger(session_pk);

INSERT INTO usage_ledger
SELECT CAST(min(max(m.created_at, -6e10), 1e11) / 900 AS INTEGER) - (min(max(m.created_at, -6e10), 1e11) < 0), s.pk,
       coalesce(substr(CASE WHEN json_type(m.node_metadata, '$.model') = 'text'
                            THEN m.node_metadata ->> '$.model' END, 1, 200), ''),
       CAST(total(m.node_metadata ->> '$.usage.input_tokens') AS INTEGER),
       CAST(total(m.node_metadata ->> '$.usage.output_tokens') AS INTEGER),
       CAST(total(m.node_metadata ->> '$.usage.cache_read_tokens') AS INTEGER),
       CAST(total(m.node_metadata ->> '$.usage.cache_write_tokens') AS INTEGER),
       CAST(total(m.node_metadata ->> '$.usage.cost_microusd') AS INTEGER),
       CAST(total(CASE WHEN m.node_metadata ->> '$.usage.cost_microusd' IS NULL
                THEN coalesce(m.node_metadata ->> '$.usage.input_tokens', 0)
                   + coalesce(m.node_metadata ->> '$.usage.output_tokens', 0)
                   + coalesce(m.node_metadata ->> '$.usage.cache_read_tokens', 0)
                   + coalesce(m.node_metadata ->> '$.usage.cache_write_tokens', 0) ELSE 0 END) AS INTEGER),
       min(max(min(m.created_at), -6e10), 1e11), min(max(max(m.created_at), -6e10), 1e11)
  FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
 WHERE (s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, coalesce(s.cost_microusd, 0))
       <> (0, 0, 0, 0, 0)
   AND m.node_metadata LIKE '%"usage"%' AND json_valid(m.node_metadata)
   AND json_type(m.node_metadata, '$.usage') = 'object'
   AND NOT EXISTS (SELECT 1 FROM json_each(m.node_metadata, '$.usage') u
                    WHERE u.key IN ('input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens',
                                    'cost_microusd')
                      AND u.type <> 'null' AND (u.type <> 'integer' OR u.value < 0))
   -- a message that several sessions share was counted by the oldest of them
   AND NOT EXISTS (SELECT 1 FROM progression_items other JOIN progression_heads oh ON oh.pk = other.prog
                     JOIN sessions o ON o.progression_id = oh.id WHERE other.message_id = m.id AND o.pk < s.pk)
 GROUP BY 1, 2, 3;
-- what the messages of a session do not add up to, because its tool reported sums, counts at its last message
DELETE FROM usage_ledger WHERE session_pk IN (
  SELECT s.pk FROM usage_ledger l JOIN sessions s ON s.pk = l.session_pk GROUP BY s.pk
  HAVING total(l.input_tokens) > s.input_tokens OR total(l.output_tokens) > s.output_tokens
      OR total(l.cache_read_tokens) > s.cache_read_tokens OR total(l.cache_write_tokens) > s.cache_write_tokens
      OR total(l.cost_microusd) > coalesce(s.cost_microusd, 0));
INSERT INTO usage_ledger
SELECT CAST(at / 900 AS INTEGER) - (at < 0), pk, '', input, output, read, write, cost,
       CASE cost WHEN 0 THEN input + output + read + write ELSE 0 END, at, at
  FROM (SELECT s.pk, min(max(coalesce(s.last_message_at, s.ended_at, s.created_at), -6e10), 1e11) AS at,
               s.input_tokens - CAST(total(l.input_tokens) AS INTEGER) AS input,
               s.output_tokens - CAST(total(l.output_tokens) AS INTEGER) AS output,
               s.cache_read_tokens - CAST(total(l.cache_read_tokens) AS INTEGER) AS read,
               s.cache_write_tokens - CAST(total(l.cache_write_tokens) AS INTEGER) AS write,
               coalesce(s.cost_microusd, 0) - CAST(total(l.cost_microusd) AS INTEGER) AS cost
          FROM sessions s LEFT JOIN usage_ledger l ON l.session_pk = s.pk GROUP BY s.pk)
 WHERE (input, output, read, write, cost) <> (0, 0, 0, 0, 0)
ON CONFLICT (quarter, session_pk, model) DO UPDATE SET
  input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
  cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
  cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
  cost_microusd = cost_microusd + excluded.cost_microusd,
  unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens,
  first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at);
CREATE INDEX questions_by_time ON questions (created_at);
DROP INDEX IF EXISTS idx_sessions_source;
CREATE INDEX idx_sessions_model_status ON sessions(model, status, created_at);
-- most runs have no playbook
DROP INDEX IF EXISTS idx_sessions_playbook;
DROP INDEX IF EXISTS idx_sessions_status_playbook;
CREATE INDEX idx_sessions_playbook ON sessions(playbook_name, created_at) WHERE playbook_name IS NOT NULL;
CREATE INDEX idx_sessions_status_playbook ON sessions(status, playbook_name, created_at)
  WHERE playbook_name IS NOT NULL;

-- ── A hub: the machines that push their sessions here (docs/hub.md); empty elsewhere ──
CREATE TABLE machines (
  id          TEXT PRIMARY KEY NOT NULL,
  name        TEXT NOT NULL,
  version     TEXT NOT NULL,               -- of Lion Studio there
  created_at  REAL NOT NULL,
  seen_at     REAL NOT NULL                -- by the clock of this database, as created_at
) WITHOUT ROWID;

-- How far the change feed of a database of a machine was pushed. A seq counts only if its row is the same there: a
-- restored or copied file continues with other rows.
CREATE TABLE push_marks (
  machine_id  TEXT    NOT NULL REFERENCES machines(id) ON DELETE CASCADE,
  path        TEXT    NOT NULL,            -- of the database on its machine
  seq         INTEGER NOT NULL,
  row_at      REAL,
  row_id      TEXT,
  filters     TEXT    NOT NULL,            -- what was pushed; other filters compare all sessions again
  pushed_at   REAL    NOT NULL,
  PRIMARY KEY (machine_id, path)
) WITHOUT ROWID;

-- The sessions that were pushed here, each by one database of one machine. The row of a deleted session stays: it does
-- not come back.
CREATE TABLE pushed_sessions (
  session_id  TEXT PRIMARY KEY NOT NULL,
  machine_id  TEXT NOT NULL,
  path        TEXT NOT NULL,
  digest      TEXT,                        -- of all its rows; NULL: they grew since it was computed
  pushed_at   REAL NOT NULL,
  deleted_at  REAL
) WITHOUT ROWID;
-- a session that was deleted here does not come back by a push
CREATE TRIGGER sessions_deleted_pushed AFTER DELETE ON sessions BEGIN
  UPDATE pushed_sessions SET deleted_at = (julianday('now') - 2440587.5) * 86400.0, digest = NULL
   WHERE session_id = OLD.id;
END;

ALTER TABLE sessions ADD COLUMN machine_id TEXT;
UPDATE sessions SET machine_id = CASE WHEN json_type(owner, '$.machine_id') = 'text' THEN owner ->> '$.machine_id' END
 WHERE owner IS NOT NULL AND json_valid(owner);
DROP TRIGGER session_transition_insert;
DROP TRIGGER session_transition_update;
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

-- a push must learn of every change
DROP TRIGGER sessions_updated;
DROP TRIGGER branches_updated;
CREATE TRIGGER sessions_updated
AFTER UPDATE OF name, status, started_at, ended_at, playbook_name, agent_name, invocation_kind, show_topic,
  show_play_name, model, provider, project, exit_code, health, delivery, reason_codes, note, continues, retries,
  forked_from ON sessions BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'session', NEW.id, NULL);
END;
CREATE TRIGGER branches_updated AFTER UPDATE OF name, node_metadata, system_msg_id, session_id ON branches BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES ((julianday('now') - 2440587.5) * 86400.0, 'updated', 'branch', NEW.id, NEW.session_id);
END;

-- processes that Studio started, so that another Studio of the same database shows them and starts none twice
CREATE TABLE launches (
  id           TEXT    PRIMARY KEY NOT NULL,  -- of an agent run: its session
  request_key  TEXT    UNIQUE,                -- the Idempotency-Key of the request
  verb         TEXT    NOT NULL,
  target       TEXT,
  options      JSON    NOT NULL,
  started_at   REAL    NOT NULL,
  owner        JSON,                          -- the process; NULL until it has started
  log          TEXT    NOT NULL,              -- a file on its machine
  exit_code    INTEGER,
  ended_at     REAL
) WITHOUT ROWID;
CREATE INDEX launches_by_time ON launches (started_at);

UPDATE schema_meta SET version = 8 WHERE version = 7;
