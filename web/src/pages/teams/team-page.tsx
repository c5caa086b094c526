// One team: messages, members and a composer.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLayoutEffect, useRef, useState } from "react";
import { type TeamDetail, teamMessages, team as teamQuery } from "@/api/teams";
import { isFor } from "@/domain/team-messages";
import { StatePill } from "@/ui/data/state-pill";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { Breadcrumb, Page } from "@/ui/page";
import { ArchiveButton } from "./archive-button";
import { Composer } from "./composer";
import { Messages } from "./message-list";
import { TeamSidebar } from "./team-sidebar";
import classes from "./teams.module.css";

const PAGE_SIZE = 200;

export function TeamPage() {
  const { teamId } = useParams({ from: "/teams/$teamId" });
  const { member } = useSearch({ from: "/teams/$teamId" });
  const navigate = useNavigate();
  const query = useQuery(teamQuery(teamId));
  useShortcuts([
    {
      keys: "Escape",
      label: "Back to teams",
      group: "This team",
      // An inbox first: one Esc too many must not leave the team.
      run: () => void navigate(member ? { to: "/teams/$teamId", params: { teamId }, search: {} } : { to: "/teams" }),
    },
  ]);
  const detail = query.data;
  return (
    <Page
      title={detail?.team.name ?? teamId}
      before={<Breadcrumb to="/teams">Teams</Breadcrumb>}
      beside={<StatePill state={detail?.team.state} />}
      actions={detail && <ArchiveButton id={teamId} isArchived={detail.team.status === "archived"} />}
      fill
    >
      <Loaded query={query} label="Team" missing={{ what: "team", name: teamId, list: "/teams" }}>
        {(data) => <TeamView id={teamId} detail={data} />}
      </Loaded>
    </Page>
  );
}

function TeamView({ id, detail }: { id: string; detail: TeamDetail }) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const query = useQuery({ ...teamMessages(id, limit), placeholderData: (before) => before });
  const end = useStickToBottom(query.data?.messages.at(-1)?.id, useSearch({ from: "/teams/$teamId" }).m !== undefined);
  const archived = detail.team.status === "archived";
  const { member, m } = useSearch({ from: "/teams/$teamId" });
  return (
    <div className={classes.split}>
      <div className={classes.main}>
        {member && (
          <div className={classes.inboxBar} role="status">
            Inbox of <b>{member}</b>
            <TextLink to="/teams/$teamId" params={{ teamId: id }}>
              Show all messages
            </TextLink>
          </div>
        )}
        <div className={classes.messageScroller} ref={end} tabIndex={0} data-scroll>
          <Loaded query={query} label="Messages">
            {(data) =>
              data.messages.length === 0 ? (
                <EmptyState title="No messages yet">
                  {archived ? "Nothing was written before it was archived." : "Send the first one below."}
                </EmptyState>
              ) : (
                <Messages
                  messages={member ? data.messages.filter((message) => isFor(message, member)) : data.messages}
                  marked={m}
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
      <TeamSidebar id={id} detail={detail} selected={member} />
    </div>
  );
}

/** Keeps an element scrolled to its end when something arrives, unless the user has scrolled up. */
function useStickToBottom(newest: string | undefined, isElsewhere: boolean) {
  const box = useRef<HTMLDivElement>(null);
  // The address points at a message: that one is shown first.
  const scrolledUp = useRef(isElsewhere);
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
