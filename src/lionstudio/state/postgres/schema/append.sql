CREATE FUNCTION refuse_append(expected text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF expected IS NOT NULL THEN
    RAISE EXCEPTION 'not appended' USING ERRCODE = 'LS001';
  END IF;
END $$;

-- One append in one call: the rows that state/messages/append.py writes, in its order. The lock is taken after the
-- message, which is the larger part of the work, and before the row of the session, which other writes lock second.
-- `outcome`: appended; or nothing was written and the caller finds out why, statement by statement. A caller that names
-- the session expects an append, and does not look at the outcome: anything else ends its transaction.
CREATE FUNCTION append_message(
  branch_id text, late boolean, expected text, message_id text, message_at double precision, metadata text, content text,
  embedding bytea, sender text, recipient text, channel text, role text, type_id bigint,
  OUT outcome text, OUT session_id text, OUT session_pk bigint, OUT session_ord bigint, OUT transaction_id text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  session_prog bigint;
  branch_prog bigint;
BEGIN
  outcome := 'unknown';
  SELECT s.id, s.pk, sh.pk, bh.pk INTO session_id, session_pk, session_prog, branch_prog
    FROM branches b JOIN sessions s ON s.id = b.session_id
    JOIN progression_heads sh ON sh.id = s.progression_id JOIN progression_heads bh ON bh.id = b.progression_id
   WHERE b.id = append_message.branch_id;
  IF NOT FOUND OR session_id <> expected THEN
    PERFORM refuse_append(expected);
    RETURN;
  END IF;
  INSERT INTO messages AS m (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role,
                             lion_class)
    VALUES (message_id, message_at, metadata, append_message.content, append_message.embedding,
            append_message.sender, append_message.recipient, append_message.channel, append_message.role, type_id)
    ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN
    PERFORM refuse_append(expected);
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(6018330531746411);  -- as write_lock, without its call
  UPDATE sessions s SET last_msg_id = message_id, last_message_at = greatest(coalesce(s.last_message_at, 0), message_at),
    updated_at = CASE WHEN message_at >= s.updated_at + 1 OR s.message_count = 0 THEN greatest(message_at, s.updated_at)
                      ELSE s.updated_at END, message_count = s.message_count + 1
   WHERE s.pk = session_pk AND (s.status = 'running' OR late);
  IF NOT FOUND THEN
    PERFORM refuse_append(expected);
    DELETE FROM messages m WHERE m.id = message_id;
    RETURN;
  END IF;
  SELECT coalesce(max(i.ord) + 1, 0) INTO session_ord FROM progression_items i WHERE i.prog = session_prog;
  INSERT INTO progression_items (prog, ord, message_id) VALUES
    (session_prog, session_ord, append_message.message_id),
    (branch_prog, (SELECT coalesce(max(i.ord) + 1, 0) FROM progression_items i WHERE i.prog = branch_prog),
     append_message.message_id);
  INSERT INTO changes (seq, at, kind, entity, entity_id, parent_id, ord)
    VALUES ((SELECT coalesce(max(c.seq), 0) + 1 FROM changes c), message_at, 'appended', 'message',
            append_message.message_id, session_id, session_ord);
  outcome := 'appended';
  transaction_id := pg_current_xact_id()::text;
END $$;

-- Many appends in one call: the same rows, in the same order. There is no outcome: if one of them is special, the
-- transaction ends. The planner may not choose by the size that the tables have when a connection is new.
CREATE FUNCTION append_messages(
  branch_ids text[], lates boolean[], session_ids text[], message_ids text[], ats double precision[], metadatas text[],
  contents text[], embeddings bytea[], senders text[], recipients text[], channels text[], roles text[], type_ids bigint[]
) RETURNS void LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  written bigint;
BEGIN
  INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
    SELECT u.id, u.at, u.metadata, u.content, u.embedding, u.sender, u.recipient, u.channel, u.role, u.type_id
      FROM unnest(message_ids, ats, metadatas, contents, embeddings, senders, recipients, channels, roles, type_ids)
           WITH ORDINALITY AS u (id, at, metadata, content, embedding, sender, recipient, channel, role, type_id, n)
     ORDER BY u.n
    ON CONFLICT (id) DO NOTHING;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(message_ids) THEN
    PERFORM refuse_append('');
  END IF;
  PERFORM pg_advisory_xact_lock(6018330531746411);
  UPDATE sessions s SET last_msg_id = g.last_id, last_message_at = greatest(coalesce(s.last_message_at, 0), g.last_at),
    updated_at = CASE WHEN g.last_at >= s.updated_at + 1 OR s.message_count = 0 THEN greatest(g.last_at, s.updated_at)
                      ELSE s.updated_at END, message_count = s.message_count + g.added
    FROM (SELECT u.session_id, count(*) AS added, max(u.at) AS last_at, bool_and(u.late) AS late,
                 (array_agg(u.id ORDER BY u.n DESC))[1] AS last_id
            FROM unnest(session_ids, lates, message_ids, ats) WITH ORDINALITY AS u (session_id, late, id, at, n)
           GROUP BY u.session_id) g
   WHERE s.id = g.session_id AND (s.status = 'running' OR g.late);
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> (SELECT count(DISTINCT u) FROM unnest(session_ids) u) THEN
    PERFORM refuse_append('');
  END IF;
  WITH placed AS (
    SELECT u.n, u.id, u.at, u.session_id, sh.pk AS session_prog, bh.pk AS branch_prog,
           row_number() OVER (PARTITION BY sh.pk ORDER BY u.n) AS session_n,
           row_number() OVER (PARTITION BY bh.pk ORDER BY u.n) AS branch_n
      FROM unnest(branch_ids, session_ids, message_ids, ats) WITH ORDINALITY AS u (branch_id, session_id, id, at, n)
      JOIN branches b ON b.id = u.branch_id AND b.session_id = u.session_id JOIN sessions s ON s.id = u.session_id
      JOIN progression_heads sh ON sh.id = s.progression_id JOIN progression_heads bh ON bh.id = b.progression_id),
  numbered AS MATERIALIZED (
    SELECT p.*,
      p.session_n + coalesce((SELECT max(i.ord) FROM progression_items i WHERE i.prog = p.session_prog), -1) AS session_ord,
      p.branch_n + coalesce((SELECT max(i.ord) FROM progression_items i WHERE i.prog = p.branch_prog), -1) AS branch_ord
      FROM placed p),
  items AS (
    INSERT INTO progression_items (prog, ord, message_id)
      SELECT session_prog, session_ord, id FROM numbered UNION ALL SELECT branch_prog, branch_ord, id FROM numbered)
  INSERT INTO changes (seq, at, kind, entity, entity_id, parent_id, ord)
    SELECT (SELECT coalesce(max(c.seq), 0) FROM changes c) + n, at, 'appended', 'message', id, session_id, session_ord
      FROM numbered ORDER BY n;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(message_ids) THEN
    PERFORM refuse_append('');
  END IF;
END $$;
