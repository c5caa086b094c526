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
  pk                  INTEGER PRIMARY KEY
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
CREATE INDEX idx_sessions_playbook ON sessions(playbook_name, created_at);
CREATE INDEX idx_sessions_status_kind ON sessions(status, invocation_kind, created_at);
CREATE INDEX idx_sessions_status_project ON sessions(status, project, created_at);
CREATE INDEX idx_sessions_status_agent ON sessions(status, agent_name, created_at);
CREATE INDEX idx_sessions_status_playbook ON sessions(status, playbook_name, created_at);
CREATE INDEX idx_sessions_source ON sessions(source_kind, created_at);
CREATE INDEX idx_sessions_source_status ON sessions(source_kind, status, created_at);
CREATE INDEX idx_sessions_name ON sessions(name, created_at);
CREATE INDEX idx_sessions_show ON sessions(show_topic, created_at) WHERE show_topic IS NOT NULL;
CREATE INDEX idx_sessions_running ON sessions(started_at) WHERE status = 'running';
CREATE INDEX idx_sessions_failed ON sessions(status, ended_at) WHERE status = 'failed';
CREATE INDEX idx_sessions_progression ON sessions(progression_id);
CREATE INDEX idx_sessions_first_msg ON sessions(first_msg_id);
CREATE INDEX idx_sessions_last_msg ON sessions(last_msg_id);

CREATE TABLE session_counts (status TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;

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
    (CASE WHEN json_valid(node_metadata) THEN json_extract(node_metadata, '$.parent_branch_id') END) VIRTUAL
);
CREATE INDEX idx_branches_session ON branches(session_id, created_at);
CREATE INDEX idx_branches_progression ON branches(progression_id);
CREATE INDEX idx_branches_system_msg ON branches(system_msg_id) WHERE system_msg_id IS NOT NULL;
CREATE INDEX idx_branches_parent ON branches(parent_branch_id) WHERE parent_branch_id IS NOT NULL;

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
  node_metadata  JSON
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
  kind       TEXT    NOT NULL,           -- created | updated | deleted | appended
  entity     TEXT    NOT NULL,           -- session | branch | message | show | play | team | team_message | definition
  entity_id  TEXT    NOT NULL,
  parent_id  TEXT,                       -- the session, show or team it belongs to
  ord        INTEGER                     -- the position of a message in its session
);

-- ── Search ───────────────────────────────────────────────────────────────
-- Contentless: the text is stored once, in messages. The index is filled in batches up to indexed_pk. Its entries for
-- rows above that, and for rows in search_dirty (changed or deleted since), are ignored; a search reads those rows
-- itself. embedding_model: the model of the embeddings in messages; vectors of two models cannot be compared.
CREATE VIRTUAL TABLE messages_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE search_state (indexed_pk INTEGER NOT NULL);
INSERT INTO search_state VALUES (0);
CREATE TABLE search_dirty (pk INTEGER PRIMARY KEY);
CREATE TABLE search_zones (zone INTEGER PRIMARY KEY, newest REAL NOT NULL);  -- 1,024 indexed messages each
CREATE TABLE embedding_model (model TEXT NOT NULL, dimensions INTEGER NOT NULL, created_at REAL NOT NULL);

-- The text filter of run lists: three characters and more by trigrams, fewer as the start of a word. The rowid is the
-- position of a session in its list, the millisecond of its creation and then its pk: matches are read newest first
-- from the end of the index and never sorted. idx_sessions_place leads from a position to the session.
CREATE VIRTUAL TABLE sessions_fts USING fts5 (
  name, agent_name, playbook_name, show_topic, show_play_name, project, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE sessions_words_fts USING fts5 (
  name, agent_name, playbook_name, show_topic, show_play_name, project, content = '',
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
