// The version history, with diffs and rollback.
import { Button, Drawer } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { cacheSaved, type Detail, rollBack, type Version, version, versions } from "@/api/definitions";
import { RelativeTime } from "@/ui/data/time";
import { Loaded, LoadingLine } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";

const CodeDiff = lazy(() => import("./editor/code-diff"));

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
      <Loaded query={query} label="Versions">
        {(data) => (
          <>
            {data.versions.length === 0 && <p className={classes.empty}>No versions yet</p>}
            <ol className="plain-list">
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
      <span>{version.message ?? (newest ? "Newest" : "No message")}</span>
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
      const restored = await rollBack(kind, name, number);
      await cacheSaved(queries, kind, name, restored);
      if (restored.definition.error) throw new Error(`Version ${number} of ${name} is not valid`);
      return `Rolled back ${name} to version ${number}`;
    });
  return (
    <Loaded query={query} label="Version">
      {(data) => {
        const text = data.version.content ?? "";
        // The newest version is compared with the previous one, any other with the current text.
        const same = !newest && text === detail.text;
        const [from, to] = newest ? [older.data?.version.content ?? "", text] : [text, detail.text ?? ""];
        return (
          <div className={classes.versionDiff}>
            <p className="muted">
              {newest && "Changes of this version"}
              {same && "Same as the current text"}
              {!newest && !same && `Changes since version ${number}`}
            </p>
            {!same && (
              <Suspense fallback={<LoadingLine label="diff" />}>
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
