-- The schema of a new database: the design records' columns first, in their order; only syntax that SQLite 3.40 supports.
-- Triggers are in triggers.sql.

CREATE TABLE schema_meta (           -- its row is written by state/sqlite/open.py
  version     INTEGER NOT NULL,
  lineage     TEXT    NOT NULL,
  created_at  REAL    NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0)
);

-- ── Messages ─────────────────────────────────────────────────────────────
CREATE TABLE message_types (type_id INTEGER PRIMARY KEY, lion_class TEXT NOT NULL UNIQUE);
INSERT INTO message_types (type_id, lion_class) VALUES
  (0, '__unknown__'),
  (1, 'lionagi.protocols.messages.system.System'),
  (2, 'lionagi.protocols.messages.instruction.Instruction'),
  (3, 'lionagi.protocols.messages.assistant_response.AssistantResponse'),
  (4, 'lionagi.protocols.messages.action_request.ActionRequest'),
  (5, 'lionagi.protocols.messages.action_response.ActionResponse');

CREATE TABLE messages (
  id             TEXT    NOT NULL UNIQUE,
  created_at     REAL    NOT NULL,
  node_metadata  JSON,
  content        JSON,
  embedding      BLOB,
  sender         TEXT,
  recipient      TEXT,
  channel        TEXT,
  role           TEXT,
  lion_class     INTEGER NOT NULL DEFAULT 0 REFERENCES message_types(type_id),
  pk             INTEGER PRIMARY KEY    -- the key of the search index; VACUUM keeps it
);

-- ── Progressions: the order lives in items, `progressions` reads as ADR-0009 has it ──
CREATE TABLE progression_heads (
  id          TEXT    NOT NULL UNIQUE,
  created_at  REAL    NOT NULL,
  pk          INTEGER PRIMARY KEY,
  unreadable  TEXT                       -- an old collection that was not a JSON array, kept as it was
);
CREATE TABLE progression_items (
  prog        INTEGER NOT NULL REFERENCES progression_heads(pk) ON DELETE CASCADE,
  ord         INTEGER NOT NULL,
  message_id  TEXT    NOT NULL,
  PRIMARY KEY (prog, ord)
) WITHOUT ROWID;
CREATE INDEX idx_items_message ON progression_items(message_id);

CREATE VIEW progressions (id, created_at, collection) AS
  SELECT h.id, h.created_at,
         (SELECT json_group_array(x.message_id)
            FROM (SELECT i.message_id FROM progression_items i WHERE i.prog = h.pk ORDER BY i.ord) x)
    FROM progression_heads h;

-- ── Sessions ─────────────────────────────────────────────────────────────
CREATE TABLE sessions (
  id                  TEXT    NOT NULL UNIQUE,
  created_at          REAL    NOT NULL,
  node_metadata       JSON,
  name                TEXT,
  user                TEXT,
  progression_id      TEXT    REFERENCES progression_heads(id),
  first_msg_id        TEXT    REFERENCES messages(id),
  last_msg_id         TEXT    REFERENCES messages(id),
  updated_at          REAL    NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400.0),
  playbook_name       TEXT,
  agent_name          TEXT,
  invocation_kind     TEXT    CHECK (invocation_kind IN ('agent', 'play', 'flow', 'fanout', 'show-play')),
  show_topic          TEXT,
  show_play_name      TEXT,
  artifacts_path      TEXT,
  source_kind         TEXT    CHECK (source_kind = 'live' OR source_kind GLOB 'imported_[a-z]*'),
  status              TEXT    CHECK (status IN ('running', 'completed', 'failed', 'timed_out', 'aborted',
                                                'cancelled')),
  started_at          REAL,
  ended_at            REAL,
  last_message_at     REAL,
  message_count       INTEGER NOT NULL DEFAULT 0,
  model               TEXT,
  provider            TEXT,
  project             TEXT,
  cwd                 TEXT,
  git_commit          TEXT,
  exit_code           INTEGER,
  health              TEXT,
  delivery            TEXT,
  reason_codes        JSON    NOT NULL DEFAULT '[]',
  input_tokens        INTEGER NOT NULL DEFAULT 0,
  output_tokens       INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens   INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens  INTEGER NOT NULL DEFAULT 0,
  cost_microusd       INTEGER,           -- NULL where no price is known
  owner               JSON,              -- pid, start ticks, boot id, … of the process that runs it
  pk                  INTEGER PRIMARY KEY,
  title               TEXT,              -- the first line of its prompt; `name` is what a person called it
  conversation_id     TEXT,              -- the vendor's id of the conversation
  continues           TEXT,              -- the session it resumed
  retries             TEXT,              -- the session it repeats
  forked_from         TEXT,              -- the session it forked from
  note                TEXT,
  machine_id          TEXT               -- the machine that it ran on, or that imported it; no index: most files have one
);
-- The only index with a column that changes on every message: every append pays for it.
CREATE INDEX idx_sessions_updated ON sessions(updated_at DESC);
CREATE INDEX idx_sessions_created ON sessions(created_at);
-- One filter, and status with one more, have an index in the order of the list; other combinations walk one of these.
-- The begin and end of a session pay for them, a message never.
CREATE INDEX idx_sessions_status ON sessions(status, created_at);
CREATE INDEX idx_sessions_kind ON sessions(invocation_kind, created_at);
CREATE INDEX idx_sessions_project ON sessions(project, created_at);
CREATE INDEX idx_sessions_agent ON sessions(agent_name, created_at);
CREATE INDEX idx_sessions_playbook ON sessions(playbook_name, created_at) WHERE playbook_name IS NOT NULL;
CREATE INDEX idx_sessions_status_kind ON sessions(status, invocation_kind, created_at);
CREATE INDEX idx_sessions_status_project ON sessions(status, project, created_at);
CREATE INDEX idx_sessions_status_agent ON sessions(status, agent_name, created_at);
CREATE INDEX idx_sessions_status_playbook ON sessions(status, playbook_name, created_at)
  WHERE playbook_name IS NOT NULL;
-- These two start with the filter and serve it alone, too: a walk for each status, merged.
CREATE INDEX idx_sessions_source_status ON sessions(source_kind, status, created_at);
CREATE INDEX idx_sessions_model_status ON sessions(model, status, created_at);
CREATE INDEX idx_sessions_name ON sessions(name, created_at);
CREATE INDEX idx_sessions_show ON sessions(show_topic, created_at) WHERE show_topic IS NOT NULL;
CREATE INDEX idx_sessions_running ON sessions(started_at) WHERE status = 'running';
CREATE INDEX idx_sessions_failed ON sessions(status, ended_at) WHERE status = 'failed';
CREATE INDEX idx_sessions_progression ON sessions(progression_id);
CREATE INDEX idx_sessions_first_msg ON sessions(first_msg_id);
CREATE INDEX idx_sessions_last_msg ON sessions(last_msg_id);
CREATE INDEX idx_sessions_conversation ON sessions(conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX idx_sessions_continues ON sessions(continues) WHERE continues IS NOT NULL;
CREATE INDEX idx_sessions_retries ON sessions(retries) WHERE retries IS NOT NULL;
CREATE INDEX idx_sessions_forked_from ON sessions(forked_from) WHERE forked_from IS NOT NULL;

CREATE TABLE session_counts (status TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE session_tags (
  session_id  TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  tag         TEXT NOT NULL,
  created_at  REAL NOT NULL,
  PRIMARY KEY (session_id, tag)
) WITHOUT ROWID;
CREATE INDEX idx_session_tags_tag ON session_tags(tag, session_id);

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
  dismissed_at  REAL NOT NULL,
  until         REAL                        -- snoozed until then; NULL: until the state changes
) WITHOUT ROWID;

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

-- ── Branches ─────────────────────────────────────────────────────────────
CREATE TABLE branches (
  id                  TEXT    PRIMARY KEY NOT NULL,
  created_at          REAL    NOT NULL,
  node_metadata       JSON,
  user                TEXT,
  name                TEXT,
  session_id          TEXT    NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  progression_id      TEXT    REFERENCES progression_heads(id),  -- NULL: a fork without messages
  system_msg_id       TEXT    REFERENCES messages(id),
  input_tokens        INTEGER NOT NULL DEFAULT 0,
  output_tokens       INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens   INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens  INTEGER NOT NULL DEFAULT 0,
  cost_microusd       INTEGER,
  -- ADR-0009 keeps the fork in the metadata; this column indexes it
  parent_branch_id    TEXT    GENERATED ALWAYS AS
    (CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.parent_branch_id') END) VIRTUAL,
  -- the vendor's id of the conversation or of a sub-agent's part of it
  conversation_id     TEXT    GENERATED ALWAYS AS
    (CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.conversation') END) VIRTUAL
);
CREATE INDEX idx_branches_session ON branches(session_id, created_at);
CREATE INDEX idx_branches_progression ON branches(progression_id);
CREATE INDEX idx_branches_system_msg ON branches(system_msg_id) WHERE system_msg_id IS NOT NULL;
CREATE INDEX idx_branches_parent ON branches(parent_branch_id) WHERE parent_branch_id IS NOT NULL;
CREATE INDEX idx_branches_conversation ON branches(conversation_id) WHERE conversation_id IS NOT NULL;

-- ── Exchange between sessions ────────────────────────────────────────────
CREATE TABLE mailboxes (
  owner           TEXT NOT NULL,         -- a session, a branch, any name; '*' for a public channel
  box             TEXT NOT NULL CHECK (box IN ('inbox', 'outbox')),
  channel         TEXT NOT NULL DEFAULT '',
  progression_id  TEXT NOT NULL UNIQUE REFERENCES progression_heads(id),
  created_at      REAL NOT NULL,
  PRIMARY KEY (owner, box, channel)
) WITHOUT ROWID;
CREATE TABLE read_positions (
  reader          TEXT    NOT NULL,
  progression_id  TEXT    NOT NULL REFERENCES progression_heads(id) ON DELETE CASCADE,
  ord             INTEGER NOT NULL,      -- the last one read
  updated_at      REAL    NOT NULL,
  PRIMARY KEY (reader, progression_id)
) WITHOUT ROWID;
CREATE INDEX idx_read_positions_progression ON read_positions(progression_id);

-- ── Shows ────────────────────────────────────────────────────────────────
CREATE TABLE shows (
  id                  TEXT    PRIMARY KEY,
  topic               TEXT    NOT NULL UNIQUE,
  goal                TEXT,
  repo                TEXT,
  base_branch         TEXT,
  integration_branch  TEXT,
  status              TEXT    NOT NULL DEFAULT 'active'
                      CHECK (status IN ('active', 'completed', 'aborted', 'imported')),
  status_source       TEXT,
  show_dir            TEXT    NOT NULL,
  created_at          REAL    NOT NULL,
  updated_at          REAL    NOT NULL,
  node_metadata       JSON
);
CREATE INDEX idx_shows_topic ON shows(topic);
CREATE INDEX idx_shows_status ON shows(status);
CREATE INDEX idx_shows_updated ON shows(updated_at DESC);

CREATE TABLE plays (
  id             TEXT    PRIMARY KEY,
  show_id        TEXT    NOT NULL REFERENCES shows(id) ON DELETE CASCADE,
  name           TEXT    NOT NULL,
  playbook       TEXT,
  effort         TEXT,
  status         TEXT    NOT NULL DEFAULT 'pending'
                 CHECK (status IN ('pending', 'prepared', 'running', 'running_complete', 'gated', 'gate_failed',
                                   'redoing', 'merged', 'escalated', 'blocked', 'aborted_after_finish')),
  attempt        INTEGER NOT NULL DEFAULT 1,
  session_id     TEXT    REFERENCES sessions(id),
  started_at     REAL,
  ended_at       REAL,
  exit_code      INTEGER,
  worktree       TEXT,
  branch         TEXT,
  merge_sha      TEXT,
  merged_at      REAL,
  gate_passed    INTEGER,
  gate_feedback  TEXT,
  depends_on     JSON    DEFAULT '[]',
  sort_order     INTEGER NOT NULL DEFAULT 0,
  created_at     REAL    NOT NULL,
  updated_at     REAL    NOT NULL,
  node_metadata  JSON,
  fence          INTEGER NOT NULL DEFAULT 0   -- raised whenever a worker takes work of it; an older number writes nothing
);
CREATE INDEX idx_plays_show ON plays(show_id);
CREATE INDEX idx_plays_status ON plays(status);
CREATE INDEX idx_plays_session ON plays(session_id);
CREATE UNIQUE INDEX idx_plays_show_name ON plays(show_id, name);
CREATE INDEX idx_plays_attention ON plays(session_id) WHERE status IN ('gated', 'escalated', 'blocked');

-- ── Teams ────────────────────────────────────────────────────────────────
CREATE TABLE teams (
  id             TEXT    PRIMARY KEY,
  name           TEXT    NOT NULL,
  created_at     REAL    NOT NULL,
  updated_at     REAL    NOT NULL,
  member_count   INTEGER NOT NULL DEFAULT 0,
  members        JSON    NOT NULL DEFAULT '[]',
  node_metadata  JSON,
  status         TEXT    NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived'))
);
CREATE INDEX idx_teams_name ON teams(name);
CREATE INDEX idx_teams_updated ON teams(updated_at DESC);
CREATE INDEX idx_teams_status ON teams(status);

CREATE TABLE team_messages (
  id             TEXT    PRIMARY KEY,
  team_id        TEXT    NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
  created_at     REAL    NOT NULL,
  sender         TEXT    NOT NULL,
  recipient      TEXT    NOT NULL DEFAULT 'all',
  content        TEXT    NOT NULL,
  summary        TEXT,
  read_by        JSON    NOT NULL DEFAULT '[]',
  session_id     TEXT    REFERENCES sessions(id),
  node_metadata  JSON
);
CREATE INDEX idx_team_msgs_team ON team_messages(team_id);
CREATE INDEX idx_team_msgs_created ON team_messages(created_at);
CREATE INDEX idx_team_msgs_session ON team_messages(session_id) WHERE session_id IS NOT NULL;

-- ── Definitions: versions of authored files; the file itself is the truth ──
CREATE TABLE definitions (
  id             TEXT    PRIMARY KEY,
  kind           TEXT    NOT NULL CHECK (kind IN ('agent', 'playbook', 'skill', 'plugin')),
  name           TEXT    NOT NULL,
  version        INTEGER NOT NULL,
  content        TEXT    NOT NULL,
  sha256         TEXT    NOT NULL,
  path           TEXT,
  author         TEXT,
  message        TEXT,
  created_at     REAL    NOT NULL,
  node_metadata  JSON,
  UNIQUE (kind, name, version)
);

-- ── Change feed ──────────────────────────────────────────────────────────
-- Written in the transaction of the change itself. SQLite has one writer, so seq order is commit order.
-- The newest row is never deleted: a seq must not be used twice.
CREATE TABLE changes (
  seq        INTEGER PRIMARY KEY,
  at         REAL    NOT NULL,
  kind       TEXT    NOT NULL,           -- created | updated | deleted | appended | sent | embedded
  entity     TEXT    NOT NULL,           -- session | branch | message | show | play | team | team_message | definition |
                                         -- studio_session | question | refusal
  entity_id  TEXT    NOT NULL,
  parent_id  TEXT,                       -- the session, show or team it belongs to
  ord        INTEGER                     -- the position of a message in its session
);

-- ── Search ───────────────────────────────────────────────────────────────
-- Contentless: the text is stored once, in messages. The index is filled in batches up to indexed_pk. Its entries for
-- rows above that, and for rows in search_dirty (changed or deleted since), are ignored; a search reads those rows
-- itself. An entry can only be removed with the text that was indexed, so search_dirty keeps that content until then
-- (contentless_delete would not need it, but SQLite before 3.43 refuses a file that has it).
-- embedding_model: the model of the embeddings in messages; vectors of two models cannot be compared.
CREATE VIRTUAL TABLE messages_fts USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE search_state (indexed_pk INTEGER NOT NULL);
INSERT INTO search_state VALUES (0);
CREATE TABLE search_dirty (pk INTEGER PRIMARY KEY, content);
CREATE TABLE search_zones (zone INTEGER PRIMARY KEY, newest REAL NOT NULL);  -- 1,024 indexed messages each
CREATE TABLE embedding_model (model TEXT NOT NULL, dimensions INTEGER NOT NULL, created_at REAL NOT NULL);

-- The text filter of run lists: three characters and more by trigrams, fewer as the start of a word. The rowid is the
-- position of a session in its list, the millisecond of its creation and then its pk: matches are read newest first
-- from the end of the index and never sorted. idx_sessions_place leads from a position to the session.
CREATE VIRTUAL TABLE sessions_fts USING fts5 (
  name, title, agent_name, playbook_name, show_topic, show_play_name, project, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE sessions_words_fts USING fts5 (
  name, title, agent_name, playbook_name, show_topic, show_play_name, project, content = '',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2', detail = none, columnsize = 0);
CREATE INDEX idx_sessions_place
  ON sessions(min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576);

-- ── Transcripts of other tools: how far each file was read ───────────────
CREATE TABLE mirror_files (
  path        TEXT    PRIMARY KEY NOT NULL,
  tool        TEXT    NOT NULL,
  session_id  TEXT,                      -- no foreign key: a pruned session stays pruned
  inode       INTEGER NOT NULL,
  size        INTEGER NOT NULL,          -- as last seen
  mtime_ns    INTEGER NOT NULL,
  read_to     INTEGER NOT NULL,          -- the end of the last imported line
  seal        TEXT    NOT NULL,          -- checksum of the blocks at its start and before read_to
  state       JSON    NOT NULL,          -- the state that its reader needs to continue
  messages    INTEGER NOT NULL DEFAULT 0,
  skipped     JSON    NOT NULL DEFAULT '{}',
  read_at     REAL    NOT NULL,
  gone_at     REAL                       -- when it was missing first; its messages stay
) WITHOUT ROWID;
CREATE INDEX idx_mirror_files_tool ON mirror_files(tool);

-- A record of a transcript that a live run stored first, under an id of its own.
CREATE TABLE message_aliases (
  alias       TEXT PRIMARY KEY NOT NULL, -- the id that the transcript's reader gives it
  message_id  TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_message_aliases_message ON message_aliases(message_id);

-- ── Browsers that are signed in to Studio ────────────────────────────────
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

-- ── Questions: everything that waits for a person ────────────────────────
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
CREATE INDEX questions_by_time ON questions (created_at);
CREATE INDEX questions_open ON questions (created_at) WHERE is_open;
CREATE INDEX questions_answered ON questions (answered_at) WHERE status = 'answered';
CREATE INDEX questions_by_session ON questions (session_id, created_at);
CREATE INDEX questions_by_show ON questions (show_topic, play_name, created_at) WHERE show_topic IS NOT NULL;

-- ── Refused decisions: one row for each agent and action, so that an agent cannot flood the list ──
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

-- ── Notifications: the state of each attention item that was sent; the insert decides who sends it ──
CREATE TABLE notifications (
  fingerprint  TEXT PRIMARY KEY NOT NULL,
  state        TEXT NOT NULL,
  claimed_at   REAL NOT NULL
) WITHOUT ROWID;

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

-- ── Workers of a hub, and the orders that they take (docs/workers.md); empty elsewhere ──
-- All times are by the clock of this database. Sweepers compare numbers of beats, never clocks.
CREATE TABLE workers (
  id          TEXT    PRIMARY KEY NOT NULL,
  machine_id  TEXT,
  name        TEXT    NOT NULL,
  labels      JSON    NOT NULL DEFAULT '[]',
  at_once     INTEGER NOT NULL,
  version     TEXT    NOT NULL,            -- of Lion Studio there
  shape       TEXT    NOT NULL,            -- of the orders that it can carry out
  sandbox     TEXT,                        -- NULL: it cannot confine programs
  draining    INTEGER NOT NULL DEFAULT 0,  -- 1: a person wants it to take nothing new
  stopping    INTEGER NOT NULL DEFAULT 0,  -- 1: it ends when it has completed what it has
  started_at  REAL    NOT NULL,
  seen_at     REAL    NOT NULL,
  stopped_at  REAL
) WITHOUT ROWID;

CREATE TABLE orders (
  id          TEXT    PRIMARY KEY NOT NULL,  -- of its workflow in the engine, too
  topic       TEXT    NOT NULL,
  play        TEXT,                          -- NULL: of the whole show
  work        TEXT    NOT NULL CHECK (work IN ('show', 'attempt', 'gates', 'merge', 'final_gates')),
  command     JSON    NOT NULL DEFAULT '{}',
  needs       JSON    NOT NULL DEFAULT '[]', -- labels that a worker must have
  shape       TEXT    NOT NULL,
  ordered_at  REAL    NOT NULL,
  worker_id   TEXT,                          -- that has it; NULL: it waits for one
  fence       INTEGER NOT NULL DEFAULT 0,    -- that its worker carries
  beat        INTEGER NOT NULL DEFAULT 0,    -- counts renewals of the lease
  taken_at    REAL,
  renewed_at  REAL,
  stop        TEXT,                          -- why it should stop; NULL: it should not
  ended_at    REAL,
  answer      JSON
) WITHOUT ROWID;
CREATE INDEX orders_open ON orders (ordered_at) WHERE ended_at IS NULL;
CREATE INDEX orders_by_show ON orders (topic, ordered_at);
