// Shown in place of content: empty, failed, loading.
import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError, errorText } from "@/api/errors";
import { escapeBidi } from "@/domain/text/bidi";
import { TextLink } from "../link";
import { CodeSpans } from "../text/code-spans";
import classes from "./placeholders.module.css";

interface EmptyProps {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  action?: ReactNode;
}

/** No content, and how to get some. */
export function EmptyState({ title, children, icon, action }: EmptyProps) {
  return (
    <div className={classes.placeholder}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <div className={classes.title}>{title}</div>
      {children && <div className={classes.description}>{children}</div>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

/** What the address names, for the error that it does not exist. */
export interface Missing {
  /** The word for it, such as "run". */
  what: string;
  name: string;
  /** The list of all of them. */
  list: "/runs" | "/shows" | "/teams" | "/agents" | "/playbooks";
}

interface ErrorProps {
  error: unknown;
  retry?: (() => void) | undefined;
  label?: string | undefined;
  missing?: Missing | undefined;
  action?: ReactNode;
}

export function ErrorState({ error, retry, label, missing, action }: ErrorProps) {
  const isMissing = error instanceof ApiError && error.status === 404;
  if (isMissing && missing) return <MissingState {...missing} />;
  return (
    <div className={classes.placeholder} role="alert">
      <div className={`${classes.icon} ${classes.error}`}>
        <IconAlertTriangle size={22} stroke={1.7} />
      </div>
      <div className={classes.title}>{label ? `Could not load ${label.toLowerCase()}` : "Something went wrong"}</div>
      <div className={classes.description}>
        <CodeSpans text={errorText(error)} />
      </div>
      {retry && !isMissing && (
        <div className={classes.action}>
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

/** Nothing has this name: a retry would not help, the list and the search may. */
function MissingState({ what, name, list }: Missing) {
  const text = escapeBidi(name);
  return (
    <div role="alert">
      <EmptyState
        title={`${what.charAt(0).toUpperCase()}${what.slice(1)} ${text} does not exist`}
        action={
          <span className={classes.links}>
            <TextLink to={list}>All {list.slice(1)}</TextLink>
            <TextLink to="/search" search={{ q: name } as never}>
              Search for {text}
            </TextLink>
          </span>
        }
      >
        It may have been renamed or deleted, or it is in another home.
      </EmptyState>
    </div>
  );
}

/** Empty for 300 ms: a flash of a spinner is worse than a short wait. */
export function LoadingLine({ label }: { label: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.loading} role="status" aria-busy="true">
      {late && (
        <>
          <span className={classes.dot} /> Loading {label}…
        </>
      )}
    </div>
  );
}

interface QueryResult<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** The data of a query, or its placeholder. Data that was loaded once stays when a refetch fails. */
export function Loaded<T>(props: {
  query: QueryResult<T>;
  label: string;
  missing?: Missing;
  children: (data: T) => ReactNode;
}) {
  const { query, label, missing, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return <ErrorState error={query.error} label={label} missing={missing} retry={() => void query.refetch()} />;
  return <LoadingLine label={label.toLowerCase()} />;
}
