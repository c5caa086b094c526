// The state of a run, with its reasons in a popover.
import { Popover, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { plural } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import type { Detail } from "../transcript/segments";
import classes from "./header.module.css";

interface StatePopoverProps {
  detail: Detail;
  errors: number;
  goToFirstError: () => void;
  /** Facts for which the header of a phone has no room. */
  facts?: ReactNode;
}

export function StatePopover({ detail, errors, goToFirstError, facts }: StatePopoverProps) {
  const { state } = detail.session;
  return (
    <Popover position="bottom-start" shadow="md" radius={8} width="min(380px, 92vw)">
      <Popover.Target>
        <UnstyledButton className={classes.stateButton} title="Reasons">
          <VisuallyHidden>State: </VisuallyHidden>
          <StatePill state={{ ...state, reasons: [] }} />
          {errors > 0 && <span className={classes.errorCount}>{plural(errors, "tool error")}</span>}
          <IconChevronDown size={13} className={classes.faint} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        {state.reasons.length === 0 && <p className={classes.reason}>No further details</p>}
        {state.reasons.map((reason) => (
          <div key={reason.code} className={classes.reason}>
            <b>{reason.message}</b> {reason.evidence && <div>{reason.evidence}</div>}
            <div>
              <code>{reason.code}</code>
            </div>
          </div>
        ))}
        {errors > 0 && (
          <UnstyledButton className={classes.link} onClick={goToFirstError}>
            Go to the first tool error
          </UnstyledButton>
        )}
        {facts}
      </Popover.Dropdown>
    </Popover>
  );
}
