// Teams and their messages.
import { queryOptions } from "@tanstack/react-query";
import { get, post, remove } from "./client";
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

/** The name under which a person writes. */
export const SENDER = "user";

/** Sends a message to some members; an empty list means all of them. */
export const sendTeamMessage = (id: string, text: string, to: string[]) =>
  post("/api/teams/{team_id}/messages", { path: { team_id: id }, body: { text, to, sender: SENDER } });

type Changed = Schema<"ChangedTeam">;

export const createTeam = (name: string, members: string[]): Promise<Changed> =>
  post("/api/teams", { body: { name, members } });

export const addTeamMembers = (id: string, members: string[]): Promise<Changed> =>
  post("/api/teams/{team_id}/members", { path: { team_id: id }, body: { members } });

export const archiveTeam = (id: string): Promise<Changed> =>
  post("/api/teams/{team_id}/archive", { path: { team_id: id } });

export const reopenTeam = (id: string): Promise<Changed> =>
  remove("/api/teams/{team_id}/archive", { path: { team_id: id } });
