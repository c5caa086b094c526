// The state of a run as a chain, and the reasons behind it on click.
import { Popover, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { plural } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import type { Detail } from "../transcript/segments";
import classes from "./header.module.css";

export function StatePopover({ detail, errors, go }: { detail: Detail; errors: number; go: () => void }) {
  const { state } = detail.session;
  return (
    <Popover position="bottom-start" shadow="md" radius={8} width={380}>
      <Popover.Target>
        <UnstyledButton className={classes.stateButton} title="Why">
          <VisuallyHidden>State: </VisuallyHidden>
          <StatePill state={{ ...state, reasons: [] }} />
          {errors > 0 && <span className={classes.errorCount}>{plural(errors, "tool error")}</span>}
          <IconChevronDown size={13} className={classes.faint} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        {state.reasons.length === 0 && <p className={classes.reason}>Nothing out of the ordinary.</p>}
        {state.reasons.map((reason) => (
          <div key={reason.code} className={classes.reason}>
            <b>{reason.message}</b>
            {reason.evidence && <div>{reason.evidence}</div>}
            <code>{reason.code}</code>
          </div>
        ))}
        {errors > 0 && (
          <UnstyledButton className={classes.link} onClick={go}>
            Go to the first of {plural(errors, "tool error")}
          </UnstyledButton>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
