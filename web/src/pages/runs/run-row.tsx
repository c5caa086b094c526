// One run in two lines: its name and labels, then its origin.
import { ActionIcon, Checkbox, Menu, Tooltip } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { memo } from "react";
import type { Run } from "@/api/runs";
import { shortId } from "@/domain/runs/short-id";
import { StateSummary } from "@/ui/data/state-pill";
import { ClickableRow, TextLink } from "@/ui/link";
import { StarMark, TagChips } from "@/ui/runs/label-chips";
import type { LabelAction } from "@/ui/runs/label-dialogs";
import { LabelItems } from "@/ui/runs/label-items";
import { SourceName } from "@/ui/runs/source-name";
import { COLUMNS, type Column } from "./columns";
import classes from "./runs.module.css";

interface RowProps {
  run: Run;
  shown: ReadonlySet<Column>;
  active: boolean;
  selected: boolean;
  toggleSelected: () => void;
  openDialog: (action: LabelAction, run: Run) => void;
}

export const RunRow = memo(Row, (before, after) =>
  (["run", "shown", "active", "selected"] as const).every((name) => before[name] === after[name]),
);

function Row({ run, shown, active, selected, toggleSelected, openDialog }: RowProps) {
  return (
    <ClickableRow className={classes.row} data-active={active} data-selected={selected}>
      <span className={classes.checkboxCell} data-control>
        <Checkbox size="xs" checked={selected} onChange={toggleSelected} aria-label={`Select ${run.display_name}`} />
      </span>
      <div className={classes.nameCell}>
        <div className={classes.titleLine}>
          <StarMark run={run} />
          <TextLink to="/runs/$runId" params={{ runId: run.id }} className={classes.link} title={run.display_name}>
            {run.display_name}
          </TextLink>
          {run.invocation_kind && run.invocation_kind !== "agent" && (
            <span className={classes.kindBadge}>{run.invocation_kind.replace("-", " ")}</span>
          )}
          <TagChips run={run} most={3} />
        </div>
        <div className={classes.detailLine}>
          <Tooltip label={run.id}>
            <code>{shortId(run.id)}</code>
          </Tooltip>
          {run.project && <span>{run.project}</span>}
          {run.machine_name && <span title="Machine">{run.machine_name}</span>}
          <StateSummary state={run.state} />
          {!run.state.summary && (
            <>
              {run.agent_name && run.agent_name !== run.display_name && <span>{run.agent_name}</span>}
              <SourceName run={run} />
            </>
          )}
          {run.note && <span className={classes.note}>{run.note}</span>}
        </div>
      </div>
      {COLUMNS.filter(({ key }) => shown.has(key)).map(({ key, cell }) => (
        <div key={key} className={classes.cell} data-column={key}>
          {cell(run)}
        </div>
      ))}
      <span className={classes.menuCell} data-control>
        <Menu position="bottom-end" width={180}>
          <Menu.Target>
            <ActionIcon size="sm" aria-label={`Actions for ${run.display_name}`}>
              <IconDots size={15} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <LabelItems run={run} open={(action) => openDialog(action, run)} />
          </Menu.Dropdown>
        </Menu>
      </span>
    </ClickableRow>
  );
}
