// A state as the API describes it: icon, label and tone.
import { Tooltip } from "@mantine/core";
import {
  type Icon,
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
import type { Schema } from "@/api/keys";
import classes from "./state-pill.module.css";

export type State = Schema<"StateView">;

const ICONS: Record<State["icon"], Icon> = {
  alert: IconAlertTriangle,
  ban: IconBan,
  check: IconCheck,
  circle: IconCircle,
  "circle-dashed": IconCircleDashed,
  "clock-pause": IconClockPause,
  cross: IconX,
  disconnected: IconPlugConnectedX,
  hourglass: IconHourglassEmpty,
  lock: IconLock,
  merge: IconGitMerge,
  person: IconUserExclamation,
  refresh: IconRefresh,
  spinner: IconLoader2,
};

export function StatePill({ state, plain = false }: { state: State | null | undefined; plain?: boolean }) {
  if (!state) return null;
  const StateIcon = ICONS[state.icon];
  const isSpinning = state.icon === "spinner" && state.health === "running";
  const pill = (
    <span className={classes.pill} data-tone={state.tone} data-plain={plain}>
      <StateIcon size={13} stroke={2} className={isSpinning ? classes.spinning : undefined} />
      <span className={classes.label}>{state.label}</span>
    </span>
  );
  const evidence = state.reasons.map((reason) => reason.evidence ?? reason.message);
  return evidence.length > 0 ? <Tooltip label={evidence.join(" · ")}>{pill}</Tooltip> : pill;
}
