-- From version 4 to 5: indexes over every combination of five filters cost more at the begin and end of a run than they
-- saved on a page. One filter, and status with one more, keep theirs.

DROP INDEX IF EXISTS idx_sessions_kind_project;
DROP INDEX IF EXISTS idx_sessions_kind_agent;
DROP INDEX IF EXISTS idx_sessions_kind_playbook;
DROP INDEX IF EXISTS idx_sessions_project_agent;
DROP INDEX IF EXISTS idx_sessions_project_playbook;
DROP INDEX IF EXISTS idx_sessions_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_status_kind_project;
DROP INDEX IF EXISTS idx_sessions_status_kind_agent;
DROP INDEX IF EXISTS idx_sessions_status_kind_playbook;
DROP INDEX IF EXISTS idx_sessions_status_project_agent;
DROP INDEX IF EXISTS idx_sessions_status_project_playbook;
DROP INDEX IF EXISTS idx_sessions_status_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_kind_project_agent;
DROP INDEX IF EXISTS idx_sessions_kind_project_playbook;
DROP INDEX IF EXISTS idx_sessions_kind_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_project_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_status_kind_project_agent;
DROP INDEX IF EXISTS idx_sessions_status_kind_project_playbook;
DROP INDEX IF EXISTS idx_sessions_status_kind_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_status_project_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_kind_project_agent_playbook;
DROP INDEX IF EXISTS idx_sessions_status_kind_project_agent_playbook;

-- A new transcript tool needs no new schema: any tool and any imported_* kind is allowed. No row changes, so the texts
-- of the constraints are replaced instead of copying the tables.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (source_kind IN (''live'', ''imported_fs'', ''imported_db'', ''imported_claude'',
                                                     ''imported_codex''))',
    'CHECK (source_kind = ''live'' OR source_kind GLOB ''imported_[a-z]*'')')
 WHERE type = 'table' AND name = 'sessions';
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (tool IN (''claude'', ''codex''))', '')
 WHERE type = 'table' AND name = 'mirror_files';
PRAGMA writable_schema = RESET;

UPDATE schema_meta SET version = 5 WHERE version = 4;
