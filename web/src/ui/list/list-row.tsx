// A list of rows in a panel: a title over a description, then facts. A row is a link or expands.
import { IconChevronRight } from "@tabler/icons-react";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { Panel } from "../page";
import classes from "./list-row.module.css";

export function List({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Panel>
      <ul className="plain-list" aria-label={label}>
        {children}
      </ul>
    </Panel>
  );
}

interface ListRowProps {
  id?: string;
  active?: boolean;
  title: ReactNode;
  description: string;
  /** Shown instead of the description. */
  error?: string | null | undefined;
  /** Makes the row a button that shows or hides `details`. */
  toggle?: () => void;
  details?: ReactNode;
  /** Facts on the right. */
  children?: ReactNode;
}

export function ListRow(props: ListRowProps) {
  const { id, active = false, title, description, error, toggle, details, children } = props;
  const row = (
    <>
      {toggle && <IconChevronRight size={14} className={classes.chevron} aria-hidden />}
      <span className={classes.main}>
        <span className={classes.title}>{title}</span>
        <span className={classes.description} data-error={Boolean(error)}>
          {error ?? description}
        </span>
      </span>
      {children}
    </>
  );
  return (
    <li id={id} className={classes.item} data-active={active}>
      {toggle ? (
        <button type="button" className={classes.row} aria-expanded={Boolean(details)} onClick={toggle}>
          {row}
        </button>
      ) : (
        <div className={classes.row}>{row}</div>
      )}
      {details}
    </li>
  );
}

/** The link of a row; it covers the whole row. */
export const RowLink = createLink((props: ComponentProps<"a">) => <a {...props} className={classes.link} />);
