// The frame of a page: its name, its actions, the freshness mark, and the part that scrolls.
import { type ReactNode, useEffect, useRef } from "react";
import { ConnectionStatus } from "./feedback/connection-status";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** What stands before the title, such as a way back. */
  before?: ReactNode;
  /** What stands beside the title: a count, a pill. */
  beside?: ReactNode;
  actions?: ReactNode;
  /** A second line under the title, such as a bar of filters; it does not scroll away. */
  bar?: ReactNode;
  /** The content scrolls by itself (a long list); otherwise the frame does it. */
  fill?: boolean;
  children: ReactNode;
}

export function Page({ title, before, beside, actions, bar, fill = false, children }: PageProps) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${title} · Lion Studio`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.titleBar}>
          {before}
          <h1 className={classes.title}>{title}</h1>
          {beside}
          <div className={classes.spacer} />
          {actions}
          <ConnectionStatus />
        </div>
        {bar && <div className={classes.toolbar}>{bar}</div>}
      </header>
      {/* Focusable: a part that scrolls must be reachable by the keyboard. */}
      <div ref={body} className={classes.body} data-fill={fill} tabIndex={fill ? undefined : 0} data-scroll>
        {children}
      </div>
    </div>
  );
}

/** A titled part of a page. */
export function Section(props: { title: string; beside?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section className={classes.section} id={props.id} aria-label={props.title}>
      <div className={classes.sectionHeader}>
        <h2 className={classes.sectionTitle}>{props.title}</h2>
        {props.beside}
      </div>
      {props.children}
    </section>
  );
}

/** A quiet box with a line around it. */
export function Panel({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <div className={`${classes.panel} ${className}`}>{children}</div>;
}
