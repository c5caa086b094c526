// One team: messages, members and a composer.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useLayoutEffect, useRef, useState } from "react";
import { type TeamDetail, teamMessages, team as teamQuery } from "@/api/teams";
import { StatePill } from "@/ui/data/state-pill";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { Breadcrumb, Page } from "@/ui/page";
import { Composer } from "./composer";
import { Messages } from "./message-list";
import { TeamSidebar } from "./team-sidebar";
import classes from "./teams.module.css";

const PAGE_SIZE = 200;

export function TeamPage() {
  const { teamId } = useParams({ from: "/teams/$teamId" });
  const navigate = useNavigate();
  const query = useQuery(teamQuery(teamId));
  useShortcuts([
    {
      keys: "Escape",
      label: "Back to teams",
      group: "This team",
      run: () => void navigate({ to: "/teams" }),
    },
  ]);
  const detail = query.data;
  return (
    <Page
      title={detail?.team.name ?? teamId}
      before={<Breadcrumb to="/teams">Teams</Breadcrumb>}
      beside={<StatePill state={detail?.team.state} />}
      fill
    >
      <Loaded query={query} label="Team">
        {(data) => <TeamView id={teamId} detail={data} />}
      </Loaded>
    </Page>
  );
}

function TeamView({ id, detail }: { id: string; detail: TeamDetail }) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const query = useQuery({ ...teamMessages(id, limit), placeholderData: (before) => before });
  const end = useStickToBottom(query.data?.messages.at(-1)?.id);
  const archived = detail.team.status === "archived";
  return (
    <div className={classes.split}>
      <div className={classes.main}>
        <div className={classes.messageScroller} ref={end} tabIndex={0} data-scroll>
          <Loaded query={query} label="Messages">
            {(data) =>
              data.messages.length === 0 ? (
                <EmptyState title="No messages yet">Send the first one below.</EmptyState>
              ) : (
                <Messages
                  messages={data.messages}
                  linked={detail.linked}
                  older={data.has_more ? () => setLimit(Math.min(1000, limit + PAGE_SIZE)) : undefined}
                />
              )
            }
          </Loaded>
        </div>
        {archived ? (
          <div className={classes.archived}>This team is archived and read-only</div>
        ) : (
          <Composer id={id} members={detail.team.members} />
        )}
      </div>
      <TeamSidebar detail={detail} />
    </div>
  );
}

/** Keeps an element scrolled to its end when something arrives, unless the user has scrolled up. */
function useStickToBottom(newest: string | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const scrolledUp = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || newest === undefined) return;
    if (!scrolledUp.current) element.scrollTop = element.scrollHeight;
    const note = (): void => {
      scrolledUp.current = element.scrollHeight - element.scrollTop - element.clientHeight > 80;
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [newest]);
  return box;
}
