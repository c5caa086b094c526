// One team: what was said, who has not read it, and a place to write.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useLayoutEffect, useRef, useState } from "react";
import { type TeamDetail, teamMessages, team as teamQuery } from "@/api/teams";
import { StatePill } from "@/ui/data/state-pill";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useKeys } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { Page } from "@/ui/page";
import { Composer } from "./composer";
import { Messages } from "./message-list";
import { Side } from "./team-sidebar";
import classes from "./teams.module.css";

const MORE = 200;

export function TeamPage() {
  const { teamId } = useParams({ from: "/teams/$teamId" });
  const navigate = useNavigate();
  const query = useQuery(teamQuery(teamId));
  useKeys([
    {
      keys: "Escape",
      label: "Back to the teams",
      group: "This team",
      run: () => void navigate({ to: "/teams" }),
    },
  ]);
  const found = query.data;
  return (
    <Page
      title={found?.team.name ?? teamId}
      before={
        <TextLink to="/teams" className={classes.back}>
          Teams
        </TextLink>
      }
      beside={<StatePill state={found?.team.state} />}
      fill
    >
      <Loaded query={query} what="The team">
        {(data) => <Parts id={teamId} detail={data} />}
      </Loaded>
    </Page>
  );
}

function Parts({ id, detail }: { id: string; detail: TeamDetail }) {
  const [limit, setLimit] = useState(MORE);
  const query = useQuery({ ...teamMessages(id, limit), placeholderData: (before) => before });
  const end = useEnd(query.data?.messages.at(-1)?.id);
  const archived = detail.team.status === "archived";
  return (
    <div className={classes.split}>
      <div className={classes.main}>
        <div className={classes.scroll} ref={end} tabIndex={0} data-scroll>
          <Loaded query={query} what="The messages">
            {(data) =>
              data.messages.length === 0 ? (
                <EmptyState title="Nobody has written yet">
                  What you write below reaches every member.
                </EmptyState>
              ) : (
                <Messages
                  messages={data.messages}
                  linked={detail.linked}
                  older={data.has_more ? () => setLimit(Math.min(1000, limit + MORE)) : undefined}
                />
              )
            }
          </Loaded>
        </div>
        {archived ? (
          <div className={classes.archived}>This team is archived; nobody writes to it any more.</div>
        ) : (
          <Composer id={id} members={detail.team.members} />
        )}
      </div>
      <Side detail={detail} />
    </div>
  );
}

/** A box that stays at its end when something new arrives, unless somebody has scrolled up to read. */
function useEnd(newest: string | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const away = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || newest === undefined) return;
    if (!away.current) element.scrollTop = element.scrollHeight;
    const note = (): void => {
      away.current = element.scrollHeight - element.scrollTop - element.clientHeight > 80;
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [newest]);
  return box;
}
