import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Team, teams } from "@/api/teams";
import { plural } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { List, ListRow, RowLink } from "@/ui/list/list-row";
import { Page } from "@/ui/page";
import { NewTeamDialog } from "./new-team-dialog";

export { TeamPage } from "./team-page";

export function TeamsPage() {
  const query = useQuery(teams());
  const [creating, setCreating] = useState(false);
  const create = (): void => setCreating(true);
  useShortcuts([{ keys: "n", label: "New team", group: "Teams", run: create }]);
  const button = (
    <Button leftSection={<IconPlus size={14} />} onClick={create}>
      New team
    </Button>
  );
  return (
    <Page title="Teams" actions={button}>
      <Loaded query={query} label="Teams">
        {(data) => (data.teams.length === 0 ? <NoTeams create={create} /> : <TeamList teams={data.teams} />)}
      </Loaded>
      {creating && <NewTeamDialog close={() => setCreating(false)} />}
    </Page>
  );
}

function TeamList({ teams }: { teams: Team[] }) {
  const navigate = useNavigate();
  const open = (index: number): void => {
    const teamId = teams[index]?.id;
    if (teamId) void navigate({ to: "/teams/$teamId", params: { teamId } });
  };
  const [at] = useListKeys({ count: teams.length, open, leave: () => void navigate({ to: "/" }) });
  return (
    <List label="Teams">
      {teams.map((team, index) => (
        <ListRow
          key={team.id ?? team.path}
          active={index === at}
          title={
            <>
              {team.id ? (
                <RowLink to="/teams/$teamId" params={{ teamId: team.id }}>
                  {team.name}
                </RowLink>
              ) : (
                team.name
              )}
              <StatePill state={team.state} />
            </>
          }
          description={team.members.join(", ") || "No members"}
          error={team.error}
        >
          <span className="muted">{plural(team.message_count, "message")}</span>
          <span className="muted">
            <RelativeTime at={team.updated_at} />
          </span>
        </ListRow>
      ))}
    </List>
  );
}

function NoTeams({ create }: { create: () => void }) {
  return (
    <EmptyState title="No teams yet" action={<Button onClick={create}>Create a team</Button>}>
      The agents of a team write to each other. An agent joins with <code>li agent … --team-mode NAME</code>. In a
      terminal: <code>li team create NAME --members a,b</code>.
    </EmptyState>
  );
}
