// The columns of the list beside the name, each with its label, its order and its cell.
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import type { Sort } from "@/api/run-list/search";
import type { Run } from "@/api/runs";
import { modelName } from "@/domain/runs/model-name";
import { compact, formatInteger, plural } from "@/domain/text/format";
import { Cost, Tokens } from "@/ui/data/amounts";
import { StatePill } from "@/ui/data/state-pill";
import { Duration, RelativeTime } from "@/ui/data/time";
import classes from "./runs.module.css";

interface ColumnDefinition {
  name: string;
  /** The order of the API; a column without one cannot be sorted by. */
  sort?: Sort;
  cell: (run: Run) => ReactNode;
}

const DEFINITIONS = {
  state: { name: "State", sort: "status", cell: (run) => <StatePill state={run.state} /> },
  model: { name: "Model", cell: modelCell },
  messages: { name: "Messages", sort: "messages", cell: messageCell },
  duration: {
    name: "Duration",
    sort: "duration",
    cell: (run) => <Duration ms={run.duration_ms} since={run.state.group === "running" ? run.started_at : null} />,
  },
  tokens: { name: "Tokens", sort: "tokens", cell: (run) => <Tokens usage={run} /> },
  cost: { name: "Cost", sort: "cost", cell: (run) => <Cost microusd={run.cost_microusd} /> },
  created: { name: "Created", sort: "created", cell: (run) => <RelativeTime at={run.created_at} /> },
  updated: { name: "Updated", sort: "updated", cell: (run) => <RelativeTime at={run.updated_at ?? run.created_at} /> },
} satisfies Record<string, ColumnDefinition>;

export type Column = keyof typeof DEFINITIONS;

export const COLUMNS: (ColumnDefinition & { key: Column })[] = (Object.keys(DEFINITIONS) as Column[]).map((key) => ({
  key,
  ...DEFINITIONS[key],
}));

/** Columns that are shown only when the user asks for them. */
export const HIDDEN_AT_FIRST: Column[] = ["created"];

function modelCell(run: Run): ReactNode {
  if (!run.model) return <span>–</span>;
  return (
    <Tooltip label={run.model}>
      <span>{modelName(run.model)}</span>
    </Tooltip>
  );
}

function messageCell(run: Run): ReactNode {
  const label = `${plural(run.message_count, "message")} on ${plural(run.branch_count, "branch", "branches")}`;
  return (
    <Tooltip label={label}>
      <span>
        {run.message_count < 10_000 ? formatInteger(run.message_count) : compact(run.message_count)}
        {run.branch_count > 1 && <span className={classes.branchCount}> · {compact(run.branch_count)}</span>}
      </span>
    </Tooltip>
  );
}
