import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Team, teams } from "@/api/teams";
import { plural } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { List, ListRow, RowLink } from "@/ui/list/list-row";
import { Page } from "@/ui/page";

export { TeamPage } from "./team-page";

export function TeamsPage() {
  const query = useQuery(teams());
  return (
    <Page title="Teams">
      <Loaded query={query} label="Teams">
        {(data) => (data.teams.length === 0 ? <NoTeams /> : <TeamList teams={data.teams} />)}
      </Loaded>
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

function NoTeams() {
  return (
    <EmptyState title="No teams yet">
      The agents of a team write to each other. Create one with <code>li team create NAME --members a,b</code>, and let
      an agent join with <code>li agent … --team-mode NAME</code>.
    </EmptyState>
  );
}
