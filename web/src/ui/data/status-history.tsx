// Every change of a status: when, by what and why.
import type { components } from "@/api/schema";
import { RelativeTime } from "./time";

type Transition = components["schemas"]["TransitionView"];

export function StatusHistory({ transitions }: { transitions: Transition[] }) {
  return (
    <ul className="plain-list">
      {transitions.map(({ at, previous, status, reason_code, source, actor }, index) => (
        <li key={index}>
          <b>{status}</b> {previous && <span className="muted">after {previous}</span>}{" "}
          <span className="muted">
            <RelativeTime at={at} /> {[source, actor].filter(Boolean).join(" · ")}
          </span>
          {reason_code && (
            <div className="muted">
              <code>{reason_code}</code>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
