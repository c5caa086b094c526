// What each answer does, in words beside the buttons.
import { Fragment } from "react";
import type { Option } from "@/domain/questions/outcome";
import { escapeBidi } from "@/domain/text/bidi";
import classes from "./effects.module.css";

export function Effects({ options }: { options: readonly Option[] }) {
  return (
    <dl className={classes.effects} aria-label="What happens next">
      {options.map(({ id, label, detail }) => (
        <Fragment key={id}>
          {detail && <dt>{escapeBidi(label)}</dt>}
          {detail && <dd>{escapeBidi(detail)}</dd>}
        </Fragment>
      ))}
    </dl>
  );
}
