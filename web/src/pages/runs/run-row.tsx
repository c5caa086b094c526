// One run in two lines: its name and state, then its origin.

import { Checkbox, Tooltip } from "@mantine/core";
import { memo } from "react";
import type { Run } from "@/api/runs";
import { shortId } from "@/domain/runs/short-id";
import { sourceName } from "@/domain/runs/source-name";
import { StatePill } from "@/ui/data/state-pill";
import { ClickableRow, TextLink } from "@/ui/link";
import { COLUMNS, type Column } from "./columns";
import classes from "./runs.module.css";

interface RowProps {
  run: Run;
  shown: ReadonlySet<Column>;
  active: boolean;
  selected: boolean;
  toggleSelected: () => void;
}

export const RunRow = memo(Row, (before, after) =>
  (["run", "shown", "active", "selected"] as const).every((name) => before[name] === after[name]),
);

function Row({ run, shown, active, selected, toggleSelected }: RowProps) {
  return (
    <ClickableRow className={classes.row} data-active={active} data-selected={selected}>
      <span className={classes.checkboxCell} data-control>
        <Checkbox size="xs" checked={selected} onChange={toggleSelected} aria-label={`Select ${run.display_name}`} />
      </span>
      <div className={classes.nameCell}>
        <div className={classes.titleLine}>
          <TextLink to="/runs/$runId" params={{ runId: run.id }} className={classes.link}>
            {run.display_name}
          </TextLink>
          {run.invocation_kind && <span className={classes.kindBadge}>{run.invocation_kind}</span>}
          {run.agent_name && run.agent_name !== run.display_name && (
            <span className={classes.agentName}>{run.agent_name}</span>
          )}
        </div>
        <div className={classes.detailLine}>
          <Tooltip label={run.id}>
            <code>{shortId(run.id)}</code>
          </Tooltip>
          {[run.project, sourceName(run.source_kind)].filter(Boolean).map((word) => (
            <span key={word}>{word}</span>
          ))}
        </div>
      </div>
      <div className={classes.stateCell}>
        <StatePill state={run.state} />
      </div>
      {COLUMNS.filter(({ key }) => shown.has(key)).map(({ key, cell }) => (
        <div key={key} className={classes.cell} data-column={key}>
          {cell(run)}
        </div>
      ))}
    </ClickableRow>
  );
}

export function RunsHeader({ shown }: { shown: ReadonlySet<Column> }) {
  return (
    <div className={classes.header} aria-hidden>
      <span className={classes.checkboxCell} />
      <span className={classes.nameCell}>Run</span>
      <span className={classes.stateCell}>State</span>
      {COLUMNS.filter(({ key }) => shown.has(key)).map(({ key, name }) => (
        <span key={key} className={classes.cell} data-column={key}>
          {name}
        </span>
      ))}
    </div>
  );
}
