-- Triggers on the tables of schema.sql: the same as those of state/sqlite/schema/triggers.sql.

-- ── Progressions: the view reads and writes as ADR-0009 has it ──
CREATE FUNCTION progressions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted text := '[]';
  head bigint;
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM progression_heads WHERE id = OLD.id;
    RETURN OLD;
  END IF;
  wanted := coalesce(NEW.collection, '[]');
  IF NOT json_valid(wanted) OR json_typeof(json_of(wanted)) <> 'array'
     OR EXISTS (SELECT 1 FROM json_each(wanted) WHERE type <> 'text') THEN
    RAISE EXCEPTION 'progressions.collection must be a JSON array of message ids' USING ERRCODE = 'check_violation';
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO progression_heads (id, created_at) VALUES (NEW.id, coalesce(NEW.created_at, unix_now()))
      RETURNING pk INTO head;
  ELSE
    UPDATE progression_heads SET id = NEW.id, created_at = NEW.created_at WHERE id = OLD.id RETURNING pk INTO head;
    DELETE FROM progression_items WHERE prog = head AND ord >= json_array_length(wanted::json);
  END IF;
  -- positions that hold the same id stay untouched, so an append by another tool is one row
  INSERT INTO progression_items (prog, ord, message_id) SELECT head, j.key::bigint, j.value FROM json_each(wanted) j
    ON CONFLICT (prog, ord) DO UPDATE SET message_id = excluded.message_id
     WHERE progression_items.message_id <> excluded.message_id;
  RETURN NEW;
END $$;
CREATE TRIGGER progressions_changed INSTEAD OF INSERT OR UPDATE OR DELETE ON progressions
  FOR EACH ROW EXECUTE FUNCTION progressions_changed();

-- ── Counts ───────────────────────────────────────────────────────────────
CREATE FUNCTION session_counts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE session_counts SET n = n - 1 WHERE status = coalesce(OLD.status, 'unknown');
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO session_counts VALUES (coalesce(NEW.status, 'unknown'), 1)
      ON CONFLICT (status) DO UPDATE SET n = session_counts.n + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER session_counts_changed AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION session_counts_changed();
CREATE TRIGGER session_counts_moved AFTER UPDATE OF status ON sessions
  FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION session_counts_changed();

-- ── Change feed ──────────────────────────────────────────────────────────
-- Arguments: the entity, the column of its id, the column of its parent ('' for none).
CREATE FUNCTION feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed json := to_json(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
BEGIN
  INSERT INTO changes (at, kind, entity, entity_id, parent_id)
    VALUES (unix_now(), CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
            TG_ARGV[0], changed ->> TG_ARGV[1], changed ->> TG_ARGV[2]);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_feed AFTER INSERT OR DELETE OR UPDATE OF name, status, started_at, ended_at, playbook_name,
  agent_name, invocation_kind, show_topic, show_play_name, model, provider, project, exit_code, health, delivery,
  reason_codes, note, continues, retries, forked_from ON sessions FOR EACH ROW EXECUTE FUNCTION feed('session', 'id', '');
CREATE TRIGGER branches_feed AFTER INSERT OR DELETE OR UPDATE OF name, node_metadata, system_msg_id, session_id ON branches
  FOR EACH ROW EXECUTE FUNCTION feed('branch', 'id', 'session_id');
CREATE TRIGGER shows_feed AFTER INSERT OR UPDATE OR DELETE ON shows
  FOR EACH ROW EXECUTE FUNCTION feed('show', 'id', '');
CREATE TRIGGER plays_feed AFTER INSERT OR UPDATE OR DELETE ON plays
  FOR EACH ROW EXECUTE FUNCTION feed('play', 'id', 'show_id');
CREATE TRIGGER teams_feed AFTER INSERT OR UPDATE OR DELETE ON teams
  FOR EACH ROW EXECUTE FUNCTION feed('team', 'id', '');
CREATE TRIGGER team_messages_feed AFTER INSERT OR UPDATE OR DELETE ON team_messages
  FOR EACH ROW EXECUTE FUNCTION feed('team_message', 'id', 'team_id');
CREATE TRIGGER definitions_feed AFTER INSERT OR UPDATE OR DELETE ON definitions
  FOR EACH ROW EXECUTE FUNCTION feed('definition', 'id', '');
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
-- the end of a session ends its streams, in every server
CREATE TRIGGER studio_sessions_feed AFTER INSERT OR DELETE ON studio_sessions
  FOR EACH ROW EXECUTE FUNCTION feed('studio_session', 'id', '');
-- refused decisions: a change at the first, and each time the count has doubled
CREATE TRIGGER refused_decisions_created AFTER INSERT ON refused_decisions
  FOR EACH ROW EXECUTE FUNCTION feed('refusal', 'id', 'session_id');
CREATE TRIGGER refused_decisions_updated AFTER UPDATE OF count ON refused_decisions
  FOR EACH ROW WHEN ((NEW.count & (NEW.count - 1)) = 0) EXECUTE FUNCTION feed('refusal', 'id', 'session_id');

CREATE FUNCTION session_tags_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  session text := CASE TG_OP WHEN 'INSERT' THEN NEW.session_id ELSE OLD.session_id END;
BEGIN
  INSERT INTO changes (at, kind, entity, entity_id) SELECT unix_now(), 'updated', 'session', session
   WHERE EXISTS (SELECT 1 FROM sessions WHERE id = session);
  RETURN NULL;
END $$;
CREATE TRIGGER session_tags_changed AFTER INSERT OR DELETE ON session_tags
  FOR EACH ROW EXECUTE FUNCTION session_tags_changed();

-- ── Search ───────────────────────────────────────────────────────────────
CREATE FUNCTION session_text_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO session_texts (pk, text, created_at)
    VALUES (NEW.pk, lowered(concat_ws(E'\n', NEW.name, NEW.title, NEW.agent_name, NEW.playbook_name, NEW.show_topic,
                                      NEW.show_play_name, NEW.project)), NEW.created_at)
    ON CONFLICT (pk) DO UPDATE SET text = excluded.text, created_at = excluded.created_at;
  RETURN NULL;
END $$;
CREATE TRIGGER session_text_changed AFTER INSERT OR UPDATE OF name, title, agent_name, playbook_name, show_topic,
  show_play_name, project, created_at ON sessions FOR EACH ROW EXECUTE FUNCTION session_text_changed();

-- ── Status history ───────────────────────────────────────────────────────
-- state/transitions.py writes an entry before it changes a status; these add one for a change without an entry, which
-- another tool made, and delete the entries with their entity. A pushed session has the history of its machine.
CREATE FUNCTION status_transitions_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR (CASE OLD.entity
       WHEN 'session' THEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.entity_id)
       WHEN 'play' THEN EXISTS (SELECT 1 FROM plays WHERE id = OLD.entity_id)
       ELSE EXISTS (SELECT 1 FROM shows WHERE id = OLD.entity_id) END) THEN
    RAISE EXCEPTION 'status_transitions is append-only' USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER status_transitions_kept BEFORE UPDATE OR DELETE ON status_transitions
  FOR EACH ROW EXECUTE FUNCTION status_transitions_kept();

CREATE FUNCTION record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM status_transitions WHERE entity = TG_ARGV[0] AND entity_id = OLD.id;
  ELSIF NEW.status IS NOT NULL AND NEW.status IS DISTINCT FROM (SELECT status FROM status_transitions
         WHERE entity = TG_ARGV[0] AND entity_id = NEW.id ORDER BY id DESC LIMIT 1)
         AND NOT EXISTS (SELECT 1 FROM pushed_sessions WHERE TG_ARGV[0] = 'session' AND session_id = NEW.id) THEN
    INSERT INTO status_transitions (at, entity, entity_id, previous, status, source)
      VALUES (unix_now(), TG_ARGV[0], NEW.id, CASE TG_OP WHEN 'UPDATE' THEN OLD.status END, NEW.status, 'other');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_transition AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION record_transition('session');
CREATE TRIGGER sessions_transition_update AFTER UPDATE OF status ON sessions
  FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION record_transition('session');
CREATE TRIGGER plays_transition AFTER INSERT OR DELETE ON plays
  FOR EACH ROW EXECUTE FUNCTION record_transition('play');
CREATE TRIGGER plays_transition_update AFTER UPDATE OF status ON plays
  FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION record_transition('play');
CREATE TRIGGER shows_transition AFTER INSERT OR DELETE ON shows
  FOR EACH ROW EXECUTE FUNCTION record_transition('show');
CREATE TRIGGER shows_transition_update AFTER UPDATE OF status ON shows
  FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION record_transition('show');

-- ── Questions ────────────────────────────────────────────────────────────
CREATE FUNCTION questions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE sessions SET health = 'waiting'
     WHERE id = NEW.session_id AND status = 'running' AND health IS DISTINCT FROM 'waiting';
  ELSE
    -- a run waits as long as one of its questions is open
    UPDATE sessions SET health = NULL
     WHERE id = NEW.session_id AND status = 'running' AND health = 'waiting'
       AND NOT EXISTS (SELECT 1 FROM questions WHERE session_id = NEW.session_id AND is_open);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER questions_changed AFTER INSERT OR UPDATE OF status, taken_ord ON questions
  FOR EACH ROW EXECUTE FUNCTION questions_changed();
CREATE TRIGGER questions_feed AFTER INSERT OR DELETE OR UPDATE OF status, taken_ord ON questions
  FOR EACH ROW EXECUTE FUNCTION feed('question', 'id', 'session_id');

CREATE FUNCTION sessions_deleted_terminals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM terminals WHERE session_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_deleted_terminals AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION sessions_deleted_terminals();

-- a question about a play or a show is open as long as it waits
CREATE FUNCTION plays_moved_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  play plays := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  UPDATE questions SET status = 'withdrawn', closed_reason =
    CASE TG_OP WHEN 'DELETE' THEN 'the play was removed from the plan' ELSE 'the play is ' || play.status END
   WHERE show_topic = (SELECT topic FROM shows WHERE id = play.show_id) AND play_name = play.name
     AND session_id IS NULL AND is_open;
  RETURN NULL;
END $$;
CREATE TRIGGER plays_moved_on AFTER UPDATE OF status, attempt ON plays FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status OR NEW.attempt IS DISTINCT FROM OLD.attempt)
  EXECUTE FUNCTION plays_moved_on();
CREATE TRIGGER plays_removed AFTER DELETE ON plays FOR EACH ROW EXECUTE FUNCTION plays_moved_on();
CREATE FUNCTION shows_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE questions SET status = 'withdrawn', closed_reason = 'the show is ' || NEW.status
   WHERE show_topic = NEW.topic AND session_id IS NULL AND is_open;
  RETURN NULL;
END $$;
CREATE TRIGGER shows_ended AFTER UPDATE OF status ON shows
  FOR EACH ROW WHEN (NEW.status <> 'active') EXECUTE FUNCTION shows_ended();

-- a session that was deleted here does not come back by a push
CREATE FUNCTION sessions_deleted_pushed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pushed_sessions SET deleted_at = unix_now(), digest = NULL WHERE session_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_deleted_pushed AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION sessions_deleted_pushed();
