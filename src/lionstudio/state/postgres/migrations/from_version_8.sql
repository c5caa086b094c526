-- ── Workers, and the orders that they take ──
CREATE TABLE workers (
  id text PRIMARY KEY NOT NULL,
  machine_id text,
  name text NOT NULL,
  labels text NOT NULL DEFAULT '[]',
  at_once bigint NOT NULL,
  version text NOT NULL,
  shape text NOT NULL,
  sandbox text,
  draining bigint NOT NULL DEFAULT 0,
  stopping bigint NOT NULL DEFAULT 0,
  started_at double precision NOT NULL,
  seen_at double precision NOT NULL,
  stopped_at double precision
);
CREATE TABLE orders (
  id text PRIMARY KEY NOT NULL,
  topic text NOT NULL,
  play text,
  work text NOT NULL CHECK (work IN ('show', 'attempt', 'gates', 'merge', 'final_gates')),
  command text NOT NULL DEFAULT '{}',
  needs text NOT NULL DEFAULT '[]',
  shape text NOT NULL,
  ordered_at double precision NOT NULL,
  worker_id text,
  fence bigint NOT NULL DEFAULT 0,
  beat bigint NOT NULL DEFAULT 0,
  taken_at double precision,
  renewed_at double precision,
  stop text,
  ended_at double precision,
  answer text
);
CREATE INDEX orders_open ON orders (ordered_at) WHERE ended_at IS NULL;
CREATE INDEX orders_by_show ON orders (topic, ordered_at);
ALTER TABLE plays ADD COLUMN fence bigint NOT NULL DEFAULT 0;

-- a renewal is not a change
CREATE TRIGGER workers_feed AFTER INSERT OR DELETE ON workers
  FOR EACH ROW EXECUTE FUNCTION feed('worker', 'id', '');
CREATE TRIGGER workers_feed_update AFTER UPDATE ON workers
  FOR EACH ROW WHEN ((NEW.name, NEW.labels, NEW.at_once, NEW.version, NEW.shape, NEW.sandbox, NEW.draining, NEW.stopping,
                      NEW.stopped_at)
    IS DISTINCT FROM
    (OLD.name, OLD.labels, OLD.at_once, OLD.version, OLD.shape, OLD.sandbox, OLD.draining, OLD.stopping, OLD.stopped_at))
  EXECUTE FUNCTION feed('worker', 'id', '');
CREATE TRIGGER orders_feed AFTER INSERT OR UPDATE OF worker_id, fence, stop, ended_at OR DELETE ON orders
  FOR EACH ROW EXECUTE FUNCTION feed('order', 'id', 'topic');

UPDATE schema_meta SET version = 9 WHERE version = 8;
