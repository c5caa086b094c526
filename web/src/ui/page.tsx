// The layout of a page: header with title and actions, and the scrolling content.
import { createLink } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, useEffect } from "react";
import { ConnectionStatus } from "./feedback/connection-status";
import classes from "./page.module.css";
import { setPageTitle } from "./tab-title";

interface PageProps {
  title: string;
  /** In front of the title, such as a breadcrumb. */
  before?: ReactNode;
  /** Beside the title, such as a count or a state pill. */
  beside?: ReactNode;
  actions?: ReactNode;
  /** A toolbar under the title, such as a filter bar. */
  bar?: ReactNode;
  /** The content fills the page and scrolls itself, such as a virtual list. */
  fill?: boolean;
  children: ReactNode;
}

export function Page({ title, before, beside, actions, bar, fill = false, children }: PageProps) {
  useEffect(() => setPageTitle(title), [title]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.titleBar}>
          {before}
          <h1 className={classes.title} title={title}>
            {title}
          </h1>
          {beside}
          <div className={classes.spacer} />
          {actions}
          <span className={classes.connection}>
            <ConnectionStatus />
          </span>
        </div>
        {bar && <div className={classes.toolbar}>{bar}</div>}
      </header>
      {/* Focusable: scrolling content must be reachable by keyboard. */}
      <div className={classes.body} data-fill={fill} tabIndex={fill ? undefined : 0} data-scroll>
        {children}
      </div>
    </div>
  );
}

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

/** A bordered box. */
export function Panel({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <div className={`${classes.panel} ${className}`}>{children}</div>;
}

/** The link to the parent page, for `before`. */
export const Breadcrumb = createLink((props: ComponentProps<"a">) => <a {...props} className={classes.breadcrumb} />);
