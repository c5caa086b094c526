// Teams and their messages.
import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./client";
import { keys, type Schema } from "./keys";

export type Team = Schema<"TeamView">;
export type TeamDetail = Schema<"TeamDetail">;
export type TeamMessage = Schema<"TeamMessageView">;

export const teams = () =>
  queryOptions({ queryKey: keys.teams(), queryFn: ({ signal }) => get("/api/teams", { signal }) });

export const team = (id: string) =>
  queryOptions({
    queryKey: keys.team(id),
    queryFn: ({ signal }) => get("/api/teams/{team_id}", { path: { team_id: id }, signal }),
  });

export const teamMessages = (id: string, limit: number) =>
  queryOptions({
    queryKey: keys.teamMessages(id, limit),
    queryFn: ({ signal }) => get("/api/teams/{team_id}/messages", { path: { team_id: id }, query: { limit }, signal }),
  });

/** Sends a message to some members; an empty list means all of them. */
export const sendTeamMessage = (id: string, text: string, to: string[]) =>
  post("/api/teams/{team_id}/messages", { path: { team_id: id }, body: { text, to, sender: "user" } });
