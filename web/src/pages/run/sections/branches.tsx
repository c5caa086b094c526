// Branches of a run, their origin and their forks.
import { UnstyledButton } from "@mantine/core";
import { IconGitBranch, IconGitFork } from "@tabler/icons-react";
import { plural } from "@/domain/text/format";
import { Cost, Tokens } from "@/ui/data/amounts";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { branchName } from "../branch-names";
import { ForkLink } from "../fork-link";
import type { Detail } from "../transcript/segments";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 50;

type Branch = Detail["branches"][number];

export function Branches({ detail, goTo, reading }: SectionProps) {
  const shown = detail.branches.slice(0, SHOWN);
  return (
    <ul className="plain-list">
      {shown.map((branch, index) => (
        <li key={branch.id} className={classes.branch} data-lane={index % 6}>
          <Origin branch={branch} own={detail.session.id} />
          <UnstyledButton
            className={classes.branchButton}
            aria-pressed={reading.branch === branch.id}
            title={reading.branch === branch.id ? "Show all branches" : "Show this branch alone"}
            onClick={() => reading.setBranch(branch.id)}
          >
            <IconGitBranch size={13} /> <b>{branchName(branch)}</b>
          </UnstyledButton>
          <div className="muted">
            {plural(branch.message_count, "message")} · <Tokens usage={branch} /> tokens ·{" "}
            <Cost microusd={branch.cost_microusd} />
          </div>
          {detail.forks
            .filter(({ parent_branch_id }) => parent_branch_id === branch.id)
            .map((fork) => (
              <div key={fork.branch_id} className={classes.fork}>
                <IconGitFork size={12} /> <ForkLink fork={fork} session={detail.session} />{" "}
                <RelativeTime at={fork.created_at} />
                {fork.session_ord !== null && (
                  <button type="button" className={classes.ordLink} onClick={() => goTo(fork.session_ord ?? 0)}>
                    at #{fork.session_ord}
                  </button>
                )}
              </div>
            ))}
        </li>
      ))}
      {detail.branches.length > SHOWN && (
        <li className="muted">and {plural(detail.branches.length - SHOWN, "more branch", "more branches")}</li>
      )}
    </ul>
  );
}

function Origin({ branch, own }: { branch: Branch; own: string }) {
  const parent = branch.inherited.at(-1);
  if (!parent) return null;
  const name = parent.session_name ?? parent.name ?? parent.session_id.slice(-8);
  return (
    <div className="muted">
      <IconGitFork size={12} /> after {plural(parent.last_ord + 1, "message")} of{" "}
      {parent.session_id === own ? (
        <span>{parent.name ?? "another branch"}</span>
      ) : (
        <TextLink to="/runs/$runId" params={{ runId: parent.session_id }} search={{ m: parent.last_ord }}>
          {name}
        </TextLink>
      )}
    </div>
  );
}
