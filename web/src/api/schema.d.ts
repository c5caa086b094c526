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
         * Sign In
         * @description Sign a browser in with the one-time code of `li studio`, or with the token in the Authorization header.
         *
         *     Sets the cookie; every request of the page also sends `secret` in the header Lion-Session.
         */
        post: operations["sign_in_api_login_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign Out
         * @description End the session of this browser and its streams.
         */
        post: operations["sign_out_api_logout_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/studio-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Studio Sessions
         * @description List the browsers that are signed in.
         */
        get: operations["list_studio_sessions_api_admin_studio_sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/studio-sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End One Session
         * @description Sign a browser out and end its streams.
         */
        delete: operations["end_one_session_api_admin_studio_sessions__session_id__delete"];
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
    "/api/attention/{item_id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss Item
         * @description Hide an item until the status of its entity changes.
         */
        post: operations["dismiss_item_api_attention__item_id__dismiss_post"];
        /**
         * Restore Item
         * @description List a dismissed or snoozed item again.
         */
        delete: operations["restore_item_api_attention__item_id__dismiss_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/attention/{item_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Snooze Item
         * @description Hide an item for a time, or until the status of its entity changes.
         */
        post: operations["snooze_item_api_attention__item_id__snooze_post"];
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
         * @description Search messages by keywords (last recorded first, or the most relevant of the last thousand) or by meaning.
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
    "/api/search/filters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Search Filters
         * @description Get the modes of the search that can be used, and what it can be narrowed by.
         */
        get: operations["get_search_filters_api_search_filters_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find Names
         * @description Find runs, shows, plays, teams, projects, agents and playbooks by name; without a text, the most recent ones.
         */
        get: operations["find_names_api_find_get"];
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
         * @description List runs, newest first or by another column; all filters can be combined and repeated.
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
    "/api/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Totals
         * @description Count the runs that filters leave and sum their tokens and costs, up to ten thousand runs.
         */
        get: operations["get_totals_api_totals_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/terminals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Terminals
         * @description List the programs that run in terminals of the user and report by hooks (`li connect`).
         */
        get: operations["list_terminals_api_terminals_get"];
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
        /**
         * Remove Run
         * @description Delete a run with its messages and files, like `li state rm`; a running one is refused.
         */
        delete: operations["remove_run_api_runs__run_id__delete"];
        options?: never;
        head?: never;
        /**
         * Edit Run
         * @description Set the name, the note or the tags of a run; a field that is left out stays as it is.
         */
        patch: operations["edit_run_api_runs__run_id__patch"];
        trace?: never;
    };
    "/api/runs/{run_id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Request
         * @description Get the request of a run, to start it again: the agent or playbook, the prompt, the folder and the options.
         */
        get: operations["get_request_api_runs__run_id__request_get"];
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
         * @description Get the kinds of the messages, tool errors, tools, files and contexts, in parts: the next begins `after` the last
         *     ord.
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
    "/api/sessions/{session_id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Changes
         * @description Get the files that a run changed, with sums; one file with all its hunks.
         *
         *     A fork has only its own changes.
         */
        get: operations["get_changes_api_sessions__session_id__changes_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages/{message_id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Call Changes
         * @description Get all lines that one tool call changes.
         */
        get: operations["get_call_changes_api_sessions__session_id__messages__message_id__changes_get"];
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
    "/api/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Questions
         * @description List what waits for a person, oldest first; with `all`, answered and withdrawn questions too.
         */
        get: operations["list_questions_api_questions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/questions/{question_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Question
         * @description Get a question with all of its evidence.
         */
        get: operations["get_question_api_questions__question_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/questions/shown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark Questions Shown
         * @description Record that a page displays these questions.
         */
        post: operations["mark_questions_shown_api_questions_shown_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/questions/{question_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer Question
         * @description Answer a question; 409 with who was first when it is closed.
         */
        post: operations["answer_question_api_questions__question_id__answer_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Inbox
         * @description List the messages to a session with their receipts.
         */
        get: operations["get_inbox_api_sessions__session_id__inbox_get"];
        put?: never;
        /**
         * Send Message
         * @description Write to a running agent; 409 when the run has ended.
         */
        post: operations["send_message_api_sessions__session_id__inbox_post"];
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
    "/api/shows/{topic}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Timeline
         * @description Get the attempts of every play with the times of their agents, gates and waits.
         */
        get: operations["get_timeline_api_shows__topic__timeline_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Decisions
         * @description List who decided what, when and from where, newest first.
         */
        get: operations["get_decisions_api_shows__topic__decisions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shows/{topic}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Changes
         * @description Count the changed files and lines of each play.
         */
        get: operations["get_changes_api_shows__topic__changes_get"];
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
        /**
         * Create Team
         * @description Create a team with its members.
         */
        post: operations["create_team_api_teams_post"];
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
    "/api/teams/{team_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add Team Members
         * @description Add members to a team; those that it has stay.
         */
        post: operations["add_team_members_api_teams__team_id__members_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive Team
         * @description Make a team read-only; nothing is deleted.
         */
        post: operations["archive_team_api_teams__team_id__archive_post"];
        /**
         * Reopen Team
         * @description Reactivate an archived team.
         */
        delete: operations["reopen_team_api_teams__team_id__archive_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List All Workers
         * @description List workers with the orders that they carry out, and the orders that wait for a worker.
         */
        get: operations["list_all_workers_api_workers_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workers/{worker_id}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drain
         * @description Let a worker complete its orders and take no new ones; the id may be its name.
         */
        post: operations["drain_api_workers__worker_id__drain_post"];
        /**
         * Undrain
         * @description Let a worker take orders again.
         */
        delete: operations["undrain_api_workers__worker_id__drain_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workers/{worker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove
         * @description Remove a worker that is not connected; one that starts again is listed again.
         */
        delete: operations["remove_api_workers__worker_id__delete"];
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
    "/api/plugins/{plugin_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Plugin
         * @description Get a plugin with its texts, hooks and servers; no value of an environment variable or header is read out.
         */
        get: operations["get_plugin_api_plugins__plugin_id__get"];
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
        /**
         * Delete Definition
         * @description Delete the file of a definition; its versions stay, and a rollback restores it.
         */
        delete: operations["delete_definition_api_definitions__kind___name__delete"];
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
         * @description List the launches of this server and of the other ones of the database, newest first.
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
    "/api/launches/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Choices
         * @description List the agents, playbooks, folders and models of a new run; definitions are those visible from the folder.
         */
        get: operations["get_choices_api_launches_choices_get"];
        put?: never;
        post?: never;
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
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Usage
         * @description Sum tokens and money, the duration of runs, or the time that questions waited for a person.
         */
        get: operations["get_usage_api_usage_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/sums": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Usage Sums
         * @description Sum tokens and money since each of up to four moments.
         */
        get: operations["get_usage_sums_api_usage_sums_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download Usage
         * @description Download the same sums, a line for each time and name.
         */
        get: operations["download_usage_api_usage_csv_get"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Mark runs as failed that are proven dead: those named, or all that are stale; by default only list them.
         */
        post: operations["transition_stale_api_admin_doctor_transition_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/doctor/doubles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview Doubles
         * @description List the runs that are stored twice; `POST /api/launches` with `fix doubles` merges them.
         */
        get: operations["preview_doubles_api_admin_doctor_doubles_get"];
        put?: never;
        post?: never;
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
    "/api/admin/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get History
         * @description Count the sessions of Claude Code and Codex on this machine, and those that are imported.
         */
        get: operations["get_history_api_admin_history_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch Following
         * @description Start or stop importing transcripts as they are written; the setting follow_transcripts makes it permanent.
         */
        post: operations["switch_following_api_admin_follow_post"];
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
         * @description Get the end of the Studio log, raw and as entries: refusals with their reasons, and unexpected errors.
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
         * @description Get every setting as a new process has it, its origin, and the value that this server started with.
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
    "/api/admin/settings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change Setting
         * @description Change a setting in config.toml of the home, as `li config set` and `li config unset` do.
         */
        put: operations["change_setting_api_admin_settings__name__put"];
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
            /**
             * Held
             * @description the changes that are held back and that it decides about
             */
            held: string[];
            subject: components["schemas"]["ShownSubject"];
        };
        /**
         * AgentChoice
         * @description An agent of a definition, or a provider; `problem` is the reason why it cannot run.
         */
        AgentChoice: {
            /** Name */
            name: string;
            /**
             * Kind
             * @description agent or provider
             */
            kind: string;
            /** Description */
            description: string | null;
            /** Provider */
            provider: string | null;
            /** Model */
            model: string | null;
            /** Permissions */
            permissions: string | null;
            /**
             * Program
             * @description the path of the provider's program
             */
            program?: string | null;
            /** Problem */
            problem: string | null;
            /**
             * Needs Model
             * @default false
             */
            needs_model: boolean;
            /** Abilities */
            abilities: string[];
        };
        /**
         * AgentUsageView
         * @description The usage of a show or a play: all attempts of its agents and reviewers.
         */
        AgentUsageView: {
            /**
             * Input
             * @description tokens sent, without those of the cache
             */
            input: number;
            /** Output */
            output: number;
            /**
             * Cache Read
             * @description tokens read from the cache
             */
            cache_read: number;
            /**
             * Cache Write
             * @description tokens written to the cache
             */
            cache_write: number;
            /**
             * Total
             * @description the sum of these four
             */
            total: number;
            /**
             * Cost Microusd
             * @description of the tokens with a known price; null when there are none
             */
            cost_microusd: number | null;
            /**
             * Unpriced Tokens
             * @description tokens whose price is unknown; they are not in the cost
             */
            unpriced_tokens: number;
            /**
             * Seconds
             * @description the duration of its runs, added up
             */
            seconds: number;
            /**
             * Sessions
             * @description the number of its runs
             */
            sessions: number;
            /**
             * Unpriced
             * @description runs without a known price
             */
            unpriced: number;
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
         * AnswerView
         * @description The answer that was given.
         */
        AnswerView: {
            /** Option */
            option?: string | null;
            /** Text */
            text?: string | null;
            /** Arguments */
            arguments?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Argument
         * @description An argument of a playbook.
         */
        Argument: {
            /** Name */
            name: string;
            /**
             * Type
             * @description str, int, float or bool
             */
            type: string;
            /** Default */
            default?: unknown;
            /** Help */
            help?: string | null;
            /** Required */
            required: boolean;
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
            /**
             * Confinement
             * @description whether its agent was confined, or why not
             */
            confinement: string | null;
            /**
             * Gate Confinement
             * @description the same of its gates, each sentence once
             */
            gate_confinement: string[];
        };
        /**
         * AttemptBar
         * @description One attempt in the timeline.
         */
        AttemptBar: {
            /** Attempt */
            attempt: number;
            /** Session Id */
            session_id: string | null;
            /**
             * Host
             * @description the machine that ran its agent
             */
            host: string | null;
            /**
             * Status
             * @description of its run
             */
            status: string | null;
            /** Failed */
            failed: boolean;
            /** Phases */
            phases: components["schemas"]["PhaseView"][];
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
         * @description Every item that needs a person, by rank: questions that wait longest first, then the newest trouble.
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
             * @description lifecycle, gate, integration or person
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
         * BudgetPartView
         * @description A part of the budget that has a limit.
         */
        BudgetPartView: {
            /**
             * Part
             * @description tokens, cost_microusd or seconds
             */
            part: string;
            /**
             * Spent
             * @description what the director counts: all tokens, known costs, time of agents
             */
            spent: number;
            /** Limit */
            limit: number;
        };
        /**
         * CallChangesAnswer
         * @description All lines that one call changes.
         */
        CallChangesAnswer: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** @description null if the call changes no file */
            call: components["schemas"]["CallChangesView"] | null;
        };
        /**
         * CallChangesView
         * @description A tool call that changes files, and whether it did.
         */
        CallChangesView: {
            /** Ord */
            ord: number;
            /** Call Id */
            call_id: string;
            /** Result Ord */
            result_ord: number | null;
            /** Result Id */
            result_id: string | null;
            outcome: components["schemas"]["Outcome"];
            /** Files */
            files: components["schemas"]["FileChangeView"][];
            /** Omitted Files */
            omitted_files: number;
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
         * ChangeKind
         * @description The way in which a file changed.
         * @enum {string}
         */
        ChangeKind: "created" | "edited" | "deleted" | "renamed";
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
         * ChangedSetting
         * @description A setting after a change, and whether the file was different before.
         */
        ChangedSetting: {
            setting: components["schemas"]["SettingShape"];
            /** Path */
            path: string;
            /** Changed */
            changed: boolean;
        };
        /**
         * ChangedTeam
         * @description The team after a change; `unstored` is the reason why the table does not have it yet.
         */
        ChangedTeam: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            team: components["schemas"]["TeamView"];
            /** Unstored */
            unstored: string | null;
        };
        /**
         * ChangedWorker
         * @description The worker after a change.
         */
        ChangedWorker: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            worker: components["schemas"]["WorkerView"];
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
         * @description Terminal commands for a run, which work as printed.
         */
        Commands: {
            /**
             * Target
             * @description the agent or provider that continues it
             */
            target: string | null;
            /** Resume */
            resume: string | null;
            /**
             * Vendor
             * @description opens the conversation in the vendor's own program
             */
            vendor: string | null;
            /** Fork */
            fork: string | null;
            /**
             * No Resume Reason
             * @description why it cannot be resumed
             */
            no_resume_reason: string | null;
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
            /**
             * Kind
             * @description skill, agent, command, hook or server
             */
            kind: string;
            /** Name */
            name: string;
            /** Path */
            path: string;
            /** Description */
            description?: string | null;
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
         * ContextView
         * @description The tokens that the model read for a message.
         */
        ContextView: {
            /** Ord */
            ord: number;
            /** Tokens */
            tokens: number;
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
            /**
             * Has Workers
             * @description whether the page of workers is of use: on a hub, or when one exists
             */
            has_workers: boolean;
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
         * DeadRunView
         * @description A run that is marked running and proven dead, with the evidence.
         */
        DeadRunView: {
            /** Session Id */
            session_id: string;
            /** Display Name */
            display_name: string;
            /** Evidence */
            evidence: string[];
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
            /**
             * Attempt
             * @description the attempt of the play that was shown
             */
            attempt?: number | null;
            /**
             * Head
             * @description the commit of the play that was shown
             */
            head?: string | null;
            /**
             * Plan
             * @description the digest of the edited plan that was shown
             */
            plan?: string | null;
            /**
             * Commits
             * @description the commits that were shown
             */
            commits?: string[] | null;
        };
        /**
         * DecisionView
         * @description An entry of the decision log.
         */
        DecisionView: {
            /** At */
            at: number | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "decision" | "asked" | "abort" | "refused" | "plan" | "repair" | "answer";
            /** Actor */
            actor: string | null;
            /** Sentence */
            sentence: string;
            /** Play */
            play: string | null;
            /** Attempt */
            attempt: number | null;
            /**
             * Detail
             * @description the feedback or reason
             */
            detail: string | null;
            /** Via */
            via: ("page" | "terminal") | null;
            /**
             * Origin
             * @description where it was made, in words
             */
            origin: string | null;
            /**
             * Session Id
             * @description the run of the attempt
             */
            session_id: string | null;
            /**
             * Overrides
             * @description it merges work whose gates failed
             */
            overrides: boolean;
        };
        /**
         * Decisions
         * @description Decisions, questions and plan edits of a show, newest first.
         */
        Decisions: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Decisions */
            decisions: components["schemas"]["DecisionView"][];
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
         * DeletedDefinition
         * @description The last version of a deleted definition.
         */
        DeletedDefinition: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            version: components["schemas"]["VersionView"];
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
         * Dismissal
         * @description Whether an item is dismissed now, and until when it is snoozed.
         */
        Dismissal: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Id */
            id: string;
            /** Dismissed */
            dismissed: boolean;
            /** Snoozed Until */
            snoozed_until: number | null;
        };
        /**
         * Doctor
         * @description Every finding, and the runs that are proven dead.
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
            transitions: components["schemas"]["DeadRunView"][];
        };
        /**
         * DoubleView
         * @description A recorded run, and the copy of it that was imported from its transcript.
         */
        DoubleView: {
            /** Session Id */
            session_id: string;
            /** Copy Id */
            copy_id: string;
            /** Tool */
            tool: string;
            /** Title */
            title: string | null;
            /**
             * Messages
             * @description of the copy
             */
            messages: number;
        };
        /**
         * Doubles
         * @description The runs that are stored twice.
         */
        Doubles: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Doubles */
            doubles: components["schemas"]["DoubleView"][];
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
         * ExpectedArtifact
         * @description A file that the playbook of a run must deliver, as it was when the run ended.
         */
        ExpectedArtifact: {
            /** Id */
            id: string;
            /** Path */
            path: string;
            /** Required */
            required: boolean;
            /** Description */
            description: string | null;
            /**
             * State
             * @description delivered, missing or invalid
             */
            state: string;
            /** Size */
            size: number | null;
            /** Sha256 */
            sha256: string | null;
            /**
             * Unchanged
             * @description the file was there before the run, and is the same
             */
            unchanged: boolean;
            /** Problem */
            problem: string | null;
        };
        /**
         * FacetValue
         * @description The number of runs with a filter value.
         */
        FacetValue: {
            /** Value */
            value: string;
            /** Label */
            label: string;
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
            /** Show */
            show: components["schemas"]["FacetValue"][];
            /** Model */
            model: components["schemas"]["FacetValue"][];
            /** Tag */
            tag: components["schemas"]["FacetValue"][];
            /**
             * Machine
             * @description by id, among the newest runs
             */
            machine: components["schemas"]["FacetValue"][];
            /**
             * Health
             * @description of running runs
             */
            health: components["schemas"]["FacetValue"][];
        };
        /**
         * FileChangeView
         * @description A file that one call changes.
         */
        FileChangeView: {
            /** Path */
            path: string;
            kind: components["schemas"]["ChangeKind"];
            /**
             * Old Path
             * @description the name before a renamed file was renamed
             */
            old_path: string | null;
            /**
             * Added
             * @description null if the lines are not recorded
             */
            added: number | null;
            /** Removed */
            removed: number | null;
            /** Hunks */
            hunks: components["schemas"]["HunkView"][];
            /**
             * Omitted
             * @description lines that were left out at the end
             */
            omitted: number;
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
            /**
             * Session Id
             * @description the run that it is about
             */
            session_id?: string | null;
            /**
             * Display Name
             * @description of that run
             */
            display_name?: string | null;
            /**
             * Topic
             * @description the show that it is about
             */
            topic?: string | null;
        };
        /**
         * FolderChoice
         * @description The folder that the choices are for.
         */
        FolderChoice: {
            /** Path */
            path: string;
            /**
             * Problem
             * @description why an agent cannot work in it
             */
            problem: string | null;
            /** Is Repository */
            is_repository: boolean;
        };
        /**
         * FollowSwitch
         * @description Follow transcripts, or stop following them until the server restarts.
         */
        FollowSwitch: {
            /** Enabled */
            enabled: boolean;
        };
        /**
         * FollowedTool
         * @description A tool whose transcripts are imported as they are written, by this server or another process.
         */
        FollowedTool: {
            /** Tool */
            tool: string;
            /** Title */
            title: string;
            /** Root */
            root: string;
            /** Pid */
            pid: number;
            /** Since */
            since: number;
            /**
             * Is Ours
             * @description a process of this server follows it
             */
            is_ours: boolean;
        };
        /** FollowerAnswer */
        FollowerAnswer: {
            follower: components["schemas"]["FollowerView"];
        };
        /**
         * FollowerView
         * @description The switch of this server, and the tools that are followed.
         */
        FollowerView: {
            /** Enabled */
            enabled: boolean;
            /**
             * Can Switch
             * @description false on a read-only server
             */
            can_switch: boolean;
            /**
             * Error
             * @description why the last attempt of this server ended; it tries again
             */
            error: string | null;
            /** Tools */
            tools: components["schemas"]["FollowedTool"][];
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
        Form: "json" | "jsonl" | "md" | "html";
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
            /**
             * Is Dead
             * @description its process is proven gone
             */
            is_dead: boolean;
            /** Since */
            since: number | null;
        };
        /**
         * HeldBackView
         * @description Changes of a show that wait for a person.
         */
        HeldBackView: {
            /**
             * Plan
             * @description SHA-256 of the edited plan
             */
            plan: string | null;
            /**
             * Commits
             * @description commits of others on the integration branch
             */
            commits: string[];
            /**
             * Lines
             * @description each change in words
             */
            lines: string[];
        };
        /**
         * HeldOrderView
         * @description An order that a worker carries out.
         */
        HeldOrderView: {
            /** Id */
            id: string;
            /** Topic */
            topic: string;
            /**
             * Play
             * @description null: of the whole show
             */
            play: string | null;
            /**
             * Work
             * @enum {string}
             */
            work: "show" | "attempt" | "gates" | "merge" | "final_gates";
            /**
             * Fence
             * @description raised whenever a worker takes work of the play
             */
            fence: number;
            /**
             * Since
             * @description when the worker took it
             */
            since: number | null;
            /**
             * Stop
             * @description why it should stop; null: it should not
             */
            stop: string | null;
            /**
             * Session Id
             * @description the run of the play
             */
            session_id: string | null;
        };
        /**
         * Histories
         * @description The sessions of each program whose transcripts can be imported.
         */
        Histories: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Histories */
            histories: components["schemas"]["HistoryView"][];
            /**
             * Location
             * @description the options that a command in another terminal needs for this home
             */
            location: string;
        };
        /**
         * HistoryView
         * @description The sessions of another program on this machine.
         */
        HistoryView: {
            /** Tool */
            tool: string;
            /** Title */
            title: string;
            /** Root */
            root: string;
            /**
             * Sessions
             * @description transcripts on disk, without those of sub-agents
             */
            sessions: number;
            /** Imported */
            imported: number;
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
            /** Tool */
            tool?: string | null;
            /** Snippet */
            snippet: string;
            /** Score */
            score?: number | null;
        };
        /**
         * Hits
         * @description Search results: a list, or by run with `group=true`.
         */
        Hits: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Hits */
            hits: components["schemas"]["HitView"][];
            /** Runs */
            runs: components["schemas"]["RunHitsView"][];
            /**
             * Total
             * @description the counted matches
             */
            total: number;
            /**
             * More
             * @description there are older matches, so the counts are minimums
             */
            more: boolean;
            /**
             * Next
             * @description `below` of the next page; null on the last one
             */
            next: number | null;
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
        };
        /**
         * HunkView
         * @description Consecutive lines of a diff.
         */
        HunkView: {
            /**
             * Lines
             * @description each begins with its mark: a space, +, - or \
             */
            lines: string[];
            /**
             * Old Start
             * @description the number of the first line; null if only the changed text is known
             */
            old_start: number | null;
            /** New Start */
            new_start: number | null;
            /** Header */
            header: string;
        };
        /**
         * ImportChoice
         * @description An import that `POST /api/launches` can start.
         */
        ImportChoice: {
            /** Verb */
            verb: string;
            /** Target */
            target: string;
            /** Title */
            title: string;
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
            follower: components["schemas"]["FollowerView"];
            /** Targets */
            targets: components["schemas"]["ImportChoice"][];
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
         * LaneView
         * @description The branch of a message and those after it.
         */
        LaneView: {
            /** Ord */
            ord: number;
            /** Branch Id */
            branch_id: string | null;
        };
        /**
         * LaunchAnswer
         * @description One launch.
         */
        LaunchAnswer: {
            launch: components["schemas"]["LaunchView"];
        };
        /**
         * LaunchChoices
         * @description The runs that can be started from a folder.
         */
        LaunchChoices: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            folder: components["schemas"]["FolderChoice"];
            /**
             * Folders
             * @description of the newest runs
             */
            folders: string[];
            /** Agents */
            agents: components["schemas"]["AgentChoice"][];
            /** Playbooks */
            playbooks: components["schemas"]["PlaybookChoice"][];
            /**
             * Models
             * @description models of the newest runs, by provider
             */
            models: {
                [key: string]: string[];
            };
            /** Sandbox Problem */
            sandbox_problem: string | null;
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
         * @description Every launch of this server and of the other ones of the database, newest first.
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
            /**
             * Host
             * @description the machine that it runs on
             */
            host: string | null;
            /** @description of a running import */
            progress?: components["schemas"]["ProgressView"] | null;
        };
        /**
         * LeftOutView
         * @description A file of a play that is in no commit.
         */
        LeftOutView: {
            /** Path */
            path: string;
            /**
             * Why
             * @description filter, submodule or ignored
             */
            why: string;
            /**
             * Detail
             * @description name of the filter
             */
            detail?: string | null;
        };
        /**
         * LinkedRun
         * @description A run of a member (`--team-mode`), or one that sent a message.
         */
        LinkedRun: {
            /** Id */
            id: string;
            /** Name */
            name: string | null;
            /**
             * Member
             * @description the member that the run was started as
             */
            member?: string | null;
            state?: components["schemas"]["StatusLabel"] | null;
        };
        /**
         * LogEntry
         * @description A line of the log; one that is not JSON is its own message.
         */
        LogEntry: {
            /** At */
            at: number | null;
            /**
             * Level
             * @enum {string}
             */
            level: "error" | "warning" | "info";
            /** Event */
            event: string;
            /** Message */
            message: string;
            /** Raw */
            raw: string;
        };
        /**
         * Logs
         * @description The end of the log.
         */
        Logs: {
            /** Lines */
            lines: string[];
            /** Entries */
            entries: components["schemas"]["LogEntry"][];
        };
        /**
         * MarkedFailedView
         * @description A request to mark dead runs as failed; a dry run only lists them.
         */
        MarkedFailedView: {
            /**
             * Dry Run
             * @default true
             */
            dry_run: boolean;
            /**
             * Session Ids
             * @description these, stale or not (default: all that are stale)
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
            /**
             * Changes
             * @description files that calls changed, their first lines; see `changes`
             */
            changes: components["schemas"]["CallChangesView"][];
        };
        /**
         * MirrorStatus
         * @description The progress of reading the transcripts of a tool.
         */
        MirrorStatus: {
            /** Tool */
            tool: string;
            /** Title */
            title: string;
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
         * NameSection
         * @description The names of one kind, the best first.
         */
        NameSection: {
            /** Kind */
            kind: string;
            /**
             * Rank
             * @description of the best one: 0 the whole name, 1 its start, 2 its words, 3 a part, 4 another field
             */
            rank: number;
            /**
             * Count
             * @description all that fit, also those that are not listed
             */
            count: number;
            /** Names */
            names: components["schemas"]["NameView"][];
        };
        /**
         * NameView
         * @description Something with a name: a run, show, play, team, project, agent or playbook.
         */
        NameView: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "run" | "show" | "play" | "team" | "project" | "agent" | "playbook";
            /**
             * Id
             * @description the id of a run or team, else the name
             */
            id: string;
            /** Name */
            name: string;
            /** About */
            about: string | null;
            /**
             * Topic
             * @description the show of a play
             */
            topic: string | null;
            state: components["schemas"]["StatusLabel"] | null;
        };
        /**
         * Names
         * @description Names that fit a text; the section with the best one first. Without a text: the most recent ones.
         */
        Names: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Sections */
            sections: components["schemas"]["NameSection"][];
        };
        /**
         * NewAnswer
         * @description An answer: an option, words, or changed arguments of the tool.
         */
        NewAnswer: {
            /** Option */
            option?: string | null;
            /** Text */
            text?: string | null;
            /** Arguments */
            arguments?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * NewLaunch
         * @description A process to start.
         */
        NewLaunch: {
            /**
             * Verb
             * @description agent, play, flow or fanout; plan; mirror, import, demo or prune
             */
            verb: string;
            /**
             * Target
             * @description an agent, provider/model or playbook; a topic; claude, codex, runs, shows, teams, show, sessions
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
         * NewMembers
         * @description Members to add.
         */
        NewMembers: {
            /** Members */
            members: string[];
        };
        /**
         * NewSessionMessage
         * @description A message to a running agent; without `delivery` in the usual way of its program.
         */
        NewSessionMessage: {
            /** Text */
            text: string;
            /** Delivery */
            delivery?: ("now" | "next" | "instead") | null;
        };
        /**
         * NewTeam
         * @description A team to create.
         */
        NewTeam: {
            /** Name */
            name: string;
            /** Members */
            members: string[];
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
         * OptionView
         * @description One possible answer; `effect` says what it does.
         */
        OptionView: {
            /** Id */
            id: string;
            /** Label */
            label: string;
            /**
             * Effect
             * @enum {string}
             */
            effect: "allow" | "allow_always" | "deny" | "reply";
            /**
             * Needs Text
             * @description words must come with it: feedback, or an amount
             */
            needs_text: boolean;
            /**
             * Detail
             * @description the effect in words
             */
            detail: string | null;
        };
        /**
         * Order
         * @description The direction of a list.
         * @enum {string}
         */
        Order: "asc" | "desc";
        /**
         * OrderWaitView
         * @description The first thing that is missing for an order to be taken.
         */
        OrderWaitView: {
            /**
             * Code
             * @enum {string}
             */
            code: "no_worker" | "missing_label" | "other_version" | "draining" | "full" | "soon";
            /** Text */
            text: string;
            /**
             * Missing
             * @description labels that no single connected worker has
             */
            missing: string[];
            /**
             * Needs Person
             * @description no worker takes it unless a person starts, upgrades or undrains one
             */
            needs_person: boolean;
        };
        /**
         * Outcome
         * @description Whether a call changed its files.
         * @enum {string}
         */
        Outcome: "applied" | "failed" | "pending";
        /**
         * OutlineView
         * @description The outline of a run: the kinds of its messages, errors, tools, files and contexts.
         */
        OutlineView: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /**
             * Kinds
             * @description a letter for each message: user, assistant, both answer and thought, thought, system, call, result, error, other
             */
            kinds: string;
            /**
             * Lanes
             * @description where another branch speaks than before
             */
            lanes: components["schemas"]["LaneView"][];
            /**
             * Contexts
             * @description of the messages whose usage is known
             */
            contexts: components["schemas"]["ContextView"][];
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
            /**
             * Has More
             * @description a later part begins after `last_ord`
             */
            has_more: boolean;
        };
        /**
         * PhaseView
         * @description A part of an attempt: its agent, its gates, or a wait for a person.
         */
        PhaseView: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "agent" | "gate" | "wait";
            /** From */
            from: number;
            /**
             * To
             * @description null: it goes on
             */
            to: number | null;
        };
        /**
         * PlayBars
         * @description The attempts of a play in the timeline.
         */
        PlayBars: {
            /** Name */
            name: string;
            /** Attempts */
            attempts: components["schemas"]["AttemptBar"][];
        };
        /**
         * PlayChanges
         * @description The sum of a play's changes.
         */
        PlayChanges: {
            /** Files */
            files: number;
            /** Additions */
            additions: number;
            /** Deletions */
            deletions: number;
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
            /**
             * Transitions
             * @description the status history, oldest first
             * @default []
             */
            transitions: components["schemas"]["TransitionView"][];
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
            /**
             * Left Out
             * @description its files that are in no commit
             * @default []
             */
            left_out: components["schemas"]["LeftOutView"][];
            /**
             * Left Out Dir
             * @description the folder that has them after the merge
             */
            left_out_dir?: string | null;
            /**
             * Checkout Kept
             * @description why its checkout was not removed
             */
            checkout_kept?: string | null;
            /** @description of all its attempts */
            usage?: components["schemas"]["AgentUsageView"] | null;
            /**
             * Confinement
             * @description whether its agent was confined, or why not
             */
            confinement?: string | null;
            /**
             * Conflict
             * @description files that conflict with the integration branch
             * @default []
             */
            conflict: string[];
            /**
             * Changed Files
             * @description files that its collected work changes
             */
            changed_files?: number | null;
            /** @description null for a show on one machine */
            worker?: components["schemas"]["PlayWorkerView"] | null;
            /** Error */
            error?: string | null;
        };
        /**
         * PlayWorkerView
         * @description The worker of the newest order of a play or of the director, or the reason why that waits for one.
         */
        PlayWorkerView: {
            /**
             * Work
             * @description show, attempt, gates, merge or final_gates
             */
            work: string;
            /** Worker Id */
            worker_id: string | null;
            /** Name */
            name: string | null;
            /** Fence */
            fence: number;
            /**
             * Since
             * @description when the worker took it
             */
            since: number | null;
            /**
             * Is Open
             * @description false: the worker of the last attempt, which has ended
             */
            is_open: boolean;
            /**
             * Wait
             * @description why no worker has it yet
             */
            wait: string | null;
            /**
             * Wait Short
             * @description the same in a few words
             */
            wait_short: string | null;
            /**
             * Needs Person
             * @description no worker takes it unless a person starts, upgrades or undrains one
             */
            needs_person: boolean;
        };
        /**
         * PlaybookArgument
         * @description An argument of a playbook, as a field of a form.
         */
        PlaybookArgument: {
            /** Name */
            name: string;
            /**
             * Type
             * @description str, int, float or bool
             */
            type: string;
            /** Default */
            default: string | number | boolean | null;
            /** Help */
            help: string | null;
            /** Required */
            required: boolean;
        };
        /**
         * PlaybookChoice
         * @description A playbook with its arguments.
         */
        PlaybookChoice: {
            /** Name */
            name: string;
            /** Description */
            description: string | null;
            /** Agents */
            agents: string[];
            /** Args */
            args: components["schemas"]["PlaybookArgument"][];
            /**
             * Takes Input
             * @description its prompt has a place for the input
             */
            takes_input: boolean;
            /** Problem */
            problem: string | null;
        };
        /**
         * PluginDetail
         * @description A plugin with its content.
         */
        PluginDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            plugin: components["schemas"]["PluginView"];
            /** Readme */
            readme: string | null;
            /** Texts */
            texts: components["schemas"]["PluginText"][];
            /** Hooks */
            hooks: components["schemas"]["PluginHook"][];
            /** Servers */
            servers: components["schemas"]["PluginServer"][];
        };
        /**
         * PluginHook
         * @description A hook: the event, the tools it is for, and what it runs.
         */
        PluginHook: {
            /** Event */
            event: string;
            /** Matcher */
            matcher: string;
            /** Type */
            type: string;
            /** Action */
            action: string;
            /** Path */
            path: string;
        };
        /**
         * PluginServer
         * @description An MCP server; its variables and headers have names and no values.
         */
        PluginServer: {
            /** Name */
            name: string;
            /** Command */
            command: string | null;
            /** Url */
            url: string | null;
            /** Variables */
            variables: string[];
            /** Headers */
            headers: string[];
            /** Path */
            path: string;
        };
        /**
         * PluginText
         * @description A skill, an agent or a command: its text without the front matter, and the files beside a skill.
         */
        PluginText: {
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Path */
            path: string;
            /** Text */
            text: string | null;
            /** Files */
            files: string[];
        };
        /**
         * PluginView
         * @description A plugin with its components; `error` and `problems` are set for one that did not load.
         */
        PluginView: {
            /** Kind */
            kind: string;
            /** Id */
            id: string;
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
            /**
             * Read Only
             * @description Claude Code manages it, or its folder cannot be written
             */
            read_only: boolean;
            /**
             * Newest
             * @description the version that is used instead of this one
             */
            newest: string | null;
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
            /**
             * Left Messages
             * @description messages of deleted sessions that stay in the file without `orphans`
             */
            left_messages: number;
            /** Left Bytes */
            left_bytes: number;
            /**
             * Newest At
             * @description the last update of any session; a clock far from it may be wrong
             */
            newest_at: number | null;
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
         * QuestionDetail
         * @description One question.
         */
        QuestionDetail: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            question: components["schemas"]["QuestionView"];
        };
        /**
         * QuestionList
         * @description Questions, and the number of all that are open.
         */
        QuestionList: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Questions */
            questions: components["schemas"]["QuestionView"][];
            /** Open */
            open: number;
        };
        /**
         * QuestionView
         * @description A question; `evidence` is what is asked, in full (`evidence_cut` in lists, when it is long).
         */
        QuestionView: {
            /** Id */
            id: string;
            /** Created At */
            created_at: number;
            /**
             * Kind
             * @enum {string}
             */
            kind: "permission" | "question" | "gate" | "budget" | "escalation" | "conflict";
            /**
             * Status
             * @enum {string}
             */
            status: "asked" | "shown" | "answered" | "taken" | "withdrawn" | "expired";
            /** Title */
            title: string;
            /** Fingerprint */
            fingerprint: string;
            /** Session Id */
            session_id: string | null;
            /** Session Name */
            session_name: string | null;
            /** Branch Id */
            branch_id: string | null;
            /** Show Topic */
            show_topic: string | null;
            /** Play Name */
            play_name: string | null;
            /** Attempt */
            attempt: number | null;
            /** Reason */
            reason: string;
            /** Evidence */
            evidence: {
                [key: string]: unknown;
            };
            /** Evidence Cut */
            evidence_cut: boolean;
            /** Options */
            options: components["schemas"]["OptionView"][];
            /** Takes Text */
            takes_text: boolean;
            /** Takes Arguments */
            takes_arguments: boolean;
            /** Outlives */
            outlives: boolean;
            /** Shown At */
            shown_at: number | null;
            /** Answered At */
            answered_at: number | null;
            answer: components["schemas"]["AnswerView"] | null;
            /** Answered By */
            answered_by: string | null;
            /** Answered From */
            answered_from: {
                [key: string]: unknown;
            } | null;
            /** Taken At */
            taken_at: number | null;
            /** Taken Ord */
            taken_ord: number | null;
            /** Taken Session */
            taken_session: string | null;
            /** Closed Reason */
            closed_reason: string | null;
            /**
             * Machine
             * @description the machine that it is answered on; null: here
             */
            machine: string | null;
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
         * ReceiptView
         * @description A message to a running agent; `taken_ord` is null while it is queued.
         */
        ReceiptView: {
            /** Id */
            id: string;
            /** Created At */
            created_at: number;
            /** Sender */
            sender: string | null;
            /** Text */
            text: string;
            /** Delivery */
            delivery: string | null;
            /** Taken Ord */
            taken_ord: number | null;
        };
        /**
         * RemovedRun
         * @description The rows that were deleted.
         */
        RemovedRun: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Id */
            id: string;
            /** Sessions */
            sessions: number;
            /** Messages */
            messages: number;
            /**
             * Kept Messages
             * @description messages that another run has too
             */
            kept_messages: number;
            /** Bytes Freed */
            bytes_freed: number;
        };
        /**
         * RemovedWorker
         * @description The worker that was removed.
         */
        RemovedWorker: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Id */
            id: string;
            /** Name */
            name: string;
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
         * RunChanges
         * @description The files that a run or one of its branches changed.
         */
        RunChanges: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Session Id */
            session_id: string;
            /** Branch Id */
            branch_id: string | null;
            /** Added */
            added: number;
            /** Removed */
            removed: number;
            /** Is Partial */
            is_partial: boolean;
            /** Files */
            files: components["schemas"]["RunFileChangesView"][];
            /**
             * File Count
             * @description all files; `files` may have fewer
             */
            file_count: number;
            /**
             * Failed Calls
             * @description calls that were refused or failed, so that they changed nothing
             */
            failed_calls: number;
            /**
             * Pending Calls
             * @description calls without a result
             */
            pending_calls: number;
            /**
             * Next After
             * @description `after` of the next part of a very long run, else null
             */
            next_after: number | null;
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
            /** Artifacts */
            artifacts: components["schemas"]["ExpectedArtifact"][];
            /** Origins */
            origins: components["schemas"]["RunOrigin"][];
            /** Successors */
            successors: components["schemas"]["Successor"][];
            commands: components["schemas"]["Commands"];
            /** @description the connected terminal that it runs in */
            terminal: components["schemas"]["TerminalView"] | null;
            /**
             * Transitions
             * @description the status history, oldest first
             */
            transitions: components["schemas"]["TransitionView"][];
            /** Manifest */
            manifest: {
                [key: string]: unknown;
            } | null;
            /** Manifest Error */
            manifest_error: string | null;
        };
        /**
         * RunFileChangesView
         * @description A file over a run.
         */
        RunFileChangesView: {
            /**
             * Path
             * @description below the folder of the run, else absolute
             */
            path: string;
            kind: components["schemas"]["ChangeKind"];
            /** Old Path */
            old_path: string | null;
            /** Added */
            added: number;
            /** Removed */
            removed: number;
            /**
             * Is Partial
             * @description a call did not record its lines, so that the sums are too small
             */
            is_partial: boolean;
            /**
             * Ords
             * @description the ords of the calls
             */
            ords: number[];
            /**
             * Hunks
             * @description empty without `path`
             */
            hunks: components["schemas"]["RunHunkView"][];
            /**
             * Omitted
             * @description lines that were left out
             */
            omitted: number;
        };
        /**
         * RunHealth
         * @description The health of a run, with ADR-0019's `stale`.
         * @enum {string}
         */
        RunHealth: "ok" | "running" | "waiting" | "idle" | "stale" | "stalled" | "process_dead" | "orphaned" | "unknown";
        /**
         * RunHitsView
         * @description A run and its first matching messages; `session_id` is null for messages without a run.
         */
        RunHitsView: {
            /** Session Id */
            session_id: string | null;
            /** Name */
            name: string | null;
            /** Project */
            project: string | null;
            /** Agent Name */
            agent_name: string | null;
            state: components["schemas"]["StatusLabel"] | null;
            /**
             * Count
             * @description matching messages of the run among the counted ones
             */
            count: number;
            /** Hits */
            hits: components["schemas"]["HitView"][];
        };
        /**
         * RunHunkView
         * @description A hunk, and the message whose call made it.
         */
        RunHunkView: {
            /**
             * Lines
             * @description each begins with its mark: a space, +, - or \
             */
            lines: string[];
            /**
             * Old Start
             * @description the number of the first line; null if only the changed text is known
             */
            old_start: number | null;
            /** New Start */
            new_start: number | null;
            /** Header */
            header: string;
            /** Ord */
            ord: number;
            /** Call Id */
            call_id: string;
        };
        /**
         * RunLabels
         * @description The fields to change; a name or note that is null or blank is removed.
         */
        RunLabels: {
            /** Name */
            name?: string | null;
            /** Note */
            note?: string | null;
            /**
             * Tags
             * @description the tags that the run has from now on
             */
            tags?: string[] | null;
        };
        /**
         * RunOrigin
         * @description A run that another one continues, retries or was forked from.
         */
        RunOrigin: {
            /** Id */
            id: string;
            /**
             * Relation
             * @description continues, retries or forked_from
             */
            relation: string;
            /**
             * Name
             * @description null for a run that was deleted
             */
            name: string | null;
        };
        /**
         * RunRequest
         * @description The request of a run, to start it again; `problem` is the reason why Studio cannot.
         */
        RunRequest: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /**
             * Kind
             * @description agent or playbook
             */
            kind: string;
            /** Target */
            target: string | null;
            /** Prompt */
            prompt: string;
            /** Folder */
            folder: string | null;
            /** Options */
            options: {
                [key: string]: unknown;
            };
            /** Args */
            args: {
                [key: string]: string;
            };
            /** Problem */
            problem: string | null;
        };
        /**
         * RunTotals
         * @description The number of runs that filters leave, and the sums of their tokens and known costs.
         */
        RunTotals: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Runs */
            runs: number;
            /**
             * More
             * @description more runs exist than were counted and summed
             */
            more: boolean;
            /**
             * Tokens
             * @description input, output, cache read and cache write
             */
            tokens: number;
            /**
             * Cost Microusd
             * @description null where no price is known
             */
            cost_microusd: number | null;
            /**
             * All Runs
             * @description the number of runs without filters
             */
            all_runs: number;
        };
        /**
         * RunView
         * @description A session in a list.
         */
        RunView: {
            /** Id */
            id: string;
            /**
             * Display Name
             * @description name, else show / play, title, playbook, agent, or the start of the id
             */
            display_name: string;
            /** Created At */
            created_at: number;
            /** Updated At */
            updated_at: number | null;
            /**
             * Name
             * @description the name a person gave
             */
            name: string | null;
            /**
             * Title
             * @description the first line of the prompt
             */
            title: string | null;
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
            /** Source Name */
            source_name: string;
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
            /**
             * Conversation Id
             * @description the vendor's id of the conversation
             */
            conversation_id: string | null;
            /**
             * Continues
             * @description the run that it resumed
             */
            continues: string | null;
            /**
             * Retries
             * @description the run that it repeats
             */
            retries: string | null;
            /**
             * Forked From
             * @description the run that it was forked from
             */
            forked_from: string | null;
            /** Note */
            note: string | null;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /**
             * Machine Id
             * @description the machine that it ran on, or that imported it
             */
            machine_id: string | null;
            /**
             * Machine Name
             * @description its name, if it pushes to this database
             */
            machine_name: string | null;
        };
        /**
         * Runs
         * @description A page of runs, in the order that was asked for.
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
         * SearchFilters
         * @description The values that a search can be narrowed by.
         */
        SearchFilters: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Modes */
            modes: components["schemas"]["SearchMode"][];
            /** Roles */
            roles: string[];
            /**
             * Tools
             * @description tools of the newest messages, the most used first
             */
            tools: string[];
        };
        /**
         * SearchMode
         * @description A mode of the search; `reason` says why it cannot be used, and `hint` what to do.
         */
        SearchMode: {
            /**
             * Mode
             * @enum {string}
             */
            mode: "words" | "semantic" | "hybrid";
            /** Reason */
            reason: string | null;
            /** Hint */
            hint: string | null;
        };
        /**
         * SearchPathView
         * @description A folder of the search path; `refused` is the reason why it was not read, `hint` the command that changes it.
         */
        SearchPathView: {
            /** Path */
            path: string;
            /** Origin */
            origin: string;
            /** Refused */
            refused: string | null;
            /** Hint */
            hint?: string | null;
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
         * SentToSession
         * @description The message that was queued.
         */
        SentToSession: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            message: components["schemas"]["ReceiptView"];
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
            /** Artifacts */
            artifacts: components["schemas"]["ExpectedArtifact"][];
            /** Origins */
            origins: components["schemas"]["RunOrigin"][];
            /** Successors */
            successors: components["schemas"]["Successor"][];
            commands: components["schemas"]["Commands"];
            /** @description the connected terminal that it runs in */
            terminal: components["schemas"]["TerminalView"] | null;
            /**
             * Transitions
             * @description the status history, oldest first
             */
            transitions: components["schemas"]["TransitionView"][];
        };
        /**
         * SessionInbox
         * @description The messages to a session, and how one can be written now (empty: not at all).
         */
        SessionInbox: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Messages */
            messages: components["schemas"]["ReceiptView"][];
            /** Deliveries */
            deliveries: ("now" | "next" | "instead")[];
        };
        /**
         * SettingChange
         * @description The new value as text, or null to remove it from config.toml.
         */
        SettingChange: {
            /** Value */
            value: string | null;
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
            /**
             * Kind
             * @enum {string}
             */
            kind: "text" | "path" | "integer" | "boolean" | "choice";
            /** Choices */
            choices: string[];
            /**
             * Hidden
             * @description the value may hold a key and is shown in part
             */
            hidden: boolean;
            /**
             * Locked
             * @description why it cannot be changed here
             */
            locked: string | null;
            /**
             * In Use
             * @description the value that this server started with
             */
            in_use: string | number | boolean | null;
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
         * ShowChanges
         * @description The changes of each play that has commits.
         */
        ShowChanges: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Plays */
            plays: {
                [key: string]: components["schemas"]["PlayChanges"];
            };
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
            /**
             * Waits For
             * @description what needs a person
             * @default []
             */
            waits_for: components["schemas"]["WaitView"][];
            usage?: components["schemas"]["AgentUsageView"] | null;
            /** Error */
            error?: string | null;
        };
        /**
         * ShowTimeline
         * @description The attempts of every play that has begun.
         */
        ShowTimeline: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Topic */
            topic: string;
            /** Plays */
            plays: components["schemas"]["PlayBars"][];
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
            usage?: components["schemas"]["AgentUsageView"] | null;
            /** Final Verdict */
            final_verdict?: {
                [key: string]: unknown;
            } | null;
            /** @description what a decision about the show is about */
            held_back?: components["schemas"]["HeldBackView"] | null;
            /**
             * Plan Error
             * @description why the director ignores an edit of the plan
             */
            plan_error?: string | null;
            /**
             * Waits For
             * @description what needs a person
             * @default []
             */
            waits_for: components["schemas"]["WaitView"][];
            /**
             * Budget
             * @description the limited parts, with what was granted
             * @default []
             */
            budget: components["schemas"]["BudgetPartView"][];
            /**
             * Started At
             * @description start of the first play
             */
            started_at?: number | null;
            /** Ended At */
            ended_at?: number | null;
            /**
             * Commit
             * @description the last merge on the integration branch
             */
            commit?: string | null;
            /**
             * Directed
             * @description whether its director is running
             * @default false
             */
            directed: boolean;
            /** @description its worker; null for a show on one machine */
            director?: components["schemas"]["PlayWorkerView"] | null;
            /**
             * By Workers
             * @description whether workers play it: then its rows are read, no folder
             * @default false
             */
            by_workers: boolean;
            /**
             * Machines
             * @description workers that direct it or have one of its plays now
             * @default []
             */
            machines: string[];
            /**
             * Error
             * @description why its folder was not read
             */
            error: string | null;
            /**
             * Transitions
             * @description the status history, oldest first
             * @default []
             */
            transitions: components["schemas"]["TransitionView"][];
        };
        /**
         * ShownQuestions
         * @description Questions that a page has displayed.
         */
        ShownQuestions: {
            /** Ids */
            ids: string[];
        };
        /**
         * ShownSubject
         * @description The subject of a decision; the request repeats it, and is refused when it has changed.
         */
        ShownSubject: {
            /**
             * Attempt
             * @description of the play
             */
            attempt?: number | null;
            /**
             * Head
             * @description the commit with the work of the play
             */
            head?: string | null;
            /**
             * Plan
             * @description SHA-256 of the edited plan that is held back
             */
            plan?: string | null;
            /**
             * Commits
             * @description commits of others on the integration branch
             * @default []
             */
            commits: string[];
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
         * SignInView
         * @description A one-time code; omitted by a client that sends the token.
         */
        SignInView: {
            /** Code */
            code: string;
        };
        /**
         * SignedIn
         * @description A new session; the cookie is its other half.
         */
        SignedIn: {
            /** Id */
            id: string;
            /**
             * Secret
             * @description sent by the page in the header Lion-Session of every request
             */
            secret: string;
        };
        /**
         * Snooze
         * @description The time for which an item is hidden.
         */
        Snooze: {
            /** Seconds */
            seconds: number;
        };
        /**
         * Sort
         * @description The columns that a list can be sorted by.
         * @enum {string}
         */
        Sort: "created" | "updated" | "duration" | "cost" | "tokens" | "messages" | "name" | "status";
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
            severity: "neutral" | "info" | "warning" | "critical";
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
            /**
             * Summary
             * @description of a run that ended without success: its first reason, in one line
             */
            summary: string | null;
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
         * StatusLabel
         * @description A status as people read it.
         */
        StatusLabel: {
            /** Status */
            status: string;
            /** Label */
            label: string;
            /**
             * Tone
             * @enum {string}
             */
            tone: "success" | "info" | "warning" | "danger" | "neutral";
            /**
             * Icon
             * @enum {string}
             */
            icon: "alert" | "ban" | "check" | "circle" | "circle-dashed" | "clock-pause" | "cross" | "disconnected" | "hourglass" | "lock" | "merge" | "person" | "refresh" | "spinner";
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
         * StudioSessionList
         * @description The signed-in browsers, the last one seen first.
         */
        StudioSessionList: {
            /** Sessions */
            sessions: components["schemas"]["StudioSessionView"][];
        };
        /**
         * StudioSessionView
         * @description A signed-in browser.
         */
        StudioSessionView: {
            /** Id */
            id: string;
            /** Created At */
            created_at: number;
            /** Last Seen At */
            last_seen_at: number;
            /** Expires At */
            expires_at: number;
            /** User Agent */
            user_agent: string | null;
            /** Address */
            address: string | null;
            /**
             * Is Current
             * @description the browser that sent this request
             */
            is_current: boolean;
        };
        /**
         * Successor
         * @description A run that continued, retried or forked another.
         */
        Successor: {
            /** Id */
            id: string;
            /** Name */
            name: string | null;
            /**
             * Relation
             * @description continued, retried or forked
             */
            relation: string;
            /** Status */
            status: string | null;
            /** Created At */
            created_at: number;
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
         * TerminalState
         * @enum {string}
         */
        TerminalState: "working" | "waiting" | "idle" | "ended";
        /**
         * TerminalView
         * @description A vendor's program in a terminal of the user, as its hooks report it.
         */
        TerminalView: {
            /** Tool */
            tool: string;
            /** Conversation Id */
            conversation_id: string;
            /** Session Id */
            session_id: string;
            state: components["schemas"]["TerminalState"];
            /** Label */
            label: string;
            /** Since */
            since: number;
            /** Cwd */
            cwd: string | null;
            /** Hooks Version */
            hooks_version: number;
            /** Last Event */
            last_event: string;
            /** Last Event At */
            last_event_at: number;
            /** Events */
            events: number;
            /**
             * Unknown Events
             * @description events of a newer program, which are ignored
             */
            unknown_events: number;
        };
        /**
         * Terminals
         * @description The terminals whose program runs, newest event first.
         */
        Terminals: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Terminals */
            terminals: components["schemas"]["TerminalView"][];
            /**
             * Listens
             * @description whether this Studio takes the events of hooks; one of a home does
             */
            listens: boolean;
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
            /**
             * Ord
             * @description the ord of the result
             */
            ord: number;
            /**
             * Call Ord
             * @description the ord of the call, which is the number of both on the page
             */
            call_ord: number | null;
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
         * TransitionView
         * @description A change of status.
         */
        TransitionView: {
            /** At */
            at: number;
            /**
             * Previous
             * @description null: created with this status
             */
            previous: string | null;
            /** Status */
            status: string;
            /** Reason Code */
            reason_code: string | null;
            /**
             * Source
             * @description run, stop, doctor, director, decision, files, mirror, import; other: another tool
             */
            source: string | null;
            /**
             * Actor
             * @description the user or process behind the change
             */
            actor: string | null;
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
            transitions: components["schemas"]["DeadRunView"][];
        };
        /**
         * UsageBucket
         * @description An hour, day, week or block.
         */
        UsageBucket: {
            /** At */
            at: number;
            /** Until */
            until: number;
            /** Label */
            label: string;
            usage: components["schemas"]["UsageView"] | null;
            /** Seconds */
            seconds: number | null;
            /**
             * Parts
             * @description without those that are zero
             */
            parts: components["schemas"]["UsagePart"][];
        };
        /**
         * UsageBudget
         * @description The setting `usage_budget_usd` and the cost of the current month.
         */
        UsageBudget: {
            /** Month */
            month: string;
            /** Limit Microusd */
            limit_microusd: number;
            spent: components["schemas"]["UsageView"];
        };
        /**
         * UsageMeasure
         * @enum {string}
         */
        UsageMeasure: "usage" | "time" | "waiting";
        /**
         * UsageName
         * @enum {string}
         */
        UsageName: "model" | "project" | "agent" | "show" | "run";
        /**
         * UsagePart
         * @description The part of one model, project, agent, show or run.
         */
        UsagePart: {
            /**
             * Name
             * @description "" for runs without one; null for all others together
             */
            name: string | null;
            /** @description null when the measure is a time */
            usage: components["schemas"]["UsageView"] | null;
            /**
             * Seconds
             * @description null when the measure is usage
             */
            seconds: number | null;
            /** Runs */
            runs: number;
        };
        /**
         * UsageReport
         * @description Sums over a range.
         */
        UsageReport: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Since */
            since: number;
            /** Until */
            until: number;
            /** Timezone */
            timezone: string;
            /** By */
            by: string;
            /** Stack */
            stack: string | null;
            measure: components["schemas"]["UsageMeasure"];
            total: components["schemas"]["UsagePart"];
            /**
             * Parts
             * @description the largest first, the rest as one
             */
            parts: components["schemas"]["UsagePart"][];
            /** Buckets */
            buckets: components["schemas"]["UsageBucket"][];
            /** Top Runs */
            top_runs: components["schemas"]["UsageRun"][];
            /** @description null without the setting */
            budget: components["schemas"]["UsageBudget"] | null;
        };
        /**
         * UsageRun
         * @description A run with its usage in the range.
         */
        UsageRun: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Project */
            project: string | null;
            usage: components["schemas"]["UsageView"];
        };
        /**
         * UsageSince
         * @description The usage since a moment.
         */
        UsageSince: {
            /** Since */
            since: number;
            usage: components["schemas"]["UsageView"];
            /**
             * Runs
             * @description runs that used tokens
             */
            runs: number;
        };
        /**
         * UsageSums
         * @description The usage since each moment of the request, in its order.
         */
        UsageSums: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /** Sums */
            sums: components["schemas"]["UsageSince"][];
        };
        /**
         * UsageTime
         * @enum {string}
         */
        UsageTime: "hour" | "day" | "week" | "block";
        /**
         * UsageView
         * @description Tokens and money; the same numbers and names everywhere.
         */
        UsageView: {
            /**
             * Input
             * @description tokens sent, without those of the cache
             */
            input: number;
            /** Output */
            output: number;
            /**
             * Cache Read
             * @description tokens read from the cache
             */
            cache_read: number;
            /**
             * Cache Write
             * @description tokens written to the cache
             */
            cache_write: number;
            /**
             * Total
             * @description the sum of these four
             */
            total: number;
            /**
             * Cost Microusd
             * @description of the tokens with a known price; null when there are none
             */
            cost_microusd: number | null;
            /**
             * Unpriced Tokens
             * @description tokens whose price is unknown; they are not in the cost
             */
            unpriced_tokens: number;
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
         * WaitView
         * @description One thing that a show waits for.
         */
        WaitView: {
            /**
             * Play
             * @description null: the show itself
             */
            play: string | null;
            /**
             * Kind
             * @description the kind of the question, or the status of a play without one
             */
            kind: string;
            /** Title */
            title: string;
        };
        /**
         * Waiting
         * @description An item that needs a person.
         */
        Waiting: {
            /**
             * Id
             * @description kind:entity:reason
             */
            id: string;
            /**
             * State
             * @description a dismissed or snoozed item is listed again when this changes
             */
            state: string;
            /** Dismissed */
            dismissed: boolean;
            /**
             * Snoozed Until
             * @description hidden until then
             */
            snoozed_until: number | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "question" | "run" | "play" | "show" | "refused";
            /**
             * Rank
             * @description 1 waits for an answer, 2 escalated, 3 stuck, dead or refused, 4 failed
             */
            rank: number;
            /**
             * Cluster
             * @description items with the same key have the same reason
             */
            cluster: string;
            /**
             * Question
             * @description the open question that it stands for
             */
            question: string | null;
            /**
             * Count
             * @description the number of questions or refusals that it stands for
             */
            count: number;
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
            /**
             * Held
             * @description the changes that are held back and that it decides about
             */
            held: string[];
        };
        /**
         * WaitingOrder
         * @description An order that waits for a worker.
         */
        WaitingOrder: {
            /** Id */
            id: string;
            /** Topic */
            topic: string;
            /** Play */
            play: string | null;
            /**
             * Work
             * @enum {string}
             */
            work: "show" | "attempt" | "gates" | "merge" | "final_gates";
            /**
             * Needs
             * @description labels that a worker must have
             */
            needs: string[];
            /** Ordered At */
            ordered_at: number;
            wait: components["schemas"]["OrderWaitView"];
        };
        /**
         * WorkerView
         * @description A worker; all times are by the clock of the database.
         */
        WorkerView: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Machine Id */
            machine_id: string | null;
            /**
             * Machine Name
             * @description the name of its machine, if that pushes to this database
             */
            machine_name: string | null;
            /** Labels */
            labels: string[];
            /**
             * At Once
             * @description plays that it carries out at once; directing a show and a merge do not count
             */
            at_once: number;
            /**
             * Load
             * @description orders that count against `at_once`
             */
            load: number;
            /** Version */
            version: string;
            /**
             * Is Same Version
             * @description as this Studio; a worker of another version may take nothing
             */
            is_same_version: boolean;
            /**
             * Sandbox
             * @description how it confines programs; null: it cannot
             */
            sandbox: string | null;
            /**
             * Draining
             * @description a person wants it to take nothing new
             */
            draining: boolean;
            /**
             * Stopping
             * @description it ends when it has completed its orders
             */
            stopping: boolean;
            /** Started At */
            started_at: number;
            /** Seen At */
            seen_at: number;
            /**
             * Silent Seconds
             * @description since it was seen last
             */
            silent_seconds: number;
            /** Stopped At */
            stopped_at: number | null;
            /**
             * Is Connected
             * @description not stopped, and seen within a lease
             */
            is_connected: boolean;
            /**
             * Orders
             * @description the orders that it carries out now, oldest first
             */
            orders: components["schemas"]["HeldOrderView"][];
            state: components["schemas"]["StateView"];
        };
        /**
         * Workers
         * @description Every worker by name, and the orders that wait for one, oldest first.
         */
        Workers: {
            /**
             * Seq
             * @description the number of the newest change in this response; streams start after it
             */
            seq: number;
            /**
             * Is Hub
             * @description whether this database can have workers
             */
            is_hub: boolean;
            /** Workers */
            workers: components["schemas"]["WorkerView"][];
            /**
             * Waiting
             * @description at most 200
             */
            waiting: components["schemas"]["WaitingOrder"][];
            /** Waiting Total */
            waiting_total: number;
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
             * Field
             * @description the field of the request that caused it
             * @default null
             */
            field: string | null;
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
    sign_in_api_login_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SignInView"] | null;
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
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    sign_out_api_logout_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the session has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_studio_sessions_api_admin_studio_sessions_get: {
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
                    "application/json": components["schemas"]["StudioSessionList"];
                };
            };
        };
    };
    end_one_session_api_admin_studio_sessions__session_id__delete: {
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
            /** @description the session has ended */
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
    dismiss_item_api_attention__item_id__dismiss_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
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
                    "application/json": components["schemas"]["Dismissal"];
                };
            };
        };
    };
    restore_item_api_attention__item_id__dismiss_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
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
                    "application/json": components["schemas"]["Dismissal"];
                };
            };
        };
    };
    snooze_item_api_attention__item_id__snooze_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Snooze"];
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
                    "application/json": components["schemas"]["Dismissal"];
                };
            };
        };
    };
    search_messages_api_search_get: {
        parameters: {
            query?: {
                q?: string;
                project?: string | null;
                session?: string | null;
                since?: number | null;
                agent?: string | null;
                status?: string | null;
                role?: string | null;
                tool?: string | null;
                file?: string | null;
                ranked?: boolean;
                mode?: "words" | "semantic" | "hybrid";
                group?: boolean;
                /** @description messages, or runs with `group` */
                limit?: number;
                /** @description messages of a run with `group` */
                per_run?: number;
                /** @description `next` of the page before */
                below?: number | null;
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
    get_search_filters_api_search_filters_get: {
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
                    "application/json": components["schemas"]["SearchFilters"];
                };
            };
        };
    };
    find_names_api_find_get: {
        parameters: {
            query?: {
                q?: string;
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
                    "application/json": components["schemas"]["Names"];
                };
            };
        };
    };
    list_runs_api_runs_get: {
        parameters: {
            query?: {
                health?: components["schemas"]["RunHealth"][] | null;
                sort?: components["schemas"]["Sort"];
                order?: components["schemas"]["Order"];
                cursor?: string | null;
                limit?: number;
                /** @description any of these; repeat it for several */
                status?: string[] | null;
                /** @description any of these; repeat it for several */
                kind?: string[] | null;
                /** @description any of these; repeat it for several */
                source?: string[] | null;
                /** @description any of these; repeat it for several */
                project?: string[] | null;
                /** @description any of these; repeat it for several */
                agent?: string[] | null;
                /** @description any of these; repeat it for several */
                playbook?: string[] | null;
                /** @description any of these; repeat it for several */
                show?: string[] | null;
                /** @description any of these; repeat it for several */
                name?: string[] | null;
                /** @description any of these; repeat it for several */
                model?: string[] | null;
                /** @description any of these; repeat it for several */
                tag?: string[] | null;
                /** @description any of these; repeat it for several */
                machine?: string[] | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
                /** @description text in the names of a run, or the start of an id */
                q?: string | null;
                card?: components["schemas"]["Card"] | null;
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
                /** @description any of these; repeat it for several */
                status?: string[] | null;
                /** @description any of these; repeat it for several */
                kind?: string[] | null;
                /** @description any of these; repeat it for several */
                source?: string[] | null;
                /** @description any of these; repeat it for several */
                project?: string[] | null;
                /** @description any of these; repeat it for several */
                agent?: string[] | null;
                /** @description any of these; repeat it for several */
                playbook?: string[] | null;
                /** @description any of these; repeat it for several */
                show?: string[] | null;
                /** @description any of these; repeat it for several */
                name?: string[] | null;
                /** @description any of these; repeat it for several */
                model?: string[] | null;
                /** @description any of these; repeat it for several */
                tag?: string[] | null;
                /** @description any of these; repeat it for several */
                machine?: string[] | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
                /** @description text in the names of a run, or the start of an id */
                q?: string | null;
                card?: components["schemas"]["Card"] | null;
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
    get_totals_api_totals_get: {
        parameters: {
            query?: {
                health?: components["schemas"]["RunHealth"][] | null;
                /** @description any of these; repeat it for several */
                status?: string[] | null;
                /** @description any of these; repeat it for several */
                kind?: string[] | null;
                /** @description any of these; repeat it for several */
                source?: string[] | null;
                /** @description any of these; repeat it for several */
                project?: string[] | null;
                /** @description any of these; repeat it for several */
                agent?: string[] | null;
                /** @description any of these; repeat it for several */
                playbook?: string[] | null;
                /** @description any of these; repeat it for several */
                show?: string[] | null;
                /** @description any of these; repeat it for several */
                name?: string[] | null;
                /** @description any of these; repeat it for several */
                model?: string[] | null;
                /** @description any of these; repeat it for several */
                tag?: string[] | null;
                /** @description any of these; repeat it for several */
                machine?: string[] | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
                /** @description text in the names of a run, or the start of an id */
                q?: string | null;
                card?: components["schemas"]["Card"] | null;
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
                    "application/json": components["schemas"]["RunTotals"];
                };
            };
        };
    };
    list_terminals_api_terminals_get: {
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
                    "application/json": components["schemas"]["Terminals"];
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
    remove_run_api_runs__run_id__delete: {
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
                    "application/json": components["schemas"]["RemovedRun"];
                };
            };
        };
    };
    edit_run_api_runs__run_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunLabels"];
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
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
        };
    };
    get_request_api_runs__run_id__request_get: {
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
                    "application/json": components["schemas"]["RunRequest"];
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
                /** @description add the first lines that the calls of the page changed in files */
                changes?: boolean;
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
                /** @description add the first lines that the calls of the page changed in files */
                changes?: boolean;
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
                    "text/html": unknown;
                };
            };
        };
    };
    get_changes_api_sessions__session_id__changes_get: {
        parameters: {
            query?: {
                /** @description only the calls of this branch */
                branch?: string | null;
                /** @description only this file, with its hunks */
                path?: string | null;
                after?: number;
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
                    "application/json": components["schemas"]["RunChanges"];
                };
            };
        };
    };
    get_call_changes_api_sessions__session_id__messages__message_id__changes_get: {
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
                    "application/json": components["schemas"]["CallChangesAnswer"];
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
    list_questions_api_questions_get: {
        parameters: {
            query?: {
                status?: "open" | "all";
                session?: string | null;
                show?: string | null;
                limit?: number;
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
                    "application/json": components["schemas"]["QuestionList"];
                };
            };
        };
    };
    get_question_api_questions__question_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                question_id: string;
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
                    "application/json": components["schemas"]["QuestionDetail"];
                };
            };
        };
    };
    mark_questions_shown_api_questions_shown_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShownQuestions"];
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
                    "application/json": components["schemas"]["QuestionList"];
                };
            };
        };
    };
    answer_question_api_questions__question_id__answer_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                question_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAnswer"];
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
                    "application/json": components["schemas"]["QuestionDetail"];
                };
            };
        };
    };
    get_inbox_api_sessions__session_id__inbox_get: {
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
                    "application/json": components["schemas"]["SessionInbox"];
                };
            };
        };
    };
    send_message_api_sessions__session_id__inbox_post: {
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
                "application/json": components["schemas"]["NewSessionMessage"];
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
                    "application/json": components["schemas"]["SentToSession"];
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
    get_timeline_api_shows__topic__timeline_get: {
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
                    "application/json": components["schemas"]["ShowTimeline"];
                };
            };
        };
    };
    get_decisions_api_shows__topic__decisions_get: {
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
                    "application/json": components["schemas"]["Decisions"];
                };
            };
        };
    };
    get_changes_api_shows__topic__changes_get: {
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
                    "application/json": components["schemas"]["ShowChanges"];
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
    create_team_api_teams_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeam"];
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
                    "application/json": components["schemas"]["ChangedTeam"];
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
    add_team_members_api_teams__team_id__members_post: {
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
                "application/json": components["schemas"]["NewMembers"];
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
                    "application/json": components["schemas"]["ChangedTeam"];
                };
            };
        };
    };
    archive_team_api_teams__team_id__archive_post: {
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
                    "application/json": components["schemas"]["ChangedTeam"];
                };
            };
        };
    };
    reopen_team_api_teams__team_id__archive_delete: {
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
                    "application/json": components["schemas"]["ChangedTeam"];
                };
            };
        };
    };
    list_all_workers_api_workers_get: {
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
                    "application/json": components["schemas"]["Workers"];
                };
            };
        };
    };
    drain_api_workers__worker_id__drain_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: string;
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
                    "application/json": components["schemas"]["ChangedWorker"];
                };
            };
        };
    };
    undrain_api_workers__worker_id__drain_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: string;
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
                    "application/json": components["schemas"]["ChangedWorker"];
                };
            };
        };
    };
    remove_api_workers__worker_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: string;
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
                    "application/json": components["schemas"]["RemovedWorker"];
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
    get_plugin_api_plugins__plugin_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plugin_id: string;
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
                    "application/json": components["schemas"]["PluginDetail"];
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
    delete_definition_api_definitions__kind___name__delete: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string | null;
            };
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
                    "application/json": components["schemas"]["DeletedDefinition"];
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
    get_choices_api_launches_choices_get: {
        parameters: {
            query?: {
                folder?: string | null;
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
                    "application/json": components["schemas"]["LaunchChoices"];
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
    get_usage_api_usage_get: {
        parameters: {
            query?: {
                by?: components["schemas"]["UsageTime"];
                stack?: components["schemas"]["UsageName"] | null;
                measure?: components["schemas"]["UsageMeasure"];
                /** @description a name such as Europe/Berlin (default: ours) */
                timezone?: string | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
                model?: string | null;
                project?: string | null;
                agent?: string | null;
                show?: string | null;
                source?: string | null;
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
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
    get_usage_sums_api_usage_sums_get: {
        parameters: {
            query: {
                since: number[];
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
                    "application/json": components["schemas"]["UsageSums"];
                };
            };
        };
    };
    download_usage_api_usage_csv_get: {
        parameters: {
            query?: {
                by?: components["schemas"]["UsageTime"];
                stack?: components["schemas"]["UsageName"];
                measure?: components["schemas"]["UsageMeasure"];
                /** @description a name such as Europe/Berlin (default: ours) */
                timezone?: string | null;
                /** @description unix seconds */
                since?: number | null;
                /** @description unix seconds */
                until?: number | null;
                model?: string | null;
                project?: string | null;
                agent?: string | null;
                show?: string | null;
                source?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CSV */
            200: {
                headers: {
                    "Lion-Seq"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
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
    preview_doubles_api_admin_doctor_doubles_get: {
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
                    "application/json": components["schemas"]["Doubles"];
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
    get_history_api_admin_history_get: {
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
                    "application/json": components["schemas"]["Histories"];
                };
            };
        };
    };
    switch_following_api_admin_follow_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FollowSwitch"];
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
                    "application/json": components["schemas"]["FollowerAnswer"];
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
    change_setting_api_admin_settings__name__put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingChange"];
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
                    "application/json": components["schemas"]["ChangedSetting"];
                };
            };
        };
    };
}
