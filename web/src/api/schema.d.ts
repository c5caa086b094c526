// Made from the server's OpenAPI by `make types`; do not edit.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Healthz
         * @description Report that the server is running; needs no token.
         */
        get: operations["healthz_healthz_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Login By Code
         * @description Sign in with the URL that `li studio` prints; its code is valid once, for less than a minute.
         */
        get: operations["login_by_code_login_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Login By Token
         * @description Sign this browser in with the token in the Authorization header.
         */
        post: operations["login_by_token_api_login_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics
         * @description Metrics for Prometheus; needs the token.
         */
        get: operations["metrics_metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Dashboard
         * @description Get the cards, runs by hour of the last day, active shows, and recent runs.
         */
        get: operations["get_dashboard_api_dashboard_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Stats
         * @description Count sessions in the database and definitions in their folders.
         */
        get: operations["get_stats_api_stats_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Attention
         * @description List everything that needs a person.
         */
        get: operations["get_attention_api_attention_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search Messages
         * @description Search messages by keywords (newest first, or the most relevant of the newest thousand) or by meaning.
         */
        get: operations["search_messages_api_search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Runs
         * @description List runs, newest first; all filters can be combined.
         *
         *     With `health`, which is computed at read time, a page may be shorter than `limit` although more pages follow.
         */
        get: operations["list_runs_api_runs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count Facets
         * @description Count the runs of each filter value under the other filters, up to a thousand.
         */
        get: operations["count_facets_api_facets_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Run
         * @description Get a run from the database, with its manifest if an archived one exists.
         */
        get: operations["get_run_api_runs__run_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Session
         * @description Get a session with its branches; its messages have their own routes.
         */
        get: operations["get_session_api_sessions__session_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Files
         * @description List the files in the folder of a run; files that its tools used are in the outline.
         */
        get: operations["list_files_api_sessions__session_id__files_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/files/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read File
         * @description Get some bytes of a file of a run, as text.
         */
        get: operations["read_file_api_sessions__session_id__files_content_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop Session
         * @description Stop a run with every process it started, like `li kill`; only proven processes are signalled.
         */
        post: operations["stop_session_api_sessions__session_id__stop_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Messages
         * @description List messages after or before an ord; from the beginning by default.
         */
        get: operations["list_messages_api_sessions__session_id__messages_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/branches/{branch_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Branch Messages
         * @description List messages of one branch, by the ord in the branch; reads the messages that a fork inherited.
         */
        get: operations["list_branch_messages_api_branches__branch_id__messages_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Message
         * @description Get one message and its ord, for a link to it.
         */
        get: operations["get_message_api_sessions__session_id__messages__message_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages/{message_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Content
         * @description Get some characters of a content that is too long for one response.
         */
        get: operations["get_content_api_sessions__session_id__messages__message_id__content_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/outline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Outline
         * @description Get tool errors, user messages, tools and files; with `after`, only of later messages.
         */
        get: operations["get_outline_api_sessions__session_id__outline_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Timeline
         * @description Count the messages of each branch in buckets of equal time; 30,000 messages make a few hundred blocks.
         */
        get: operations["get_timeline_api_sessions__session_id__timeline_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search Session
         * @description List the messages of a run that contain a text, in order.
         */
        get: operations["search_session_api_sessions__session_id__search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Session
         * @description Export the session as a file, like `li state export`.
         */
        get: operations["export_session_api_sessions__session_id__export_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Everything
         * @description Every change as a hint with ids; the page then fetches what it shows (GET).
         */
        get: operations["follow_everything_api_events_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Session
         * @description The messages of a session as they are recorded, complete; `done` when the session has ended.
         */
        get: operations["follow_session_api_sessions__session_id__stream_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Show
         * @description The changes of a show, its plays and their sessions; `done` when the show has ended.
         */
        get: operations["follow_show_api_shows__topic__stream_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Shows
         * @description List shows, most recently changed first; shows that are only on disk come last.
         */
        get: operations["get_shows_api_shows_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Show
         * @description Get a show with its plays, dependencies, critical path and blocked plays.
         */
        get: operations["get_show_api_shows__topic__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Order
         * @description Run `li show …` as a process: a decision about a play, or an action on the show.
         */
        post: operations["order_api_shows__topic__actions_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/plays/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Play
         * @description Get a play with the intent and verdict in its folder.
         */
        get: operations["get_play_api_shows__topic__plays__name__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/plays/{name}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Attempts
         * @description List the attempts of a play.
         */
        get: operations["get_attempts_api_shows__topic__plays__name__attempts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/plays/{name}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Diff
         * @description Get the diff of a play, of one `attempt`, or of an attempt `against` another.
         */
        get: operations["get_diff_api_shows__topic__plays__name__diff_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Teams
         * @description List teams, most recently used first; an invalid file has an `error`.
         */
        get: operations["list_teams_api_teams_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Team
         * @description Get a team by its id or name.
         */
        get: operations["get_team_api_teams__team_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Team Messages
         * @description List the newest messages, in order.
         */
        get: operations["list_team_messages_api_teams__team_id__messages_get"];
        put?: never;
        /**
         * Send Team Message
         * @description Send a message to some members, or to all.
         */
        post: operations["send_team_message_api_teams__team_id__messages_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Agents
         * @description List agents; an invalid one has an `error`.
         */
        get: operations["list_agents_api_agents_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playbooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Playbooks
         * @description List playbooks; an invalid one has an `error`.
         */
        get: operations["list_playbooks_api_playbooks_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Skills
         * @description List skills; none of them is executed.
         */
        get: operations["list_skills_api_skills_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plugins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Plugins
         * @description List plugins with their components; none of them is executed.
         */
        get: operations["list_plugins_api_plugins_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/definitions/{kind}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Definition
         * @description Get a definition with its text; a save must send its ETag.
         */
        get: operations["get_definition_api_definitions__kind___name__get"];
        /**
         * Save Definition
         * @description Save a text: with `If-Match` and the ETag of the text it replaces, or `If-None-Match: *` for a new one.
         */
        put: operations["save_definition_api_definitions__kind___name__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/definitions/{kind}/{name}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check Definition
         * @description Validate a text without saving it.
         */
        post: operations["check_definition_api_definitions__kind___name__validate_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/definitions/{kind}/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Versions
         * @description List the versions, newest first, without their texts.
         */
        get: operations["get_versions_api_definitions__kind___name__versions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/definitions/{kind}/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get One Version
         * @description Get one version with its text.
         */
        get: operations["get_one_version_api_definitions__kind___name__versions__version__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/definitions/{kind}/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll Back
         * @description Save the text of an earlier version as the newest one.
         */
        post: operations["roll_back_api_definitions__kind___name__rollback_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/launches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Launches
         * @description List the launches of this server, newest first.
         */
        get: operations["list_launches_api_launches_get"];
        put?: never;
        /**
         * Launch
         * @description Start a process; a repeated `Idempotency-Key` returns the first launch.
         */
        post: operations["launch_api_launches_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/launches/{launch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Launch
         * @description Get a launch with the end of its output.
         */
        get: operations["get_launch_api_launches__launch_id__get"];
        put?: never;
        post?: never;
        /**
         * Stop Launch
         * @description Stop a launch; only a process that is proven to be its own is signalled.
         */
        delete: operations["stop_launch_api_launches__launch_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Examine
         * @description List every finding with its evidence, and the runs that could be marked as failed.
         */
        get: operations["examine_api_admin_doctor_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/doctor/transition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transition Stale
         * @description Mark runs as failed that are stale and proven dead; by default only list them.
         */
        post: operations["transition_stale_api_admin_doctor_transition_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checkpoint
         * @description Checkpoint the write-ahead log.
         */
        post: operations["checkpoint_api_admin_checkpoint_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/vacuum": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Vacuum
         * @description Rebuild the file without its free space; writers wait meanwhile.
         */
        post: operations["vacuum_api_admin_vacuum_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview Prune
         * @description Preview what `li state prune` would delete and free, and which old sessions it keeps.
         */
        get: operations["preview_prune_api_admin_prune_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Backup
         * @description Copy the database into the folder `backups` of the home.
         */
        post: operations["backup_api_admin_backup_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/database": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Database Stats
         * @description Get sizes, rows per table, pragmas, the backlog of the search index, and the growth of the last days.
         */
        get: operations["database_stats_api_admin_database_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Import Status
         * @description Get the sources of sessions, the files on disk, the progress of each import, and running imports.
         */
        get: operations["import_status_api_admin_imports_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/work": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Work
         * @description List running imports and upgrades of every process; works without the database.
         */
        get: operations["list_work_api_work_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Health
         * @description List the runs that are marked running by health, with the evidence.
         */
        get: operations["get_health_api_admin_health_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Log
         * @description Get the end of the Studio log: refusals with their reasons, and unexpected errors.
         */
        get: operations["read_log_api_admin_logs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Settings
         * @description Get every setting and its origin.
         */
        get: operations["get_settings_api_admin_settings_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Action
         * @description An action on a show or a play.
         * @enum {string}
         */
        Action: "run" | "approve" | "reject" | "redo" | "escalate" | "abort" | "resume";
        /**
         * ActionField
         * @description A field of an action; `name` is its key in the request body.
         */
        ActionField: {
            /** Name */
            name: string;
            /** Label */
            label: string;
            /**
             * Kind
             * @description lines, text or number
             */
            kind: string;
            /** Required */
            required: boolean;
        };
        /**
         * ActionView
         * @description An action that a person may take now: its effect and its fields.
         */
        ActionView: {
            /** Action */
            action: string;
            /** Label */
            label: string;
            /** What */
            what: string;
            /** Danger */
            danger: boolean;
            /** Fields */
            fields: components["schemas"]["ActionField"][];
        };
        /**
         * Ancestor
         * @description A branch whose messages 0 to last_ord another branch inherited.
         */
        Ancestor: {
            /** Branch Id */
            branch_id: string;
            /** Name */
            name: string | null;
            /** Session Id */
            session_id: string;
            /** Session Name */
            session_name: string | null;
            /** Message Count */
            message_count: number;
            /** Last Ord */
            last_ord: number;
        };
        /**
         * Argument
         * @description An argument of a playbook.
         */
        Argument: {
            /** Name */
            name: string;
        };
        /**
         * ArtifactFile
         * @description A file in the folder of a run.
         */
        ArtifactFile: {
            /** Path */
            path: string;
            /** Size */
            size: number;
            /** Changed At */
            changed_at: number;
        };
        /**
         * ArtifactText
         * @description Some bytes of a file, as text.
         */
        ArtifactText: {
            /** Path */
            path: string;
            /** Start */
            start: number;
            /**
             * Total
             * @description size of the file in bytes
             */
            total: number;
            /** Text */
            text: string;
        };
        /**
         * Artifacts
         * @description The files in the folder of a run, below the home or the shows folder.
         */
        Artifacts: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Root */
            root: string | null;
            /** Files */
            files: components["schemas"]["ArtifactFile"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * Attempt
         * @description One attempt of a play: its metadata, its verdict and its run.
         */
        Attempt: {
            /** Attempt */
            attempt: number;
            /** Current */
            current: boolean;
            /** Session Id */
            session_id: string | null;
            /** Meta */
            meta: {
                [key: string]: unknown;
            } | null;
            /** Verdict */
            verdict: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Attempts
         * @description Every attempt of a play, in order.
         */
        Attempts: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Play */
            play: string;
            /** Attempts */
            attempts: components["schemas"]["Attempt"][];
            /** Errors */
            errors: string[];
        };
        /**
         * Attention
         * @description Every item that needs a person, most severe first.
         */
        Attention: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["Waiting"][];
        };
        /**
         * BackedUp
         * @description The result of a backup.
         */
        BackedUp: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            result: components["schemas"]["BackupResult"];
        };
        /**
         * Backup
         * @description The file name of the backup in the folder `backups` of the home (default: state-<time>.db).
         */
        Backup: {
            /** Name */
            name?: string | null;
        };
        /**
         * BackupResult
         * @description The path and size of the backup.
         */
        BackupResult: {
            /** Path */
            path: string;
            /** Bytes */
            bytes: number;
        };
        /**
         * BadgeView
         * @description One badge of the State cell.
         */
        BadgeView: {
            /**
             * Kind
             * @description lifecycle, gate or integration
             */
            kind: string;
            /** Label */
            label: string;
            /** Tone */
            tone: string;
        };
        /**
         * BlockView
         * @description The messages of a branch in one bucket of time.
         */
        BlockView: {
            /** Branch Id */
            branch_id: string | null;
            /** Bucket */
            bucket: number;
            /** Messages */
            messages: number;
            /** First Ord */
            first_ord: number;
            /** Last Ord */
            last_ord: number;
            /** User */
            user: number;
            /** Assistant */
            assistant: number;
            /** Tool */
            tool: number;
        };
        /**
         * BranchView
         * @description A branch of a session.
         */
        BranchView: {
            /** Id */
            id: string;
            /** Created At */
            created_at: number;
            /** Name */
            name: string | null;
            /** User */
            user: string | null;
            /** System Msg Id */
            system_msg_id: string | null;
            /** Parent Branch Id */
            parent_branch_id: string | null;
            /** Forked At Ord */
            forked_at_ord: number | null;
            /** Message Count */
            message_count: number;
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Input Tokens */
            input_tokens: number;
            /** Output Tokens */
            output_tokens: number;
            /** Cache Read Tokens */
            cache_read_tokens: number;
            /** Cache Write Tokens */
            cache_write_tokens: number;
            /** Cost Microusd */
            cost_microusd: number | null;
            /**
             * Inherited
             * @description the branches it was forked from, oldest first
             */
            inherited: components["schemas"]["Ancestor"][];
        };
        /**
         * Card
         * @description A card of the dashboard whose runs can be listed.
         * @enum {string}
         */
        Card: "running" | "failed_24h" | "slow" | "stale" | "needs_review";
        /**
         * Cards
         * @description The cards of ADR-0017 and ADR-0019; `GET /api/runs?card=…` lists the runs of a card.
         */
        Cards: {
            /** Running */
            running: number;
            /** Failed 24H */
            failed_24h: number;
            /** Slow */
            slow: number;
            /** Stale */
            stale: number;
            /** Needs Review */
            needs_review: number;
            /** Teams Active */
            teams_active: number;
        };
        /**
         * ChangedFileView
         * @description A changed file; a binary file has no line counts.
         */
        ChangedFileView: {
            /** Path */
            path: string;
            /** Old Path */
            old_path: string | null;
            /** Additions */
            additions: number | null;
            /** Deletions */
            deletions: number | null;
        };
        /**
         * CheckedText
         * @description The validation of an unsaved text.
         */
        CheckedText: {
            definition: components["schemas"]["DefinitionView"];
        };
        /**
         * Checkpoint
         * @description A request for a checkpoint.
         */
        Checkpoint: {
            /** @default PASSIVE */
            mode: components["schemas"]["Mode"];
        };
        /**
         * CheckpointResult
         * @description Frames in the log, checkpointed frames, and whether another connection blocked it.
         */
        CheckpointResult: {
            /** Busy */
            busy: boolean;
            /** Log Frames */
            log_frames: number;
            /** Folded Frames */
            folded_frames: number;
        };
        /**
         * CheckpointedView
         * @description The result of a checkpoint.
         */
        CheckpointedView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            result: components["schemas"]["CheckpointResult"];
        };
        /**
         * Commands
         * @description Terminal commands for a run.
         */
        Commands: {
            /** Resume */
            resume: string;
            /** Fork */
            fork: string;
            /** Logs */
            logs: string;
            /** Kill */
            kill: string;
            /** Export */
            export: string;
        };
        /**
         * ComponentView
         * @description A component of a plugin.
         */
        ComponentView: {
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Path */
            path: string;
            /** Problems */
            problems: components["schemas"]["TextProblem"][];
        };
        /**
         * ContentPart
         * @description Some characters of a long content.
         */
        ContentPart: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Message Id */
            message_id: string;
            /** Key */
            key: string;
            /** Start */
            start: number;
            /**
             * Total
             * @description length of the whole in characters
             */
            total: number;
            /** Text */
            text: string;
        };
        /**
         * Dashboard
         * @description The cards, and recent activity.
         */
        Dashboard: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            cards: components["schemas"]["Cards"];
            /** Hours */
            hours: components["schemas"]["Hour"][];
            /** Recent */
            recent: components["schemas"]["RunView"][];
            /** Shows */
            shows: components["schemas"]["ShowListed"][];
        };
        /**
         * DatabaseFacts
         * @description Sizes, rows, pragmas.
         */
        DatabaseFacts: {
            /** Path */
            path: string;
            /** Schema Version */
            schema_version: number;
            /** Size Bytes */
            size_bytes: number;
            /** Wal Bytes */
            wal_bytes: number;
            /** Free Bytes */
            free_bytes: number;
            /** Rows */
            rows: {
                [key: string]: number;
            };
            /** Sessions By Status */
            sessions_by_status: {
                [key: string]: number;
            };
            /** Unindexed Messages */
            unindexed_messages: number;
            /** Pragmas */
            pragmas: {
                [key: string]: unknown;
            };
            /**
             * Bytes
             * @description sizes of the largest tables and indexes, with ?sizes=true
             */
            bytes?: {
                [key: string]: number;
            } | null;
        };
        /**
         * DatabaseStats
         * @description The database and its growth on the last days.
         */
        DatabaseStats: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            stats: components["schemas"]["DatabaseFacts"];
            /** Growth */
            growth: components["schemas"]["Day"][];
        };
        /**
         * Day
         * @description Sessions and messages of one day.
         */
        Day: {
            /**
             * At
             * @description the start of the day in UTC
             */
            at: number;
            /** Sessions */
            sessions: number;
            /** Messages */
            messages: number;
        };
        /**
         * DecisionAccepted
         * @description The started `li show …`; `launch.exit_code` is null while it runs.
         */
        DecisionAccepted: {
            launch: components["schemas"]["LaunchView"];
            /** Output */
            output: string;
        };
        /**
         * DecisionRequest
         * @description A decision about a play, or an action on the show.
         */
        DecisionRequest: {
            action: components["schemas"]["Action"];
            /** Play */
            play?: string | null;
            /** Feedback */
            feedback?: string | null;
            /**
             * Tokens
             * @description raise the token budget by this many
             */
            tokens?: number | null;
            /**
             * Cost
             * @description raise the cost budget by this many dollars
             */
            cost?: number | null;
            /**
             * Time
             * @description raise the time budget: 90s, 30m, 2h, 1d
             */
            time?: string | null;
        };
        /**
         * DefinitionDetail
         * @description One definition with its text.
         */
        DefinitionDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            definition: components["schemas"]["DefinitionView"];
            /** Text */
            text: string | null;
        };
        /**
         * DefinitionView
         * @description A definition; `error` is set for one that is not valid.
         */
        DefinitionView: {
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Origin */
            origin: string;
            /** Path */
            path: string;
            /** Description */
            description: string | null;
            /** Error */
            error: string | null;
            /** Problems */
            problems: components["schemas"]["TextProblem"][];
            /** Etag */
            etag?: string | null;
            /** Shadowed By */
            shadowed_by?: string | null;
            /**
             * Model
             * @description of an agent
             */
            model?: string | null;
            /**
             * Effort
             * @description of an agent
             */
            effort?: string | null;
            /**
             * Mode
             * @description of a playbook
             */
            mode?: string | null;
            /**
             * Agents
             * @description of a playbook
             */
            agents?: string[] | null;
            /**
             * Args
             * @description of a playbook
             */
            args?: components["schemas"]["Argument"][] | null;
            /**
             * Fields
             * @description all other fields of the text
             */
            fields?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Definitions
         * @description Every definition of a kind, and the search path.
         */
        Definitions: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["DefinitionView"][];
            /** Places */
            places: string[];
            /** Looked */
            looked: components["schemas"]["SearchPathView"][];
        };
        /**
         * DiffView
         * @description The changes of a play as a patch; `whole` is false when it was truncated.
         */
        DiffView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Play */
            play: string;
            /** Base */
            base: string | null;
            /** Head */
            head: string | null;
            /** Files */
            files: components["schemas"]["ChangedFileView"][];
            /** Patch */
            patch: string;
            /** Whole */
            whole: boolean;
            /**
             * Why
             * @description why the patch is missing
             */
            why: string | null;
        };
        /**
         * Doctor
         * @description Every finding, and the runs that are stale and proven dead.
         */
        Doctor: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Findings */
            findings: components["schemas"]["FindingView"][];
            /** Transitions */
            transitions: components["schemas"]["StaleRun"][];
        };
        /**
         * Draft
         * @description A text to validate.
         */
        Draft: {
            /** Text */
            text: string;
        };
        /**
         * Edge
         * @description The target depends on the source.
         */
        Edge: {
            /** Source */
            source: string;
            /** Target */
            target: string;
        };
        /**
         * FacetValue
         * @description The number of runs with a filter value.
         */
        FacetValue: {
            /** Value */
            value: string;
            /** Runs */
            runs: number;
            /**
             * More
             * @description more runs exist than were counted
             */
            more: boolean;
        };
        /**
         * Facets
         * @description The values of each filter under the other filters, most runs first.
         */
        Facets: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Status */
            status: components["schemas"]["FacetValue"][];
            /** Kind */
            kind: components["schemas"]["FacetValue"][];
            /** Source */
            source: components["schemas"]["FacetValue"][];
            /** Project */
            project: components["schemas"]["FacetValue"][];
            /** Agent */
            agent: components["schemas"]["FacetValue"][];
            /** Playbook */
            playbook: components["schemas"]["FacetValue"][];
        };
        /**
         * FindingView
         * @description A finding of the doctor.
         */
        FindingView: {
            /** Severity */
            severity: string;
            /** Code */
            code: string;
            /** Subject */
            subject: string;
            /** Evidence */
            evidence: string;
            /** Advice */
            advice: string;
        };
        /**
         * Fork
         * @description A branch that was forked from a branch of this session.
         */
        Fork: {
            /** Branch Id */
            branch_id: string;
            /** Name */
            name: string | null;
            /** Session Id */
            session_id: string;
            /** Session Name */
            session_name: string | null;
            /** Status */
            status: string | null;
            /** Created At */
            created_at: number;
            /** Parent Branch Id */
            parent_branch_id: string;
            /**
             * Forked At Ord
             * @description the last inherited message, by its ord in the parent branch
             */
            forked_at_ord: number | null;
            /**
             * Session Ord
             * @description the same message, by its ord in this session
             */
            session_ord: number | null;
        };
        /**
         * Form
         * @description The format of an export.
         * @enum {string}
         */
        Form: "json" | "jsonl" | "md";
        /**
         * Health
         * @description The server is running.
         */
        Health: {
            /** Status */
            status: string;
            /** Version */
            version: string;
        };
        /**
         * HealthGroup
         * @description The runs of one health.
         */
        HealthGroup: {
            /** Health */
            health: string;
            /** Label */
            label: string;
            /** Severity */
            severity: string;
            /** Runs */
            runs: number;
        };
        /**
         * HealthOverview
         * @description The runs that are marked running, by health, most severe first.
         */
        HealthOverview: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Groups */
            groups: components["schemas"]["HealthGroup"][];
            /** Runs */
            runs: components["schemas"]["HealthRun"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * HealthRun
         * @description A run that is marked running, with the evidence of its health.
         */
        HealthRun: {
            /** Id */
            id: string;
            /** Display Name */
            display_name: string;
            /** Health */
            health: string;
            /** Label */
            label: string;
            /** Severity */
            severity: string;
            /** Evidence */
            evidence: string | null;
            /** Since */
            since: number | null;
        };
        /**
         * HitView
         * @description A matching message.
         */
        HitView: {
            /** Message Id */
            message_id: string;
            /** Session Id */
            session_id: string | null;
            /** Session Name */
            session_name: string | null;
            /** Project */
            project: string | null;
            /** Ord */
            ord: number | null;
            /** Created At */
            created_at: number;
            /** Role */
            role: string | null;
            /** Snippet */
            snippet: string;
            /** Score */
            score?: number | null;
        };
        /**
         * Hits
         * @description Search results.
         */
        Hits: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Hits */
            hits: components["schemas"]["HitView"][];
        };
        /**
         * Hour
         * @description The runs that started in one hour and have one status.
         */
        Hour: {
            /** At */
            at: number;
            /** Status */
            status: string;
            /** Label */
            label: string;
            /**
             * Tone
             * @enum {string}
             */
            tone: "success" | "info" | "warning" | "danger" | "neutral";
            /** Runs */
            runs: number;
            /** Tokens */
            tokens: number;
            /** Cost Microusd */
            cost_microusd: number | null;
        };
        /**
         * ImportStatus
         * @description Sessions by source, files that could be imported, and running imports.
         */
        ImportStatus: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Sessions By Source */
            sessions_by_source: {
                [key: string]: number;
            };
            /** Runs On Disk */
            runs_on_disk: number;
            /** Runs Imported */
            runs_imported: number;
            /** Shows On Disk */
            shows_on_disk: number;
            /** Shows Imported */
            shows_imported: number;
            /** Teams Imported */
            teams_imported: number;
            /** Mirrored Files */
            mirrored_files: {
                [key: string]: number;
            };
            /** Mirrors */
            mirrors: components["schemas"]["MirrorStatus"][];
            /** Troubled */
            troubled: components["schemas"]["TranscriptFileView"][];
            /** Work */
            work: components["schemas"]["ProgressView"][];
        };
        /**
         * Kind
         * @description The kinds of definitions that have versions.
         * @enum {string}
         */
        Kind: "agent" | "playbook";
        /**
         * LaunchAnswer
         * @description One launch.
         */
        LaunchAnswer: {
            launch: components["schemas"]["LaunchView"];
        };
        /**
         * LaunchDetail
         * @description A launch with the end of its output.
         */
        LaunchDetail: {
            launch: components["schemas"]["LaunchView"];
            /** Output */
            output: string;
        };
        /**
         * LaunchList
         * @description Every launch of this server, newest first.
         */
        LaunchList: {
            /** Launches */
            launches: components["schemas"]["LaunchView"][];
        };
        /**
         * LaunchView
         * @description A process that Studio started.
         */
        LaunchView: {
            /** Id */
            id: string;
            /**
             * Session Id
             * @description the session of an agent run, null for a task
             */
            session_id: string | null;
            /** Verb */
            verb: string;
            /** Target */
            target: string | null;
            /** Options */
            options: {
                [key: string]: unknown;
            };
            /** Started At */
            started_at: number;
            /** Pid */
            pid: number;
            /** Running */
            running: boolean;
            /** Exit Code */
            exit_code: number | null;
            /** Log */
            log: string;
        };
        /**
         * LinkedRun
         * @description A run that used a team.
         */
        LinkedRun: {
            /** Id */
            id: string;
            /** Name */
            name: string | null;
        };
        /**
         * Logs
         * @description The end of the log.
         */
        Logs: {
            /** Lines */
            lines: string[];
        };
        /**
         * MarkedFailedView
         * @description A request to mark stale runs as failed; a dry run only lists them.
         */
        MarkedFailedView: {
            /**
             * Dry Run
             * @default true
             */
            dry_run: boolean;
            /**
             * Session Ids
             * @description only these sessions (default: all)
             */
            session_ids?: string[] | null;
        };
        /**
         * MatchView
         * @description A message of a run that contains a text.
         */
        MatchView: {
            /** Ord */
            ord: number;
            /** Message Id */
            message_id: string;
            /** Role */
            role: string | null;
            /** Snippet */
            snippet: string;
        };
        /**
         * Matches
         * @description The messages of a run that contain a text, in order.
         */
        Matches: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Matches */
            matches: components["schemas"]["MatchView"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * MessageView
         * @description A message with its ord in the session.
         */
        MessageView: {
            /** Ord */
            ord: number;
            /** Id */
            id: string;
            /** Branch Id */
            branch_id: string | null;
            /** Missing */
            missing: boolean;
            /** Created At */
            created_at: number | null;
            /** Metadata */
            metadata: unknown;
            /** Content */
            content: unknown;
            /**
             * Size
             * @description size of the stored content in bytes
             */
            size: number;
            /**
             * Cut
             * @description the truncated values of the content with their lengths in characters; the key '' is the content itself
             */
            cut: {
                [key: string]: number;
            } | null;
            /** Sender */
            sender?: string | null;
            /** Recipient */
            recipient?: string | null;
            /** Channel */
            channel?: string | null;
            /** Role */
            role?: string | null;
            /** Lion Class */
            lion_class?: string | null;
        };
        /**
         * Messages
         * @description A page of the messages of a session or branch, in order.
         */
        Messages: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string | null;
            /** Message Count */
            message_count: number;
            /** Messages */
            messages: components["schemas"]["MessageView"][];
            /** First Ord */
            first_ord: number | null;
            /** Last Ord */
            last_ord: number | null;
            /** Has More */
            has_more: boolean;
        };
        /**
         * MirrorStatus
         * @description The progress of reading the transcripts of a tool.
         */
        MirrorStatus: {
            /** Tool */
            tool: string;
            /** Files */
            files: number;
            /** Messages */
            messages: number;
            /** Bytes */
            bytes: number;
            /** Bytes Read */
            bytes_read: number;
            /** Incomplete */
            incomplete: number;
            /** Skipped */
            skipped: number;
            /** Gone */
            gone: number;
            /** Read At */
            read_at: number | null;
        };
        /**
         * Mode
         * @description A checkpoint mode of SQLite.
         * @enum {string}
         */
        Mode: "TRUNCATE" | "PASSIVE" | "RESTART" | "FULL";
        /**
         * NewLaunch
         * @description A process to start.
         */
        NewLaunch: {
            /**
             * Verb
             * @description agent, play, flow or fanout; mirror, import or prune
             */
            verb: string;
            /**
             * Target
             * @description an agent, a provider/model, a playbook; claude or codex; runs, shows or teams; sessions
             */
            target?: string | null;
            /**
             * Prompt
             * @default
             */
            prompt: string;
            /** Options */
            options?: {
                [key: string]: string | number | string[];
            };
        };
        /**
         * NewTeamMessage
         * @description A message to send.
         */
        NewTeamMessage: {
            /** Text */
            text: string;
            /**
             * Sender
             * @default user
             */
            sender: string;
            /**
             * To
             * @description recipients; empty for all members
             */
            to?: string[];
            /** Session Id */
            session_id?: string | null;
        };
        /**
         * NewText
         * @description A text to save.
         */
        NewText: {
            /** Text */
            text: string;
            /** Message */
            message?: string | null;
        };
        /**
         * OneMessage
         * @description A message with its ord.
         */
        OneMessage: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            message: components["schemas"]["MessageView"];
        };
        /**
         * OneVersion
         * @description A version with its text.
         */
        OneVersion: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            version: components["schemas"]["VersionView"];
        };
        /**
         * OutlineView
         * @description The outline of a run: errors, user messages, tools and files.
         */
        OutlineView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Errors */
            errors: components["schemas"]["ToolErrorView"][];
            /**
             * Users
             * @description the ords of user messages
             */
            users: number[];
            /** Tools */
            tools: {
                [key: string]: components["schemas"]["ToolCount"];
            };
            /** Files */
            files: components["schemas"]["TouchedFile"][];
            /** Last Ord */
            last_ord: number | null;
        };
        /**
         * PlayDetail
         * @description A play with the files of its folder.
         */
        PlayDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            play: components["schemas"]["PlayView"];
            /** Intent */
            intent: string | null;
            /** Prompt */
            prompt: string | null;
            /** Raw Meta */
            raw_meta: {
                [key: string]: unknown;
            } | null;
            /** Raw Verdict */
            raw_verdict: {
                [key: string]: unknown;
            } | null;
            /** Errors */
            errors: string[];
        };
        /**
         * PlayGroup
         * @description The plays of a show in one group: a segment of its progress bar.
         */
        PlayGroup: {
            /**
             * Group
             * @enum {string}
             */
            group: "completed" | "running" | "awaiting_gate" | "failed" | "aborted" | "pending" | "active" | "archived" | "imported";
            /** Label */
            label: string;
            /**
             * Tone
             * @enum {string}
             */
            tone: "success" | "info" | "warning" | "danger" | "neutral";
            /** Plays */
            plays: number;
        };
        /**
         * PlayMeta
         * @description The fields of `_meta.json` or of the row.
         */
        PlayMeta: {
            /** Worktree */
            worktree?: string | null;
            /** Branch */
            branch?: string | null;
            /** Attempt */
            attempt?: number | null;
            /** Started At */
            started_at?: number | string | null;
            /** Ended At */
            ended_at?: number | string | null;
            /** Exit Code */
            exit_code?: number | null;
            /** Merged At */
            merged_at?: number | string | null;
            /** Merge Sha */
            merge_sha?: string | null;
            /** Status */
            status?: string | null;
            /** Playbook */
            playbook?: string | null;
            /** Effort */
            effort?: string | null;
        };
        /**
         * PlayView
         * @description A play; fewer fields are set for a play that is only on disk.
         */
        PlayView: {
            /** Name */
            name: string;
            meta: components["schemas"]["PlayMeta"];
            verdict: components["schemas"]["VerdictView"] | null;
            /** Updated At */
            updated_at: number | null;
            /** Session Id */
            session_id?: string | null;
            /** Session Name */
            session_name?: string | null;
            /** Depends On */
            depends_on: string[];
            state?: components["schemas"]["StateView"] | null;
            /** Badges */
            badges: components["schemas"]["BadgeView"][];
            /** Blocked By */
            blocked_by: string[];
            /** Duration Ms */
            duration_ms: number | null;
            /**
             * Actions
             * @description the actions that are allowed now
             */
            actions: string[];
            /**
             * Deeds
             * @description the same actions with their effects and fields
             */
            deeds: components["schemas"]["ActionView"][];
            /** Error */
            error?: string | null;
        };
        /**
         * PluginView
         * @description A plugin with its components; `error` and `problems` are set for one that did not load.
         */
        PluginView: {
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Version */
            version: string | null;
            /** Description */
            description: string | null;
            /** Origin */
            origin: string;
            /** Path */
            path: string;
            /** Error */
            error: string | null;
            /** Problems */
            problems: components["schemas"]["TextProblem"][];
            /** Counts */
            counts: {
                [key: string]: number;
            };
            /** Bad Components */
            bad_components: number;
            /** Components */
            components: components["schemas"]["ComponentView"][];
        };
        /**
         * Plugins
         * @description Every plugin, and the search path.
         */
        Plugins: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["PluginView"][];
            /** Places */
            places: string[];
            /** Looked */
            looked: components["schemas"]["SearchPathView"][];
        };
        /**
         * ProgressView
         * @description A running import or upgrade of the database, in any process.
         */
        ProgressView: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /** Pid */
            pid: number;
            /** Done */
            done: number;
            /**
             * Total
             * @description 0 if unknown
             */
            total: number;
            /** Began At */
            began_at: number;
            /** Told At */
            told_at: number;
        };
        /**
         * PrunePlanView
         * @description The rows that a prune would delete, the bytes it would free, and the old sessions it keeps, by reason.
         */
        PrunePlanView: {
            /** Sessions */
            sessions: number;
            /** Kept Running */
            kept_running: number;
            /** Kept For Plays */
            kept_for_plays: number;
            /** Kept For Teams */
            kept_for_teams: number;
            /** Kept For Forks */
            kept_for_forks: number;
            /** Orphan Progressions */
            orphan_progressions: number;
            /** Orphan Messages */
            orphan_messages: number;
            /** Bytes Freed */
            bytes_freed: number;
        };
        /**
         * PrunePreview
         * @description A preview of a prune; `POST /api/launches` with `prune sessions` runs it.
         */
        PrunePreview: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            plan: components["schemas"]["PrunePlanView"];
            /** Keep Days */
            keep_days: number;
            /** Keep N */
            keep_n: number;
        };
        /**
         * ReasonView
         * @description A reason for a state, with its evidence.
         */
        ReasonView: {
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Evidence */
            evidence?: string | null;
            /**
             * Claim Status
             * @enum {string}
             */
            claim_status: "observed" | "inferred";
        };
        /**
         * RollbackRequest
         * @description The version to restore.
         */
        RollbackRequest: {
            /** Version */
            version: number;
        };
        /**
         * RunDetail
         * @description A session with the manifest of an archived run, if there is one.
         */
        RunDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            session: components["schemas"]["RunView"];
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Branches */
            branches: components["schemas"]["BranchView"][];
            /** Forks */
            forks: components["schemas"]["Fork"][];
            source: components["schemas"]["SourceView"] | null;
            commands: components["schemas"]["Commands"];
            /** Manifest */
            manifest: {
                [key: string]: unknown;
            } | null;
            /** Manifest Error */
            manifest_error: string | null;
        };
        /**
         * RunHealth
         * @description The health of a run, with ADR-0019's `stale`.
         * @enum {string}
         */
        RunHealth: "ok" | "running" | "waiting" | "idle" | "stale" | "stalled" | "process_dead" | "orphaned" | "unknown";
        /**
         * RunView
         * @description A session in a list.
         */
        RunView: {
            /** Id */
            id: string;
            /**
             * Display Name
             * @description name, else show / play, playbook, agent, or the start of the id
             */
            display_name: string;
            /** Created At */
            created_at: number;
            /** Updated At */
            updated_at: number | null;
            /** Name */
            name: string | null;
            /** User */
            user: string | null;
            /** Playbook Name */
            playbook_name: string | null;
            /** Agent Name */
            agent_name: string | null;
            /** Invocation Kind */
            invocation_kind: string | null;
            /** Show Topic */
            show_topic: string | null;
            /** Show Play Name */
            show_play_name: string | null;
            /** Artifacts Path */
            artifacts_path: string | null;
            /** Source Kind */
            source_kind: string | null;
            /** Status */
            status: string | null;
            /** Started At */
            started_at: number | null;
            /** Ended At */
            ended_at: number | null;
            /** Duration Ms */
            duration_ms: number | null;
            /** Last Message At */
            last_message_at: number | null;
            /** Message Count */
            message_count: number;
            /** Branch Count */
            branch_count: number;
            /** Model */
            model: string | null;
            /** Provider */
            provider: string | null;
            /** Project */
            project: string | null;
            /** Cwd */
            cwd: string | null;
            /** Git Commit */
            git_commit: string | null;
            /** Exit Code */
            exit_code: number | null;
            /** Health */
            health: string | null;
            /** Delivery */
            delivery: string | null;
            /** Reason Codes */
            reason_codes: string[];
            /** Input Tokens */
            input_tokens: number;
            /** Output Tokens */
            output_tokens: number;
            /** Cache Read Tokens */
            cache_read_tokens: number;
            /** Cache Write Tokens */
            cache_write_tokens: number;
            /** Cost Microusd */
            cost_microusd: number | null;
            /** Owner */
            owner: {
                [key: string]: unknown;
            } | null;
            /** Effective Health */
            effective_health: string;
            state: components["schemas"]["StateView"];
        };
        /**
         * Runs
         * @description A page of runs, newest first.
         */
        Runs: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Runs */
            runs: components["schemas"]["RunView"][];
            /** Next Cursor */
            next_cursor: string | null;
            /**
             * Counts
             * @description all sessions by status, without filters
             */
            counts: {
                [key: string]: number;
            };
        };
        /**
         * SearchPathView
         * @description A folder of the search path; `refused` is the reason why it was not read.
         */
        SearchPathView: {
            /** Path */
            path: string;
            /** Origin */
            origin: string;
            /** Refused */
            refused: string | null;
        };
        /**
         * Sent
         * @description The sent message; `unstored` is the reason why the table does not have it yet.
         */
        Sent: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            message: components["schemas"]["TeamMessageView"];
            /** Unstored */
            unstored: string | null;
        };
        /**
         * SessionDetail
         * @description A session without its messages.
         */
        SessionDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            session: components["schemas"]["RunView"];
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Branches */
            branches: components["schemas"]["BranchView"][];
            /** Forks */
            forks: components["schemas"]["Fork"][];
            source: components["schemas"]["SourceView"] | null;
            commands: components["schemas"]["Commands"];
        };
        /**
         * SettingShape
         * @description A setting: its value, its origin and its environment variable.
         */
        SettingShape: {
            /** Name */
            name: string;
            /** Value */
            value: string | number | boolean | null;
            /** Origin */
            origin: string;
            /** Variable */
            variable: string;
            /** Meaning */
            meaning: string;
            /** Default */
            default: string;
        };
        /**
         * SettingsShape
         * @description Every setting with its origin.
         */
        SettingsShape: {
            /** Settings */
            settings: {
                [key: string]: string | number | boolean | null;
            };
            /** Origins */
            origins: {
                [key: string]: string;
            };
            /** Items */
            items: components["schemas"]["SettingShape"][];
            /** Read Only */
            read_only: boolean;
        };
        /**
         * ShowListed
         * @description A show in a list.
         */
        ShowListed: {
            /** Topic */
            topic: string;
            /** Path */
            path: string;
            /** Goal */
            goal: string | null;
            /** Status */
            status: string;
            /** Status Source */
            status_source: string;
            /** Updated At */
            updated_at: number | null;
            /** Plays By Status */
            plays_by_status: {
                [key: string]: number;
            };
            /** Plays By Group */
            plays_by_group: components["schemas"]["PlayGroup"][];
            /** Plays Total */
            plays_total: number;
            /** Plays Merged */
            plays_merged: number;
            /** Running Plays */
            running_plays: string[];
            state?: components["schemas"]["StateView"] | null;
            /** Error */
            error?: string | null;
        };
        /**
         * ShowView
         * @description A show with its plays.
         */
        ShowView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Path */
            path: string;
            /** Show Md */
            show_md: string | null;
            /** Goal */
            goal: string | null;
            /** Status */
            status: string;
            /** Status Source */
            status_source: string;
            /** Plays */
            plays: components["schemas"]["PlayView"][];
            /** Plays By Group */
            plays_by_group: components["schemas"]["PlayGroup"][];
            /** Plays Total */
            plays_total: number;
            /** Plays Merged */
            plays_merged: number;
            /** Running Plays */
            running_plays: string[];
            /** Edges */
            edges: components["schemas"]["Edge"][];
            /** Critical Path */
            critical_path: string[];
            /** Blocked */
            blocked: {
                [key: string]: string[];
            };
            /** Actions */
            actions: string[];
            /** Deeds */
            deeds: components["schemas"]["ActionView"][];
            state?: components["schemas"]["StateView"] | null;
            /** Repo */
            repo?: string | null;
            /** Base Branch */
            base_branch?: string | null;
            /** Integration Branch */
            integration_branch?: string | null;
            /** Updated At */
            updated_at?: number | null;
            /** Final Verdict */
            final_verdict?: {
                [key: string]: unknown;
            } | null;
            /**
             * Directed
             * @description whether its director is running
             * @default false
             */
            directed: boolean;
            /**
             * Error
             * @description why its folder was not read
             */
            error: string | null;
        };
        /**
         * Shows
         * @description Every show, most recently changed first.
         */
        Shows: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Shows */
            shows: components["schemas"]["ShowListed"][];
        };
        /**
         * SourceView
         * @description The play that a run belongs to.
         */
        SourceView: {
            /** Topic */
            topic: string;
            /** Play */
            play: string;
        };
        /**
         * StaleRun
         * @description A run that is stale and proven dead, with the evidence.
         */
        StaleRun: {
            /** Session Id */
            session_id: string;
            /** Evidence */
            evidence: string[];
        };
        /**
         * StateView
         * @description The computed state; a page renders it and decides nothing.
         */
        StateView: {
            /**
             * Lifecycle
             * @description the status
             */
            lifecycle: string;
            /** Health */
            health: string;
            /** Delivery */
            delivery: string;
            /**
             * Outcome
             * @description null until the entity has ended
             */
            outcome: ("succeeded" | "failed" | "stopped") | null;
            /**
             * Severity
             * @enum {string}
             */
            severity: "none" | "info" | "warning" | "error";
            /**
             * Tone
             * @enum {string}
             */
            tone: "success" | "info" | "warning" | "danger" | "neutral";
            /** Label */
            label: string;
            /**
             * Group
             * @description the heading that lists and progress bars count the status under
             * @enum {string}
             */
            group: "completed" | "running" | "awaiting_gate" | "failed" | "aborted" | "pending" | "active" | "archived" | "imported";
            /**
             * Icon
             * @enum {string}
             */
            icon: "alert" | "ban" | "check" | "circle" | "circle-dashed" | "clock-pause" | "cross" | "disconnected" | "hourglass" | "lock" | "merge" | "person" | "refresh" | "spinner";
            /** Reasons */
            reasons: components["schemas"]["ReasonView"][];
            /** Evaluated At */
            evaluated_at: number | null;
            /**
             * Source
             * @description where the status was read: sqlite or filesystem
             */
            source: string;
        };
        /**
         * Stats
         * @description Sessions from the database, definitions from the folders (ADR-0004).
         */
        Stats: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Sessions */
            sessions: {
                [key: string]: number;
            };
            /** Total Sessions */
            total_sessions: number;
            /** Shows */
            shows: number;
            /** Teams */
            teams: number;
            /** Agents */
            agents: number;
            /** Playbooks */
            playbooks: number;
            /** Plugins */
            plugins: number;
            /** Skills */
            skills: number;
        };
        /**
         * StopRequest
         * @description The grace period before the processes are killed.
         */
        StopRequest: {
            /**
             * Grace Seconds
             * @default 15
             */
            grace_seconds: number;
        };
        /**
         * StopResultView
         * @description The outcome of a stop; `over` is false for a run that is or may be still running.
         */
        StopResultView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Over */
            over: boolean;
            /** Outcome */
            outcome: string;
        };
        /**
         * TeamDetail
         * @description A team, the runs that used it, and the unread messages of each member.
         */
        TeamDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            team: components["schemas"]["TeamView"];
            /** Sessions */
            sessions: string[];
            /** Linked */
            linked: components["schemas"]["LinkedRun"][];
            /** Unread */
            unread: {
                [key: string]: number;
            };
        };
        /**
         * TeamList
         * @description Every team, most recently used first.
         */
        TeamList: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Teams */
            teams: components["schemas"]["TeamView"][];
        };
        /**
         * TeamMessageView
         * @description A message from one member to another, or to all.
         */
        TeamMessageView: {
            /** Id */
            id: string;
            /** Team Id */
            team_id: string;
            /** Created At */
            created_at: number;
            /** Sender */
            sender: string;
            /** Recipient */
            recipient: string;
            /** Content */
            content: string;
            /** Summary */
            summary: string | null;
            /** Read By */
            read_by: string[];
            /** Session Id */
            session_id: string | null;
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
        };
        /**
         * TeamMessages
         * @description The newest messages of a team, in order.
         */
        TeamMessages: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Messages */
            messages: components["schemas"]["TeamMessageView"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * TeamView
         * @description A team; `error` is set for a file that is not valid.
         */
        TeamView: {
            /** Id */
            id: string | null;
            /** Name */
            name: string;
            /** Status */
            status: string | null;
            /** Members */
            members: string[];
            /** Member Count */
            member_count: number;
            /** Message Count */
            message_count: number;
            /** Created At */
            created_at: number | null;
            /** Updated At */
            updated_at: number | null;
            /** Path */
            path: string | null;
            /** Error */
            error: string | null;
            state: components["schemas"]["StateView"] | null;
        };
        /**
         * TextProblem
         * @description A problem of a text: an error makes it unusable, a warning does not.
         */
        TextProblem: {
            /** Severity */
            severity: string;
            /** Line */
            line: number | null;
            /** Message */
            message: string;
            /** Hint */
            hint: string | null;
        };
        /**
         * TimelineView
         * @description Messages over time: bucket n starts at start + n * width; empty buckets have no block.
         */
        TimelineView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Start */
            start: number | null;
            /** Width */
            width: number;
            /** Buckets */
            buckets: number;
            /** Blocks */
            blocks: components["schemas"]["BlockView"][];
        };
        /**
         * ToolCount
         * @description The calls and errors of a tool.
         */
        ToolCount: {
            /** Calls */
            calls: number;
            /** Errors */
            errors: number;
        };
        /**
         * ToolErrorView
         * @description A failed tool call.
         */
        ToolErrorView: {
            /** Ord */
            ord: number;
            /** Message Id */
            message_id: string;
            /** Branch Id */
            branch_id: string | null;
            /** At */
            at: number | null;
            /** Tool */
            tool: string | null;
            /** Text */
            text: string;
        };
        /**
         * TouchedFile
         * @description A file that tool calls named.
         */
        TouchedFile: {
            /** Path */
            path: string;
            /** Calls */
            calls: number;
            /** Tools */
            tools: string[];
            /** First Ord */
            first_ord: number;
            /** Last Ord */
            last_ord: number;
        };
        /**
         * TranscriptFileView
         * @description A transcript of another tool that was not read completely.
         */
        TranscriptFileView: {
            /** Path */
            path: string;
            /** Tool */
            tool: string;
            /** Session Id */
            session_id: string | null;
            /** Size */
            size: number;
            /** Read To */
            read_to: number;
            /** Messages */
            messages: number;
            /** Skipped */
            skipped: {
                [key: string]: number;
            };
            /** Read At */
            read_at: number;
            /** Gone At */
            gone_at: number | null;
        };
        /**
         * Transitions
         * @description The runs that would be, or were, marked as failed.
         */
        Transitions: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Dry Run */
            dry_run: boolean;
            /** Transitions */
            transitions: components["schemas"]["StaleRun"][];
        };
        /**
         * VacuumResult
         * @description The size of the file before and after.
         */
        VacuumResult: {
            /** Bytes Before */
            bytes_before: number;
            /** Bytes After */
            bytes_after: number;
        };
        /**
         * Vacuumed
         * @description The result of a vacuum.
         */
        Vacuumed: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            result: components["schemas"]["VacuumResult"];
        };
        /**
         * VerdictView
         * @description The verdict of the gate.
         */
        VerdictView: {
            /** Gate Passed */
            gate_passed?: boolean | null;
            /** Feedback */
            feedback?: string | null;
        };
        /**
         * VersionView
         * @description A version; lists omit the text.
         */
        VersionView: {
            /** Version */
            version: number;
            /** Sha256 */
            sha256: string;
            /** Author */
            author: string | null;
            /** Message */
            message: string | null;
            /** Created At */
            created_at: number;
            /** Path */
            path: string | null;
            /** Content */
            content?: string | null;
        };
        /**
         * Versions
         * @description The versions, newest first.
         */
        Versions: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Versions */
            versions: components["schemas"]["VersionView"][];
        };
        /**
         * Waiting
         * @description An item that needs a person.
         */
        Waiting: {
            /** Kind */
            kind: string;
            /** Actions */
            actions: components["schemas"]["WaitingAction"][];
            /** Code */
            code: string;
            /** Title */
            title: string;
            /** Severity */
            severity: string;
            /** Evidence */
            evidence: string | null;
            /** Since */
            since: number | null;
            /** Session Id */
            session_id?: string | null;
            /** Topic */
            topic?: string | null;
            /** Play */
            play?: string | null;
        };
        /**
         * WaitingAction
         * @description An action on an item: a request to this server, or a terminal command.
         */
        WaitingAction: {
            /** Label */
            label: string;
            /** Method */
            method: string | null;
            /** Path */
            path: string | null;
            /** Body */
            body: {
                [key: string]: string | number | boolean | string[];
            } | null;
            /** Command */
            command: string;
            /**
             * What
             * @description the effect
             */
            what: string | null;
            /** Danger */
            danger: boolean;
            /**
             * Fields
             * @description fields that a person adds to the body
             */
            fields: components["schemas"]["ActionField"][];
        };
        /**
         * Works
         * @description Running imports and upgrades, oldest first.
         */
        Works: {
            /** Work */
            work: components["schemas"]["ProgressView"][];
        };
        /**
         * ProblemView
         * @description An error (RFC 9457).
         */
        Problem: {
            /** Type */
            type: string;
            /** Title */
            title: string;
            /** Status */
            status: number;
            /** Code */
            code: string;
            /** Detail */
            detail: string;
            /**
             * Hint
             * @default null
             */
            hint: string | null;
            /**
             * Retryable
             * @default false
             */
            retryable: boolean;
            /**
             * Errors
             * @default null
             */
            errors: {
                [key: string]: unknown;
            }[] | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    healthz_healthz_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    login_by_code_login_get: {
        parameters: {
            query?: {
                code?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    login_by_token_api_login_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description this browser is signed in */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    metrics_metrics_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
        };
    };
    get_dashboard_api_dashboard_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    get_stats_api_stats_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    get_attention_api_attention_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attention"];
                };
            };
        };
    };
    search_messages_api_search_get: {
        parameters: {
            query: {
                q: string;
                project?: string | null;
                session?: string | null;
                since?: number | null;
                ranked?: boolean;
                mode?: "words" | "semantic" | "hybrid";
                limit?: number;
                max_chars?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hits"];
                };
            };
        };
    };
    list_runs_api_runs_get: {
        parameters: {
            query?: {
                q?: string | null;
                card?: components["schemas"]["Card"] | null;
                health?: components["schemas"]["RunHealth"] | null;
                cursor?: string | null;
                limit?: number;
                status?: string | null;
                kind?: string | null;
                source?: string | null;
                project?: string | null;
                agent?: string | null;
                playbook?: string | null;
                show?: string | null;
                name?: string | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runs"];
                };
            };
        };
    };
    count_facets_api_facets_get: {
        parameters: {
            query?: {
                status?: string | null;
                kind?: string | null;
                source?: string | null;
                project?: string | null;
                agent?: string | null;
                playbook?: string | null;
                show?: string | null;
                name?: string | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Facets"];
                };
            };
        };
    };
    get_run_api_runs__run_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
        };
    };
    get_session_api_sessions__session_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDetail"];
                };
            };
        };
    };
    list_files_api_sessions__session_id__files_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifacts"];
                };
            };
        };
    };
    read_file_api_sessions__session_id__files_content_get: {
        parameters: {
            query: {
                path: string;
                start?: number;
                length?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactText"];
                };
            };
        };
    };
    stop_session_api_sessions__session_id__stop_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StopResultView"];
                };
            };
        };
    };
    list_messages_api_sessions__session_id__messages_get: {
        parameters: {
            query?: {
                after?: number | null;
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Messages"];
                };
            };
        };
    };
    list_branch_messages_api_branches__branch_id__messages_get: {
        parameters: {
            query?: {
                after?: number | null;
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                branch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Messages"];
                };
            };
        };
    };
    get_message_api_sessions__session_id__messages__message_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneMessage"];
                };
            };
        };
    };
    get_content_api_sessions__session_id__messages__message_id__content_get: {
        parameters: {
            query?: {
                /** @description a key of `cut`; empty for the content itself */
                key?: string;
                start?: number;
                length?: number;
            };
            header?: never;
            path: {
                session_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentPart"];
                };
            };
        };
    };
    get_outline_api_sessions__session_id__outline_get: {
        parameters: {
            query?: {
                after?: number | null;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutlineView"];
                };
            };
        };
    };
    get_timeline_api_sessions__session_id__timeline_get: {
        parameters: {
            query?: {
                buckets?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelineView"];
                };
            };
        };
    };
    search_session_api_sessions__session_id__search_get: {
        parameters: {
            query: {
                q: string;
                after?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Matches"];
                };
            };
        };
    };
    export_session_api_sessions__session_id__export_get: {
        parameters: {
            query?: {
                format?: components["schemas"]["Form"];
            };
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the whole session */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/x-ndjson": unknown;
                    "text/markdown": unknown;
                };
            };
        };
    };
    follow_everything_api_events_get: {
        parameters: {
            query?: {
                /** @description the seq of the response that the page shows */
                after?: number | null;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description server-sent events */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    follow_session_api_sessions__session_id__stream_get: {
        parameters: {
            query?: {
                /** @description the seq of the response that the page shows */
                after?: number | null;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description server-sent events */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    follow_show_api_shows__topic__stream_get: {
        parameters: {
            query?: {
                /** @description the seq of the response that the page shows */
                after?: number | null;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path: {
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description server-sent events */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    get_shows_api_shows_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shows"];
                };
            };
        };
    };
    get_show_api_shows__topic__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowView"];
                };
            };
        };
    };
    order_api_shows__topic__actions_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionAccepted"];
                };
            };
        };
    };
    get_play_api_shows__topic__plays__name__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayDetail"];
                };
            };
        };
    };
    get_attempts_api_shows__topic__plays__name__attempts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                topic: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempts"];
                };
            };
        };
    };
    get_diff_api_shows__topic__plays__name__diff_get: {
        parameters: {
            query?: {
                attempt?: number | null;
                against?: number | null;
            };
            header?: never;
            path: {
                topic: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffView"];
                };
            };
        };
    };
    list_teams_api_teams_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
        };
    };
    get_team_api_teams__team_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamDetail"];
                };
            };
        };
    };
    list_team_messages_api_teams__team_id__messages_get: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamMessages"];
                };
            };
        };
    };
    send_team_message_api_teams__team_id__messages_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeamMessage"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sent"];
                };
            };
        };
    };
    list_agents_api_agents_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definitions"];
                };
            };
        };
    };
    list_playbooks_api_playbooks_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definitions"];
                };
            };
        };
    };
    list_skills_api_skills_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definitions"];
                };
            };
        };
    };
    list_plugins_api_plugins_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugins"];
                };
            };
        };
    };
    get_definition_api_definitions__kind___name__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionDetail"];
                };
            };
        };
    };
    save_definition_api_definitions__kind___name__put: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string | null;
                "If-None-Match"?: string | null;
            };
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewText"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionDetail"];
                };
            };
            /** @description created */
            201: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionDetail"];
                };
            };
        };
    };
    check_definition_api_definitions__kind___name__validate_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedText"];
                };
            };
        };
    };
    get_versions_api_definitions__kind___name__versions_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Versions"];
                };
            };
        };
    };
    get_one_version_api_definitions__kind___name__versions__version__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneVersion"];
                };
            };
        };
    };
    roll_back_api_definitions__kind___name__rollback_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: components["schemas"]["Kind"];
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionDetail"];
                };
            };
        };
    };
    list_launches_api_launches_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchList"];
                };
            };
        };
    };
    launch_api_launches_post: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLaunch"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchAnswer"];
                };
            };
        };
    };
    get_launch_api_launches__launch_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                launch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchDetail"];
                };
            };
        };
    };
    stop_launch_api_launches__launch_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                launch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaunchAnswer"];
                };
            };
        };
    };
    examine_api_admin_doctor_get: {
        parameters: {
            query?: {
                deep?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Doctor"];
                };
            };
        };
    };
    transition_stale_api_admin_doctor_transition_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkedFailedView"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transitions"];
                };
            };
        };
    };
    checkpoint_api_admin_checkpoint_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Checkpoint"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointedView"];
                };
            };
        };
    };
    vacuum_api_admin_vacuum_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vacuumed"];
                };
            };
        };
    };
    preview_prune_api_admin_prune_get: {
        parameters: {
            query?: {
                keep_days?: number | null;
                keep_n?: number | null;
                orphans?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrunePreview"];
                };
            };
        };
    };
    backup_api_admin_backup_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Backup"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackedUp"];
                };
            };
        };
    };
    database_stats_api_admin_database_get: {
        parameters: {
            query?: {
                sizes?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatabaseStats"];
                };
            };
        };
    };
    import_status_api_admin_imports_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportStatus"];
                };
            };
        };
    };
    list_work_api_work_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Works"];
                };
            };
        };
    };
    get_health_api_admin_health_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthOverview"];
                };
            };
        };
    };
    read_log_api_admin_logs_get: {
        parameters: {
            query?: {
                lines?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
        };
    };
    get_settings_api_admin_settings_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsShape"];
                };
            };
        };
    };
}
