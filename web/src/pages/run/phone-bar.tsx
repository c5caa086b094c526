// The bar at the bottom of a phone: find, follow, stop.
import { Button } from "@mantine/core";
import { IconArrowDown, IconPlayerStop, IconSearch } from "@tabler/icons-react";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { FindBar } from "./find-bar";
import { StopDialog } from "./header/stop-dialog";
import classes from "./run-view.module.css";
import type { Detail } from "./transcript/segments";
import type { Cursor } from "./use-cursor";

interface PhoneBarProps {
  detail: Detail;
  cursor: Cursor;
  follow: () => void;
}

export function PhoneBar({ detail, cursor, follow }: PhoneBarProps) {
  const { find = "" } = useSearch({ from: "/runs/$runId" });
  const [finding, setFinding] = useState(find !== "");
  const [stopping, setStopping] = useState(false);
  const running = detail.session.state.group === "running";
  const button = { variant: "subtle", color: "gray", size: "sm" } as const;
  return (
    <div className={classes.phoneBar} role="toolbar" aria-label="This run">
      {finding && <FindBar runId={detail.session.id} cursor={cursor} autoFocus />}
      <div className={classes.phoneButtons}>
        <Button
          {...button}
          aria-pressed={finding}
          leftSection={<IconSearch size={15} />}
          onClick={() => setFinding(!finding)}
        >
          Find
        </Button>
        <Button {...button} leftSection={<IconArrowDown size={15} />} onClick={follow}>
          {running ? "Follow" : "End"}
        </Button>
        {running && !detail.session.machine_name && (
          <Button {...button} leftSection={<IconPlayerStop size={15} />} onClick={() => setStopping(true)}>
            Stop
          </Button>
        )}
      </div>
      <StopDialog opened={stopping} close={() => setStopping(false)} detail={detail} />
    </div>
  );
}
