// The plan of an agent as check boxes.
import { IconCircleDot, IconSquare, IconSquareCheck } from "@tabler/icons-react";
import type { PlanItem } from "@/domain/transcript/tool-heads";
import classes from "../tool-output.module.css";

const SHOWN = 40;
const STATES = {
  done: { icon: IconSquareCheck, label: "Done" },
  active: { icon: IconCircleDot, label: "In progress" },
  open: { icon: IconSquare, label: "To do" },
};

export function PlanList({ items }: { items: PlanItem[] }) {
  return (
    <ul className={classes.plan} aria-label="Plan">
      {items.slice(0, SHOWN).map(({ text, state }, index) => {
        const { icon: Icon, label } = STATES[state];
        return (
          <li key={index} data-state={state}>
            <Icon size={14} stroke={1.8} role="img" aria-label={label} /> <span>{text}</span>
          </li>
        );
      })}
      {items.length > SHOWN && <li>and {items.length - SHOWN} more</li>}
    </ul>
  );
}
