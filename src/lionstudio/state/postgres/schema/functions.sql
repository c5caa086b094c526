-- Functions of SQLite that statements use, for PostgreSQL. Each answers as SQLite does where a caller can tell, and
-- none fails for a damaged value of one row.

CREATE FUNCTION unix_now() RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT extract(epoch FROM clock_timestamp())::double precision $$;
CREATE FUNCTION julianday(text) RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT unix_now() / 86400.0 + 2440587.5 $$;

-- ── Numbers ──────────────────────────────────────────────────────────────
-- NULL with a NULL, unlike greatest and least
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT least($1, $2) $$;
CREATE FUNCTION max(double precision, double precision) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION min(double precision, double precision) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT least($1, $2) $$;

-- CAST(… AS INTEGER): towards zero, and 0 for text that is not a number
CREATE FUNCTION to_integer(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT $1 $$;
CREATE FUNCTION to_integer(double precision) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE WHEN $1 >= 9.2233720368547e18 THEN 9223372036854775807
                 WHEN $1 <= -9.2233720368547e18 THEN -9223372036854775808 ELSE trunc($1)::bigint END $$;
CREATE FUNCTION to_integer(text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT to_integer(coalesce(substring($1 FROM '^\s*([+-]?[0-9]{1,30})'), '0')::double precision) $$;

CREATE FUNCTION total_step(double precision, double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
  $$ SELECT $1 + coalesce($2, 0) $$;
CREATE AGGREGATE total(double precision) (SFUNC = total_step, STYPE = double precision, INITCOND = '0');
CREATE FUNCTION sum_step(bigint, boolean) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN $2 IS NULL THEN $1 ELSE coalesce($1, 0) + $2::int END $$;
CREATE AGGREGATE sum(boolean) (SFUNC = sum_step, STYPE = bigint);

-- ── Text ─────────────────────────────────────────────────────────────────
CREATE FUNCTION instr(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT strpos($1, $2) $$;
CREATE FUNCTION substr(text, bigint, bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT substr($1, least($2, 2147483647)::int, least($3, 2147483647)::int) $$;
CREATE FUNCTION typeof(anyelement) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN $1 IS NULL THEN 'null' WHEN pg_typeof($1) IN ('double precision', 'real', 'numeric') THEN 'real'
                 WHEN pg_typeof($1) IN ('bigint', 'integer', 'smallint', 'boolean') THEN 'integer'
                 WHEN pg_typeof($1) = 'bytea'::regtype THEN 'blob' ELSE 'text' END $$;

-- Letters in one case: by the rules of ICU where the server has them. Without, its locale may know only ASCII, so letters
-- are taken from their accents first; Greek and Cyrillic capitals stay.
DO $do$
BEGIN
  EXECUTE format($$ CREATE FUNCTION lowered(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    'SELECT %s COLLATE "C"' $$,
    CASE WHEN EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') THEN 'lower($1 COLLATE "und-x-icu")'
         ELSE 'normalize(lower(normalize($1, NFD)), NFC)' END);
END $do$;
CREATE FUNCTION unaccented(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
  $$ SELECT CASE WHEN octet_length($1) = length($1) THEN lowered($1)
                 ELSE regexp_replace(normalize(lowered($1), NFD), U&'[\0300-\036F]', '', 'g') END $$;

-- ── JSON: stored as text, parsed as json (jsonb would reorder keys) ──
-- from PostgreSQL 17 on, json(…) and json_scalar(…) are syntax of their own
CREATE FUNCTION json_document(text) RETURNS json LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT $1::json $$;
-- \u0000 and lone surrogates are JSON, but no text of PostgreSQL; they are hidden while a value is parsed.
CREATE FUNCTION json_hidden(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT regexp_replace($1, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', U&'\E000' || '\1', 'g') $$;
CREATE FUNCTION json_shown(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT regexp_replace($1, U&'\E000' || '(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\u\1', 'g') $$;

CREATE FUNCTION json_of(value text) RETURNS json LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  -- a document with such escapes that make pairs, which are most of them, needs nothing
  IF strpos(value, '\u') > 0 THEN
    BEGIN
      PERFORM value::jsonb;
    EXCEPTION WHEN OTHERS THEN
      RETURN json_hidden(value)::json;
    END;
  END IF;
  RETURN value::json;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

CREATE FUNCTION json_valid(value text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  PERFORM value::json;
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;

CREATE FUNCTION json_path(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE WHEN $1 = '$' THEN '{}' ELSE string_to_array(substr($1, 3), '.') END $$;

CREATE FUNCTION json_plain(value json) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE json_typeof(value) WHEN 'null' THEN NULL WHEN 'boolean' THEN CASE value::text WHEN 'true' THEN '1' ELSE '0' END
                 ELSE value #>> '{}' END $$;

CREATE FUNCTION json_extract(value text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT json_shown(json_plain(json_of(value) #> json_path(path))) $$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract);
CREATE FUNCTION json_part(value text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT json_shown((json_of(value) #> json_path(path))::text) $$;
CREATE OPERATOR -> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_part);

CREATE FUNCTION json_type(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE json_typeof(json_of(value)) WHEN 'string' THEN 'text' WHEN 'boolean' THEN btrim(value, E' \t\n\r')
                 WHEN 'number' THEN CASE WHEN value ~ '[.eE]' THEN 'real' ELSE 'integer' END
                 ELSE json_typeof(json_of(value)) END $$;

CREATE FUNCTION json_type(value text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT json_type(json_part(value, path)) $$;

-- a text inside a document, NULL for any other value: a list asks this of each of its runs
CREATE FUNCTION json_text(document text, path text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  part json;
BEGIN
  IF strpos(document, '\u') > 0 THEN
    RETURN CASE json_type(document, path) WHEN 'text' THEN json_extract(document, path) END;
  END IF;
  part := document::json #> string_to_array(substr(path, 3), '.');
  RETURN CASE json_typeof(part) WHEN 'string' THEN part #>> '{}' END;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

CREATE FUNCTION json_each(document text) RETURNS TABLE (key text, value text, type text)
LANGUAGE plpgsql IMMUTABLE STRICT ROWS 100 AS $$
DECLARE
  doc json := json_of($1);
BEGIN
  CASE json_typeof(doc)
    WHEN 'object' THEN RETURN QUERY
      SELECT json_shown(e.key), json_shown(json_plain(e.value)), json_type(e.value::text) FROM pg_catalog.json_each(doc) e;
    WHEN 'array' THEN RETURN QUERY
      SELECT (e.n - 1)::text, json_shown(json_plain(e.value)), json_type(e.value::text)
        FROM json_array_elements(doc) WITH ORDINALITY AS e (value, n);
    ELSE RETURN QUERY SELECT NULL::text, json_shown(json_plain(doc)), json_type($1);
  END CASE;
END $$;

-- an object with one member replaced, added or (value NULL) removed; the others keep their order and text
CREATE FUNCTION json_put(doc json, path text[], value json) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result text;
BEGIN
  IF json_typeof(doc) IS DISTINCT FROM 'object' THEN
    RETURN doc;
  END IF;
  SELECT string_agg(to_json(m.key)::text || ':' || m.value::text, ',' ORDER BY m.n) INTO result FROM (
    SELECT e.n, e.key, CASE WHEN e.key <> path[1] THEN e.value WHEN cardinality(path) = 1 THEN json_put.value
                            ELSE json_put(e.value, path[2:], json_put.value) END AS value
      FROM pg_catalog.json_each(doc) WITH ORDINALITY AS e (key, value, n)
    UNION ALL
    SELECT 1e9::bigint, path[1], CASE WHEN cardinality(path) = 1 THEN json_put.value
                                      ELSE json_put('{}', path[2:], json_put.value) END
     WHERE json_put.value IS NOT NULL AND (doc -> path[1]) IS NULL) m
   WHERE m.value IS NOT NULL;
  RETURN coalesce('{' || result || '}', '{}')::json;
END $$;
CREATE FUNCTION json_set(doc text, path text, value json) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT json_shown(json_put(json_of(doc), json_path(path), coalesce(json_hidden(value::text)::json, 'null'))::text) $$;
CREATE FUNCTION json_set(doc text, path text, value text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT json_set(doc, path, to_json(value)) $$;
CREATE FUNCTION json_set(doc text, path text, value bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT json_set(doc, path, to_json(value)) $$;
CREATE FUNCTION json_set(doc text, path text, value text, path_2 text, value_2 text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT json_set(json_set(doc, path, value), path_2, value_2) $$;
CREATE FUNCTION json_set(doc text, path text, value text, path_2 text, value_2 bigint) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT json_set(json_set(doc, path, value), path_2, value_2) $$;
CREATE FUNCTION json_remove(doc text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT json_shown(json_put(json_of(doc), json_path(path), NULL)::text) $$;

-- RFC 7396: members of the patch replace those of the document, null removes one
CREATE FUNCTION json_merge(doc json, patch json) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result json := CASE json_typeof(doc) WHEN 'object' THEN doc ELSE '{}' END;
  member record;
BEGIN
  IF json_typeof(patch) <> 'object' THEN
    RETURN patch;
  END IF;
  FOR member IN SELECT * FROM pg_catalog.json_each(patch) LOOP
    result := json_put(result, ARRAY[member.key], CASE json_typeof(member.value)
      WHEN 'null' THEN NULL WHEN 'object' THEN json_merge(result -> member.key, member.value) ELSE member.value END);
  END LOOP;
  RETURN result;
END $$;
CREATE FUNCTION json_patch(doc text, patch text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT json_shown(json_merge(json_of(doc), json_of(patch))::text) $$;

-- ── Search ───────────────────────────────────────────────────────────────
-- The words of a content, as the tokenizer of SQLite's index finds them: letters and digits, without accents. A tsvector
-- holds at most 1 MB, so words beyond the first 200,000 characters are not found.
-- The signs between words are listed, because a server with the locale C knows no letters beyond ASCII.
-- plpgsql keeps the plan of its expression; a function in SQL would be planned again for each message.
CREATE FUNCTION words_of(text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN to_tsvector('simple', CASE WHEN octet_length($1) = length($1)
       -- ASCII: the signs that the parser would take for parts of names, addresses and tags
       THEN regexp_replace(left($1, 200000), '[-_./@:+&<>~\\]+', ' ', 'g')
       ELSE regexp_replace(unaccented(left($1, 200000)),
       '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u2BFF\u3000-\u303F\uFF01-\uFF0F\uFF1A-\uFF20]+',
       ' ', 'g') END);
END $$;
CREATE FUNCTION words_of_content(content text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN words_of((SELECT string_agg(v #>> '{}', E'\n')
                     FROM jsonb_path_query((CASE WHEN strpos(content, '\u') > 0 THEN json_hidden(content)
                                                 ELSE content END)::jsonb, 'strict $.**') v
                    WHERE jsonb_typeof(v) IN ('string', 'number')));
EXCEPTION WHEN OTHERS THEN
  RETURN words_of(content);  -- not JSON, or more words than a tsvector holds
END $$;

-- ── The one lock: every write holds it from its first statement, or from its first change row, to its commit ──
CREATE FUNCTION write_lock() RETURNS void LANGUAGE sql VOLATILE AS
  $$ SELECT pg_advisory_xact_lock(6018330531746411) $$;
CREATE FUNCTION next_seq() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM write_lock();  -- for another tool that takes none
  RETURN (SELECT coalesce(max(seq), 0) + 1 FROM changes);
END $$;
