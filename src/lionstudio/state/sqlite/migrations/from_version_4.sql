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

UPDATE schema_meta SET version = 5 WHERE version = 4;
