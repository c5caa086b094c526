// Every version that was ever saved or seen, what it changed, and the way back to it.
import { Button, Drawer } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { cacheSaved, type Detail, rollBack, type Version, version, versions } from "@/api/definitions";
import { RelativeTime } from "@/ui/data/time";
import { runAction } from "@/ui/feedback/confirm";
import { Loaded, LoadingLine } from "@/ui/feedback/placeholders";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";

const CodeDiff = lazy(() => import("./code-diff"));

export function VersionHistory({ detail, close }: { detail: Detail; close: () => void }) {
  const { kind } = useKind();
  const { name } = detail.definition;
  const query = useQuery(versions(kind, name));
  const [expanded, setExpanded] = useState<number>();
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      title={`Versions of ${name}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Loaded query={query} label="The versions">
        {(data) => (
          <>
            {data.versions.length === 0 && <p className={classes.empty}>Nothing was saved here yet.</p>}
            <ol className={classes.versions}>
              {data.versions.map((item, index) => (
                <li key={item.version}>
                  <Button
                    variant={item.version === expanded ? "light" : "subtle"}
                    color="gray"
                    justify="space-between"
                    fullWidth
                    aria-expanded={item.version === expanded}
                    onClick={() => setExpanded(item.version === expanded ? undefined : item.version)}
                  >
                    <VersionSummary version={item} newest={index === 0} />
                  </Button>
                  {item.version === expanded && (
                    <VersionDiff detail={detail} number={item.version} newest={index === 0} />
                  )}
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function VersionSummary({ version, newest }: { version: Version; newest: boolean }) {
  return (
    <span className={classes.versionSummary}>
      <b>{version.version}</b>
      <span>{version.message ?? (newest ? "newest" : "no reason given")}</span>
      <span className="muted">
        {version.author ?? "unknown"} · <RelativeTime at={version.created_at} />
      </span>
    </span>
  );
}

function VersionDiff({ detail, number, newest }: { detail: Detail; number: number; newest: boolean }) {
  const { kind } = useKind();
  const { name } = detail.definition;
  const queries = useQueryClient();
  const older = useQuery({ ...version(kind, name, Math.max(1, number - 1)), enabled: newest && number > 1 });
  const query = useQuery(version(kind, name, number));
  const rollBackTo = (): Promise<boolean> =>
    runAction(async () => {
      await cacheSaved(queries, kind, name, await rollBack(kind, name, number));
      return `${name} is as it was in version ${number}`;
    });
  return (
    <Loaded query={query} label="That version">
      {(data) => {
        const text = data.version.content ?? "";
        // The newest is compared with what was before it, any other with what is now.
        const same = !newest && text === detail.text;
        const [from, to] = newest ? [older.data?.version.content ?? "", text] : [text, detail.text ?? ""];
        return (
          <div className={classes.versionDiff}>
            <p className="muted">
              {newest && "What it changed"}
              {same && "The present text is the same."}
              {!newest && !same && `What changed since version ${number}`}
            </p>
            {!same && (
              <Suspense fallback={<LoadingLine label="the difference" />}>
                <CodeDiff before={from} after={to} label={`Changes of version ${number}`} />
              </Suspense>
            )}
            {!newest && !same && (
              <Button mt="xs" onClick={() => void rollBackTo()}>
                Roll back to version {number}
              </Button>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
