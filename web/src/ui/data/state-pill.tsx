// A state as the API describes it: icon, label and tone.
import { Tooltip } from "@mantine/core";
import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconCircle,
  IconCircleDashed,
  IconClockPause,
  IconGitMerge,
  IconHourglassEmpty,
  IconLoader2,
  IconLock,
  IconPlugConnectedX,
  IconRefresh,
  IconUserExclamation,
  IconX,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Schema } from "@/api/keys";
import classes from "./state-pill.module.css";

export type State = Schema<"StateShape">;
type Icon = ComponentType<{ size: number; stroke: number; className?: string | undefined }>;

const BY_HEALTH: Record<string, Icon> = {
  waiting: IconUserExclamation,
  stalled: IconClockPause,
  idle: IconClockPause,
  process_dead: IconPlugConnectedX,
  orphaned: IconPlugConnectedX,
};
const BY_LIFECYCLE: Record<string, Icon> = {
  running: IconLoader2,
  active: IconLoader2,
  completed: IconCheck,
  failed: IconX,
  timed_out: IconHourglassEmpty,
  aborted: IconBan,
  aborted_after_finish: IconBan,
  cancelled: IconBan,
  pending: IconCircleDashed,
  prepared: IconCircleDashed,
  running_complete: IconHourglassEmpty,
  gated: IconHourglassEmpty,
  gate_failed: IconX,
  redoing: IconRefresh,
  merged: IconGitMerge,
  escalated: IconAlertTriangle,
  blocked: IconLock,
};

export function StatePill({ state, plain = false }: { state: State | null | undefined; plain?: boolean }) {
  if (!state) return null;
  const StateIcon = BY_HEALTH[state.health] ?? BY_LIFECYCLE[state.lifecycle] ?? IconCircle;
  const isSpinning = state.lifecycle === "running" && state.health === "running";
  const pill = (
    <span className={classes.pill} data-tone={state.tone} data-lifecycle={state.lifecycle} data-plain={plain}>
      <StateIcon size={13} stroke={2} className={isSpinning ? classes.spinning : undefined} />
      <span className={classes.label}>{state.label}</span>
    </span>
  );
  const evidence = state.reasons.map((reason) => reason.evidence ?? reason.message);
  return evidence.length > 0 ? <Tooltip label={evidence.join(" · ")}>{pill}</Tooltip> : pill;
}
