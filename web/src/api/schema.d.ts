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
         * @description That the server runs; needs no token and tells nothing else.
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
         * @description The address that `li studio` prints: its code is good once, for less than a minute.
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
         * @description Sign this browser in; the token was sent as for any other route.
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
         * @description Numbers for Prometheus, behind the token.
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
         * @description The cards, runs by hour of the last day, active shows, and what happened last.
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
         * @description How much there is: sessions from the database, definitions from their folders.
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
         * @description Everything that waits for a person.
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
         * @description Messages with all of these words, newest first or the most relevant of the newest thousand; or by meaning.
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
         * @description A page of runs, newest first; every filter can be combined with every other.
         *
         *     With `health`, which is computed and not stored, a page may be shorter than asked for although others follow.
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
         * @description How many runs each value of a filter would leave beside the other filters, counted up to a thousand.
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
         * @description One run from the database, with its manifest where an archived one exists.
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
         * @description One session with its branches; its messages have routes of their own.
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
         * @description The files that a run left in its folder; those that its tools touched are in the outline.
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
         * @description Some bytes of one of these files, as text.
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
         * @description Stop a run with everything it started, as `li kill` does; only what is proven to be its own is signalled.
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
         * @description A window by ord: what comes after one, or right before one; from the beginning by default.
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
         * @description The same for one branch, by the ord in the branch: what a fork inherited is read with this.
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
         * @description One message and its ord, for a link that leads to it.
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
         * @description Some characters of a content that is too long to be sent whole.
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
         * @description Tool errors, what people said, tools and files; after an ord only what came since.
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
         * @description When the messages of each branch came, in stretches of equal length; 30,000 messages are a few hundred blocks.
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
         * @description Where a run holds a piece of text, in order.
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
         * @description The session as a file, as `li state export` writes it.
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
         * @description Every change, by its id; a page fetches what it shows.
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
         * @description The messages of a session while they come, whole; `done` when it has ended.
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
         * @description What happens to a show, its plays and their sessions; `done` when it has ended.
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
         * @description Every show, the one that changed last first; those that are only on disk come after.
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
         * @description One show with its plays, what waits for what, its critical path and what is blocked by whom.
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
         * @description A person's word about a play (approve, reject, redo, escalate) or a show: `li show …` as a process of its own.
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
         * @description One play with its intent and verdict as they lie in its folder.
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
         * @description Every try of a play side by side.
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
         * @description What a play changed; with `attempt` what that one did, with `against` what it did otherwise than another.
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
         * @description Every team, the one that was used last first; a file that cannot be used is an entry that says why.
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
         * @description One team by its id or name.
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
         * @description The newest messages, in order.
         */
        get: operations["list_team_messages_api_teams__team_id__messages_get"];
        put?: never;
        /**
         * Send Team Message
         * @description Write to a member, to some, or to all.
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
         * @description Every agent, a bad one as an entry that says why.
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
         * @description Every playbook, a bad one as an entry that says why.
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
         * @description Every skill; nothing of them is run.
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
         * @description Every plugin with its parts; nothing of them is run.
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
         * @description One definition with its text; its ETag is what a save must name.
         */
        get: operations["get_definition_api_definitions__kind___name__get"];
        /**
         * Save Definition
         * @description Save a text: `If-Match` with the ETag it was read with, or `If-None-Match: *` for a new one.
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
         * @description What is wrong with a text, while it is written; nothing is saved.
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
         * @description The history, newest first, without the texts.
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
         * @description One earlier text.
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
         * @description Make an earlier text the newest version.
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
         * @description What this server started, newest first.
         */
        get: operations["list_launches_api_launches_get"];
        put?: never;
        /**
         * Launch
         * @description Start one; with an `Idempotency-Key`, sending it twice starts one.
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
         * @description One launch with the end of what it printed.
         */
        get: operations["get_launch_api_launches__launch_id__get"];
        put?: never;
        post?: never;
        /**
         * Stop Launch
         * @description Ask a launch to end; only a process that is proven to be the one that was started is signalled.
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
         * @description Every finding with its evidence, and which runs could be marked failed.
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
         * @description Mark as failed what is stale and proven dead; by default it only says which runs that would be.
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
         * @description Fold the log back into the database file.
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
         * @description Rebuild the file without its free space; others wait meanwhile.
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
         * @description What `li state prune` would delete and free, and what it keeps although it is old enough.
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
         * @description Copy the database into the home's folder `backups`.
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
         * @description Sizes, rows per table, pragmas, how far behind the search index is, and what came in on the last days.
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
         * @description Where sessions came from, what lies on disk, how far it was brought in, and what is being brought in now.
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
         * @description Imports and upgrades that go on now, in whichever process; it is told without the database.
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
         * @description Everything that is marked running, by its health, with what says so.
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
         * @description The end of Studio's own log: who was refused and why, and what broke.
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
         * @description Every setting with where it came from.
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
         * @description What a person may order.
         * @enum {string}
         */
        Action: "run" | "approve" | "reject" | "redo" | "escalate" | "abort" | "resume";
        /**
         * Ancestor
         * @description A branch whose messages 0..last_ord another branch inherited.
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
         * @description What a playbook asks for.
         */
        Argument: {
            /** Name */
            name: string;
        };
        /**
         * ArtifactFile
         * @description A file that a run left beside the database.
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
             * @description bytes of the whole
             */
            total: number;
            /** Text */
            text: string;
        };
        /**
         * Artifacts
         * @description The files of a run's folders, as far as they lie in the home or in the shows.
         */
        Artifacts: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * @description One try of a play: what it noted about itself, what the gate said, and the run it was.
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
         * @description Every try of a play, the first one first.
         */
        Attempts: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * @description Everything that waits for a person, the worst first.
         */
        Attention: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["Waiting"][];
        };
        /**
         * Back
         * @description Which version becomes the newest.
         */
        Back: {
            /** Version */
            version: number;
        };
        /**
         * BackedUp
         * @description What a backup made.
         */
        BackedUp: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            result: components["schemas"]["BackupResult"];
        };
        /**
         * Backup
         * @description The name of the copy, in the folder `backups` of the home; one is made up when none is given.
         */
        Backup: {
            /** Name */
            name?: string | null;
        };
        /**
         * BackupResult
         * @description Where the copy is, and how large.
         */
        BackupResult: {
            /** Path */
            path: string;
            /** Bytes */
            bytes: number;
        };
        /**
         * Badge
         * @description One badge of the State cell.
         */
        Badge: {
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
         * Block
         * @description The messages of a branch in one stretch of time.
         */
        Block: {
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
         * Branch
         * @description A branch of a session.
         */
        Branch: {
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
             * @description what it saw before its own messages, the oldest first
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
         * @description The cards of ADR-0017 and ADR-0019; `GET /api/runs?card=…` lists what each counts.
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
         * ChangedFile
         * @description A file that a play changed; no numbers for a binary one.
         */
        ChangedFile: {
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
         * Checked
         * @description What is wrong with a text that nobody has saved yet, and what it would say.
         */
        Checked: {
            definition: components["schemas"]["Definition"];
        };
        /**
         * Checkpoint
         * @description Which kind.
         */
        Checkpoint: {
            /** @default PASSIVE */
            mode: components["schemas"]["Mode"];
        };
        /**
         * CheckpointResult
         * @description Frames in the log, frames folded back, and whether somebody was in the way.
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
         * Checkpointed
         * @description What a checkpoint did.
         */
        Checkpointed: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            result: components["schemas"]["CheckpointResult"];
        };
        /**
         * Commands
         * @description What to type in a terminal.
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
         * Component
         * @description A part of a plugin.
         */
        Component: {
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
             * @description the number of the newest change that this answer knows; streams start after it
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
             * @description characters of the whole
             */
            total: number;
            /** Text */
            text: string;
        };
        /**
         * Dashboard
         * @description The cards, and what happened last.
         */
        Dashboard: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            cards: components["schemas"]["Cards"];
            /** Hours */
            hours: components["schemas"]["Hour"][];
            /** Recent */
            recent: components["schemas"]["Run"][];
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
             * @description of the largest tables and indexes, on request
             */
            bytes?: {
                [key: string]: number;
            } | null;
        };
        /**
         * DatabaseStats
         * @description The database, and how it grew on the last days.
         */
        DatabaseStats: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            stats: components["schemas"]["DatabaseFacts"];
            /** Growth */
            growth: components["schemas"]["Day"][];
        };
        /**
         * Day
         * @description What came in on one day.
         */
        Day: {
            /**
             * At
             * @description the beginning of the day in UTC
             */
            at: number;
            /** Sessions */
            sessions: number;
            /** Messages */
            messages: number;
        };
        /**
         * Deed
         * @description Something that a person may order: what it does now, and which fields of the order it takes.
         */
        Deed: {
            /** Action */
            action: string;
            /** Label */
            label: string;
            /** What */
            what: string;
            /** Danger */
            danger: boolean;
            /** Fields */
            fields: components["schemas"]["DeedField"][];
        };
        /**
         * DeedField
         * @description What a person gives with an order; the name is that of its field in the body.
         */
        DeedField: {
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
         * Definition
         * @description One file, or one item that cannot be used; then `error` says why.
         */
        Definition: {
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
             * @description everything else that the text says
             */
            fields?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * DefinitionDetail
         * @description One definition with its text.
         */
        DefinitionDetail: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            definition: components["schemas"]["Definition"];
            /** Text */
            text: string | null;
        };
        /**
         * Definitions
         * @description Every definition of a kind, and where was looked for them.
         */
        Definitions: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["Definition"][];
            /** Places */
            places: string[];
            /** Looked */
            looked: components["schemas"]["Place"][];
        };
        /**
         * Diff
         * @description What a play changed, as a patch; `whole` is false when it was cut.
         */
        Diff: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
            files: components["schemas"]["ChangedFile"][];
            /** Patch */
            patch: string;
            /** Whole */
            whole: boolean;
            /**
             * Why
             * @description why there is nothing to show
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
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Findings */
            findings: components["schemas"]["Finding"][];
            /** Transitions */
            transitions: components["schemas"]["StaleRun"][];
        };
        /**
         * Draft
         * @description A text to look at.
         */
        Draft: {
            /** Text */
            text: string;
        };
        /**
         * Edge
         * @description The target waits for the source.
         */
        Edge: {
            /** Source */
            source: string;
            /** Target */
            target: string;
        };
        /**
         * FacetValue
         * @description How many runs a value of a filter would leave.
         */
        FacetValue: {
            /** Value */
            value: string;
            /** Runs */
            runs: number;
            /**
             * More
             * @description there are more than were counted
             */
            more: boolean;
        };
        /**
         * Facets
         * @description The values of each filter beside the other filters, those with most runs first.
         */
        Facets: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * Finding
         * @description One thing that the doctor found.
         */
        Finding: {
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
         * @description A branch that was forked from one of this session's.
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
             * @description the last message that it saw, counted in its parent branch
             */
            forked_at_ord: number | null;
            /**
             * Session Ord
             * @description the same message, counted in this session
             */
            session_ord: number | null;
        };
        /**
         * Form
         * @description What an export is written as.
         * @enum {string}
         */
        Form: "json" | "jsonl" | "md";
        /**
         * Health
         * @description That it runs.
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
         * @description Everything that is marked running by its health, the worst first.
         */
        HealthOverview: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * @description A run that is marked running, and what says how it does.
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
         * Hit
         * @description A message that matches.
         */
        Hit: {
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
         * @description What was found.
         */
        Hits: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Hits */
            hits: components["schemas"]["Hit"][];
        };
        /**
         * Hour
         * @description What began in one hour and came to one outcome.
         */
        Hour: {
            /** At */
            at: number;
            /** Status */
            status: string;
            /** Runs */
            runs: number;
            /** Tokens */
            tokens: number;
            /** Cost Microusd */
            cost_microusd: number | null;
        };
        /**
         * ImportStatus
         * @description How much came from where, what lies in the home that could be brought in, and what is being brought in now.
         */
        ImportStatus: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
            troubled: components["schemas"]["MirrorFile"][];
            /** Work */
            work: components["schemas"]["Work"][];
        };
        /**
         * Kind
         * @description What has a history.
         * @enum {string}
         */
        Kind: "agent" | "playbook";
        /**
         * Launch
         * @description A process that Studio started.
         */
        Launch: {
            /** Id */
            id: string;
            /**
             * Session Id
             * @description the run that it is, None for a task
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
         * LaunchAnswer
         * @description One launch.
         */
        LaunchAnswer: {
            launch: components["schemas"]["Launch"];
        };
        /**
         * LaunchDetail
         * @description One launch, and the end of what it printed.
         */
        LaunchDetail: {
            launch: components["schemas"]["Launch"];
            /** Output */
            output: string;
        };
        /**
         * LaunchList
         * @description Every launch of this server, newest first.
         */
        LaunchList: {
            /** Launches */
            launches: components["schemas"]["Launch"][];
        };
        /**
         * LinkedRun
         * @description A run that talked through a team.
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
         * Match
         * @description A message of a run that holds a text.
         */
        Match: {
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
         * @description Where a run holds a text, in order.
         */
        Matches: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Matches */
            matches: components["schemas"]["Match"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * Message
         * @description A message at its place in the session.
         */
        Message: {
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
             * @description bytes of the content as it is stored
             */
            size: number;
            /**
             * Cut
             * @description the values of the content that are longer than what is shown, with their lengths in characters; the key '' stands for the content itself
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
         * @description A window into a session's or a branch's messages, in order.
         */
        Messages: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string | null;
            /** Message Count */
            message_count: number;
            /** Messages */
            messages: components["schemas"]["Message"][];
            /** First Ord */
            first_ord: number | null;
            /** Last Ord */
            last_ord: number | null;
            /** Has More */
            has_more: boolean;
        };
        /**
         * MirrorFile
         * @description A transcript of another tool that was not read to its end, or not all of it.
         */
        MirrorFile: {
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
         * MirrorStatus
         * @description How far the transcripts of a tool have been read.
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
         * @description How thorough a checkpoint is.
         * @enum {string}
         */
        Mode: "TRUNCATE" | "PASSIVE" | "RESTART" | "FULL";
        /**
         * NewLaunch
         * @description What to start.
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
             * @description members; none is everybody
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
         * @description A message and where it stands.
         */
        OneMessage: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            message: components["schemas"]["Message"];
        };
        /**
         * OneVersion
         * @description One saved state with its text.
         */
        OneVersion: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            version: components["schemas"]["Version"];
        };
        /**
         * Order
         * @description A person's word about a show, or about one of its plays.
         */
        Order: {
            action: components["schemas"]["Action"];
            /** Play */
            play?: string | null;
            /** Feedback */
            feedback?: string | null;
            /**
             * Tokens
             * @description so many more than the plan says
             */
            tokens?: number | null;
            /**
             * Cost
             * @description so many dollars more
             */
            cost?: number | null;
            /**
             * Time
             * @description so much more: 90s, 30m, 2h, 1d
             */
            time?: string | null;
        };
        /**
         * Ordered
         * @description `li show …` as it was started; `launch.exit_code` is null while it goes on.
         */
        Ordered: {
            launch: components["schemas"]["Launch"];
            /** Output */
            output: string;
        };
        /**
         * Outline
         * @description Where to go in a long run: its errors, what people said, its tools and files.
         */
        Outline: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Errors */
            errors: components["schemas"]["ToolError"][];
            /**
             * Users
             * @description the ords of what people said
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
         * Place
         * @description A folder that was looked through; `refused` says why it was not.
         */
        Place: {
            /** Path */
            path: string;
            /** Origin */
            origin: string;
            /** Refused */
            refused: string | null;
        };
        /**
         * Play
         * @description A play; one that is only on disk has less.
         */
        Play: {
            /** Name */
            name: string;
            meta: components["schemas"]["PlayMeta"];
            verdict: components["schemas"]["Verdict"] | null;
            /** Updated At */
            updated_at: number | null;
            /** Session Id */
            session_id?: string | null;
            /** Session Name */
            session_name?: string | null;
            /** Depends On */
            depends_on: string[];
            state?: components["schemas"]["StateShape"] | null;
            /** Badges */
            badges: components["schemas"]["Badge"][];
            /** Blocked By */
            blocked_by: string[];
            /** Duration Ms */
            duration_ms: number | null;
            /**
             * Actions
             * @description what a person may say about it now
             */
            actions: string[];
            /**
             * Deeds
             * @description the same, each with what it does now and what has to be given
             */
            deeds: components["schemas"]["Deed"][];
            /** Error */
            error?: string | null;
        };
        /**
         * PlayDetail
         * @description A play with what its folder says.
         */
        PlayDetail: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            play: components["schemas"]["Play"];
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
         * PlayMeta
         * @description What `_meta.json` or the row says; a play that is only on disk has what its file has.
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
         * Plugin
         * @description A plugin with its parts, or one that did not load; then `error` and `problems` say why.
         */
        Plugin: {
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
            components: components["schemas"]["Component"][];
        };
        /**
         * Plugins
         * @description Every plugin, and where was looked for them.
         */
        Plugins: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Items */
            items: components["schemas"]["Plugin"][];
            /** Places */
            places: string[];
            /** Looked */
            looked: components["schemas"]["Place"][];
        };
        /**
         * PrunePlan
         * @description What a prune would delete and free, and what it keeps although it is old enough, with the reason.
         */
        PrunePlan: {
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
         * @description What a prune would do; `POST /api/launches` with `prune sessions` does it.
         */
        PrunePreview: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            plan: components["schemas"]["PrunePlan"];
            /** Keep Days */
            keep_days: number;
            /** Keep N */
            keep_n: number;
        };
        /**
         * Reason
         * @description Why something is in its state.
         */
        Reason: {
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Evidence */
            evidence?: string | null;
        };
        /**
         * Run
         * @description A session as lists show it.
         */
        Run: {
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
            state: components["schemas"]["StateShape"];
        };
        /**
         * RunDetail
         * @description The same, with the manifest of an archived run where there is one.
         */
        RunDetail: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            session: components["schemas"]["Run"];
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Branches */
            branches: components["schemas"]["Branch"][];
            /** Forks */
            forks: components["schemas"]["Fork"][];
            source: components["schemas"]["Source"] | null;
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
         * Runs
         * @description A page of runs, newest first.
         */
        Runs: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Runs */
            runs: components["schemas"]["Run"][];
            /** Next Cursor */
            next_cursor: string | null;
            /**
             * Counts
             * @description all sessions by status, whatever the filters
             */
            counts: {
                [key: string]: number;
            };
        };
        /**
         * Sent
         * @description What was sent; `unstored` says why the table does not have it yet.
         */
        Sent: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            message: components["schemas"]["TeamMessage"];
            /** Unstored */
            unstored: string | null;
        };
        /**
         * SessionDetail
         * @description A session whole, but for its messages.
         */
        SessionDetail: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            session: components["schemas"]["Run"];
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Branches */
            branches: components["schemas"]["Branch"][];
            /** Forks */
            forks: components["schemas"]["Fork"][];
            source: components["schemas"]["Source"] | null;
            commands: components["schemas"]["Commands"];
        };
        /**
         * SettingShape
         * @description One setting: its value, where that came from, and where it may be given.
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
         * @description Every setting with where it came from.
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
         * Show
         * @description A show with its plays.
         */
        Show: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
            plays: components["schemas"]["Play"][];
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
            deeds: components["schemas"]["Deed"][];
            state?: components["schemas"]["StateShape"] | null;
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
             * @description whether a director works on it now
             * @default false
             */
            directed: boolean;
            /**
             * Error
             * @description why nothing of its folder is told
             */
            error: string | null;
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
            /** Plays Total */
            plays_total: number;
            /** Plays Merged */
            plays_merged: number;
            /** Running Plays */
            running_plays: string[];
            state?: components["schemas"]["StateShape"] | null;
            /** Error */
            error?: string | null;
        };
        /**
         * Shows
         * @description Every show, the one that changed last first.
         */
        Shows: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Shows */
            shows: components["schemas"]["ShowListed"][];
        };
        /**
         * Source
         * @description The play that a run belongs to.
         */
        Source: {
            /** Topic */
            topic: string;
            /** Play */
            play: string;
        };
        /**
         * StaleRun
         * @description A run that is stale and proven dead, and what proves it.
         */
        StaleRun: {
            /** Session Id */
            session_id: string;
            /** Evidence */
            evidence: string[];
        };
        /**
         * StateShape
         * @description The computed state; a page renders it and decides nothing.
         */
        StateShape: {
            /** Lifecycle */
            lifecycle: string;
            /** Health */
            health: string;
            /** Delivery */
            delivery: string;
            /** Severity */
            severity: string;
            /** Tone */
            tone: string;
            /** Label */
            label: string;
            /** Reasons */
            reasons: components["schemas"]["Reason"][];
        };
        /**
         * Stats
         * @description Sessions from the database, definitions from the folders (ADR-0004).
         */
        Stats: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * Stop
         * @description How long it may take to end by itself.
         */
        Stop: {
            /**
             * Grace Seconds
             * @default 15
             */
            grace_seconds: number;
        };
        /**
         * Stopped
         * @description What became of it; `over` is false for a run that still runs, or may.
         */
        Stopped: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * Team
         * @description A team, or a file that cannot be used; then `error` says why.
         */
        Team: {
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
            state: components["schemas"]["StateShape"] | null;
        };
        /**
         * TeamDetail
         * @description A team, the runs that talked through it, and how much each member has not read.
         */
        TeamDetail: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            team: components["schemas"]["Team"];
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
         * TeamMessage
         * @description What one member wrote to another, or to all.
         */
        TeamMessage: {
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
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Messages */
            messages: components["schemas"]["TeamMessage"][];
            /** Has More */
            has_more: boolean;
        };
        /**
         * Teams
         * @description Every team, the one that was used last first.
         */
        Teams: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Teams */
            teams: components["schemas"]["Team"][];
        };
        /**
         * TextProblem
         * @description What is wrong with a text: an error makes it unusable, a warning does not.
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
         * Timeline
         * @description When messages came: bucket n begins at start + n * width; where nothing came there is no block.
         */
        Timeline: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
            blocks: components["schemas"]["Block"][];
        };
        /**
         * ToolCount
         * @description How often a tool was called, and how often it failed.
         */
        ToolCount: {
            /** Calls */
            calls: number;
            /** Errors */
            errors: number;
        };
        /**
         * ToolError
         * @description A tool that failed.
         */
        ToolError: {
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
         * @description A file that tools were called with.
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
         * Transition
         * @description Whether to do it, or only to say what would be done.
         */
        Transition: {
            /**
             * Dry Run
             * @default true
             */
            dry_run: boolean;
            /**
             * Session Ids
             * @description only these; without it all
             */
            session_ids?: string[] | null;
        };
        /**
         * Transitions
         * @description What would be, or was, marked failed.
         */
        Transitions: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
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
         * @description What a vacuum did.
         */
        Vacuumed: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            result: components["schemas"]["VacuumResult"];
        };
        /**
         * Verdict
         * @description What the gate said.
         */
        Verdict: {
            /** Gate Passed */
            gate_passed?: boolean | null;
            /** Feedback */
            feedback?: string | null;
        };
        /**
         * Version
         * @description One saved state; the list leaves the text out.
         */
        Version: {
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
         * @description The history, newest first.
         */
        Versions: {
            /**
             * Seq
             * @description the number of the newest change that this answer knows; streams start after it
             */
            seq: number;
            /** Versions */
            versions: components["schemas"]["Version"][];
        };
        /**
         * Waiting
         * @description One thing that waits for a person.
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
         * @description What a person can do about it: a request to this server, or words for a terminal.
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
             * @description what comes of it
             */
            what: string | null;
            /** Danger */
            danger: boolean;
            /**
             * Fields
             * @description what a person adds to the body
             */
            fields: components["schemas"]["DeedField"][];
        };
        /**
         * Work
         * @description Something long that goes on in some process now: an import, an upgrade of the database.
         */
        Work: {
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
             * @description 0 where it is not known
             */
            total: number;
            /** Began At */
            began_at: number;
            /** Told At */
            told_at: number;
        };
        /**
         * Works
         * @description What goes on now, the oldest first.
         */
        Works: {
            /** Work */
            work: components["schemas"]["Work"][];
        };
        /**
         * Problem
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
                "application/json": components["schemas"]["Stop"];
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
                    "application/json": components["schemas"]["Stopped"];
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
                /** @description one of `cut`; nothing reads the content itself */
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
                    "application/json": components["schemas"]["Outline"];
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
                    "application/json": components["schemas"]["Timeline"];
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
            /** @description the session, whole */
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
                /** @description the seq of the answer that the page shows */
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
                /** @description the seq of the answer that the page shows */
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
                /** @description the seq of the answer that the page shows */
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
                    "application/json": components["schemas"]["Show"];
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
                "application/json": components["schemas"]["Order"];
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
                    "application/json": components["schemas"]["Ordered"];
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
                    "application/json": components["schemas"]["Diff"];
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
                    "application/json": components["schemas"]["Teams"];
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
            /** @description made */
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
                    "application/json": components["schemas"]["Checked"];
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
                "application/json": components["schemas"]["Back"];
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
                "application/json": components["schemas"]["Transition"];
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
                    "application/json": components["schemas"]["Checkpointed"];
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
