import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { type NewRun, openNewRun } from "./open-new-run";

/** Opens the dialog that starts a run. */
export function NewRunButton({ request, label = "New run" }: { request?: NewRun; label?: string }) {
  return (
    <Button
      {...(label === "New run" ? {} : { variant: "default" })}
      leftSection={<IconPlayerPlay size={14} />}
      onClick={() => openNewRun(request)}
    >
      {label}
    </Button>
  );
}
