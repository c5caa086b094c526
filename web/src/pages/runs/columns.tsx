// The optional columns of the list, each with its name and its cell.
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import type { Run } from "@/api/runs";
import { compact, formatInteger } from "@/domain/text/format";
import { Cost, Tokens } from "@/ui/data/amounts";
import { Duration, RelativeTime } from "@/ui/data/time";
import classes from "./runs.module.css";

interface ColumnDefinition {
  name: string;
  cell: (run: Run) => ReactNode;
}

const DEFINITIONS = {
  model: { name: "Model", cell: (run) => run.model ?? "–" },
  messages: { name: "Messages", cell: messageCell },
  duration: {
    name: "Duration",
    cell: (run) => <Duration ms={run.duration_ms} since={run.state.group === "running" ? run.started_at : null} />,
  },
  tokens: { name: "Tokens", cell: (run) => <Tokens usage={run} /> },
  cost: { name: "Cost", cell: (run) => <Cost microusd={run.cost_microusd} /> },
  updated: {
    name: "Updated",
    cell: (run) => <RelativeTime at={run.last_message_at ?? run.updated_at ?? run.created_at} />,
  },
} satisfies Record<string, ColumnDefinition>;

export type Column = keyof typeof DEFINITIONS;

export const COLUMNS = (Object.keys(DEFINITIONS) as Column[]).map((key) => ({ key, ...DEFINITIONS[key] }));

function messageCell(run: Run): ReactNode {
  return (
    <Tooltip label={`${formatInteger(run.message_count)} messages on ${formatInteger(run.branch_count)} branches`}>
      <span>
        {compact(run.message_count)}
        {run.branch_count > 1 && <span className={classes.branchCount}> · {compact(run.branch_count)}</span>}
      </span>
    </Tooltip>
  );
}
