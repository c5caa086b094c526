// Building blocks of the show page: facts, sections, and details that render when they are opened.
import { type ReactNode, useState } from "react";
import classes from "./play-details.module.css";

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function DetailSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.section}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** Collapsed unless `open` at first; renders its content only when opened. */
export function LazyDetails(props: { title: string; open?: boolean; children: ReactNode }) {
  const { title, children } = props;
  const [open, setOpen] = useState(props.open ?? false);
  return (
    <details className={classes.lazyDetails} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children}
    </details>
  );
}
