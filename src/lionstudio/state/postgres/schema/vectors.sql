-- What semantic search needs where the server has pgvector; `li hub init` runs this, and fills the table (vectors.py).
-- It is not part of the versioned schema: without it, every embedding in scope is read and compared by the client.

-- The embeddings of messages, of any length, without those that have no direction: zero, or damaged. The column is
-- renamed to `vector` when all are there. MAIN: beside the key, where a scan reads them without a second look-up.
DROP TABLE IF EXISTS message_vectors;
CREATE TABLE message_vectors (
  pk bigint PRIMARY KEY REFERENCES messages(pk) ON DELETE CASCADE,
  unfilled vector NOT NULL
);
ALTER TABLE message_vectors ALTER unfilled SET STORAGE MAIN;

-- Packed float32 as a vector of length 1: neither large nor small numbers leave the range of pgvector's sums.
CREATE OR REPLACE FUNCTION vector_of(packed bytea) RETURNS vector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bytes bytea := packed || '';  -- in memory: get_byte would fetch a long value anew each time
  numbers double precision[];
  norm double precision;
BEGIN
  IF length(bytes) NOT BETWEEN 4 AND 64000 OR length(bytes) % 4 <> 0 THEN
    RETURN NULL;  -- 16,000 dimensions are the most of pgvector
  END IF;
  numbers := ARRAY(
    SELECT CASE WHEN sign > 0 THEN -1 ELSE 1 END * CASE exponent
             WHEN 255 THEN 'NaN' WHEN 0 THEN fraction * 2::double precision ^ -149
             ELSE (fraction + 8388608) * 2::double precision ^ (exponent - 150) END
      FROM (SELECT high & 128 AS sign, ((high & 127) << 1) | (middle >> 7) AS exponent,
                   ((middle & 127) << 16) | low AS fraction
              FROM (SELECT get_byte(bytes, n + 3) AS high, get_byte(bytes, n + 2) AS middle,
                           (get_byte(bytes, n + 1) << 8) | get_byte(bytes, n) AS low
                      FROM generate_series(0, length(bytes) - 4, 4) n OFFSET 0) parts) number);
  norm := sqrt((SELECT sum(x * x) FROM unnest(numbers) x));
  RETURN CASE WHEN norm > 0 AND norm < 'infinity' THEN ARRAY(SELECT x / norm FROM unnest(numbers) x) END;
END $$;

-- As the owner: roles that write messages need no right of this table.
CREATE OR REPLACE FUNCTION store_vector() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM message_vectors WHERE pk = NEW.pk;
  INSERT INTO message_vectors SELECT NEW.pk, v FROM vector_of(NEW.embedding) v WHERE v IS NOT NULL;
  RETURN NULL;
END $$;
-- Both conditions name the type, so that the triggers go with the extension, and a dump that is restored to a server
-- without it has none: store_vector alone would fail there, and so would every write of an embedding.
CREATE OR REPLACE TRIGGER vector_added AFTER INSERT ON messages FOR EACH ROW
  WHEN (NEW.embedding IS NOT NULL AND NULL::vector IS NULL) EXECUTE FUNCTION store_vector();
CREATE OR REPLACE TRIGGER vector_changed AFTER UPDATE OF embedding ON messages FOR EACH ROW
  WHEN (NEW.embedding IS DISTINCT FROM OLD.embedding AND NULL::vector IS NULL) EXECUTE FUNCTION store_vector();

-- Roles that read embeddings read vectors.
DO $$
DECLARE
  reader text;
BEGIN
  FOR reader IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END FROM pg_class, aclexplode(relacl)
     WHERE oid = 'messages'::regclass AND privilege_type = 'SELECT'
  LOOP
    EXECUTE format('GRANT SELECT ON message_vectors TO %s', reader);
  END LOOP;
END $$;
