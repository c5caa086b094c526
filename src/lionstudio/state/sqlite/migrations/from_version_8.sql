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
ALTER TABLE plays ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

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

UPDATE schema_meta SET version = 9 WHERE version = 8;
