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
import { escapeBidi } from "@/domain/text/bidi";
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

export function StateIcon({ icon }: { icon: State["icon"] }) {
  const Icon = ICONS[icon];
  return <Icon size={13} stroke={2} aria-hidden />;
}

export function StatePill({ state, plain = false }: { state: State | null | undefined; plain?: boolean }) {
  if (!state) return null;
  const PillIcon = ICONS[state.icon];
  const isSpinning = state.icon === "spinner" && state.health === "running";
  const pill = (
    <span className={classes.pill} data-tone={state.tone} data-plain={plain}>
      <PillIcon size={13} stroke={2} className={isSpinning ? classes.spinning : undefined} />
      <span className={classes.label}>{state.label}</span>
    </span>
  );
  const evidence = state.reasons.map((reason) => reason.evidence ?? reason.message);
  return evidence.length > 0 ? <Tooltip label={evidence.join(" · ")}>{pill}</Tooltip> : pill;
}

/** Why a run is in this state, in one line; nothing for a state that needs no reason. */
export function StateSummary({ state }: { state: State }) {
  if (!state.summary) return null;
  const text = escapeBidi(state.summary);
  return (
    <span className={classes.summary} data-tone={state.tone} title={text}>
      {text}
    </span>
  );
}
