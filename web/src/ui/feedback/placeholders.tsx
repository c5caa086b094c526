// Shown in place of content: empty, failed, loading.
import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { errorText } from "@/api/errors";
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

export function ErrorState({ error, retry, label }: { error: unknown; retry?: () => void; label?: string }) {
  return (
    <div className={classes.placeholder} role="alert">
      <div className={`${classes.icon} ${classes.error}`}>
        <IconAlertTriangle size={22} stroke={1.7} />
      </div>
      <div className={classes.title}>{label ? `Could not load ${label.toLowerCase()}` : "Something went wrong"}</div>
      <div className={classes.description}>
        <CodeSpans text={errorText(error)} />
      </div>
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

/** Empty for 300 ms: a flash of a spinner is worse than a short wait. */
export function LoadingLine({ label }: { label: string }) {
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

/** The data of a query, or its placeholder. Data that was loaded once stays when a refetch fails. */
export function Loaded<T>(props: { query: QueryResult<T>; label: string; children: (data: T) => ReactNode }) {
  const { query, label, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} label={label} retry={() => void query.refetch()} />;
  return <LoadingLine label={label.toLowerCase()} />;
}
