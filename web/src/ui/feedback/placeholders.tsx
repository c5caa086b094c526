// The three things a page says when it has nothing to show: nothing there, still waiting, it went wrong.
import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "@/api/errors";
import { withHint } from "@/domain/text/hints";
import classes from "./placeholders.module.css";

interface EmptyProps {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  action?: ReactNode;
}

/** Nothing there, and what to do about it. */
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

/** What happened, what to do, and a way to try again. */
export function ErrorState({ error, retry, label }: { error: unknown; retry?: () => void; label?: string }) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <div className={classes.placeholder} role="alert">
      <div className={`${classes.icon} ${classes.error}`}>
        <IconAlertTriangle size={22} stroke={1.7} />
      </div>
      <div className={classes.title}>{label ? `${label} could not be loaded` : "That did not work"}</div>
      <div className={classes.description}>{withHint(message, hint)}</div>
      {retry && (
        <div className={classes.action}>
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** Nothing for 300 ms, then what is being waited for: a flash of a spinner is worse than a moment of calm. */
export function LoadingLine({ what: label }: { what: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.loading} role="status">
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

/** A query's data, or the line that says why there is none yet. What was fetched before stays when a refetch fails. */
export function Loaded<T>(props: { query: QueryResult<T>; label: string; children: (data: T) => ReactNode }) {
  const { query, label, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} label={label} retry={() => void query.refetch()} />;
  return <LoadingLine what={label.toLowerCase()} />;
}
