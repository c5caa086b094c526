"""A page of messages as JSON, built by the server: the statement of `messages/pages.py` with its functions."""

from __future__ import annotations

WINDOW = """
SELECT CAST(string_agg(piece, ',' ORDER BY ord) AS BLOB), count(*), min(ord), max(ord) FROM (
  SELECT i.ord AS ord, CASE WHEN m.pk IS NULL THEN concat(
    '{"ord":', i.ord, ',"id":', to_json(i.message_id), ',"branch_id":',
    coalesce(to_json(CAST(:branch AS TEXT)), 'null'), ',"missing":true',
    ',"created_at":null,"metadata":{},"content":null,"size":0,"cut":null}')
  ELSE concat(
    '{"ord":', i.ord, ',"id":', to_json(i.message_id), ',"branch_id":',
    coalesce(to_json(coalesce(CAST(:branch AS TEXT),
      (SELECT b.id FROM progression_items j JOIN progression_heads g ON g.pk = j.prog
         JOIN branches b ON b.progression_id = g.id
        WHERE j.message_id = i.message_id AND b.session_id = :session LIMIT 1))), 'null'),
    ',"missing":false,"created_at":',
    CASE WHEN abs(m.created_at) < 1e15 THEN CAST(m.created_at AS TEXT) ELSE 'null' END,
    ',"sender":', coalesce(to_json(m.sender), 'null'), ',"recipient":', coalesce(to_json(m.recipient), 'null'),
    ',"channel":', coalesce(to_json(m.channel), 'null'), ',"role":', coalesce(to_json(m.role), 'null'),
    ',"lion_class":', coalesce(to_json(t.lion_class), 'null'), ',"size":', coalesce(octet_length(m.content), 0),
    ',"metadata":', CASE WHEN m.node_metadata IS NULL THEN '{}'
                         WHEN NOT json_valid(m.node_metadata)
                         THEN CAST(json_object('unreadable', substr(m.node_metadata, 1, CAST(:cut AS int))) AS TEXT)
                         WHEN octet_length(m.node_metadata) > :cut / 64 THEN json_remove(m.node_metadata, '$.patch')
                         ELSE m.node_metadata END,
    CASE
      WHEN m.content IS NULL THEN ',"cut":null,"content":null'
      WHEN NOT json_valid(m.content) THEN concat(
        ',"cut":', CASE WHEN octet_length(m.content) > :cut THEN CAST(json_object('', length(m.content)) AS TEXT)
                        ELSE 'null' END,
        ',"content":', json_object('unreadable', substr(m.content, 1, CAST(:cut AS int))))
      WHEN octet_length(m.content) <= :cut THEN concat(',"cut":null,"content":', m.content)
      WHEN substr(m.content, 1, 1) = '{' THEN (
        SELECT concat(
            ',"cut":', CASE WHEN count(*) < 64
                            THEN coalesce(json_object_agg(key, chars) FILTER (WHERE chars > :preview), '{}')
                            ELSE json_object('', length(m.content)) END,
            ',"content":', coalesce(json_object_agg(key, CASE
              WHEN type IN ('true', 'false') THEN CAST(type AS json)
              WHEN type = 'text' OR chars > :preview THEN to_json(substr(value, 1, CAST(:preview AS int)))
              WHEN value IS NULL THEN CAST('null' AS json)
              ELSE CAST(value AS json) END), '{}'))
          FROM (SELECT key, type, value, length(value) AS chars FROM json_each(m.content) LIMIT 64) parts)
      WHEN substr(m.content, 1, 1) = '"' THEN concat(
        ',"cut":', json_object('', length(m.content)),
        ',"content":', to_json(substr(m.content ->> '$', 1, CAST(:preview AS int))))
      ELSE concat(
        ',"cut":', json_object('', length(m.content)),
        ',"content":', to_json(substr(m.content, 1, CAST(:preview AS int)))) END,
    '}') END AS piece
    FROM progression_items i
    LEFT JOIN messages m ON m.id = i.message_id
    LEFT JOIN message_types t ON t.type_id = m.lion_class
   WHERE i.prog = :prog AND i.ord > :after AND i.ord < :before ORDER BY i.ord LIMIT :limit) pieces
"""
