// Imports: progress, counts, buttons to start one, and files with problems.
import { Button, Group, Progress } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { imports } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { startLaunch, waitForLaunch } from "@/api/launches";
import { bytes, formatInteger, plural } from "@/domain/text/format";
import { Duration, RelativeTime } from "@/ui/data/time";
import { runAction } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";

type Status = Schema<"ImportStatus">;

export function ImportsSection() {
  const query = useQuery(imports());
  return (
    <Section title="Imports" id="imports">
      <Loaded query={query} label="Imports">
        {(data) => (
          <Panel className={classes.panelBody}>
            {data.work.map((work) => (
              <ImportProgress key={work.id} work={work} />
            ))}
            <ImportCounts status={data} />
            <ImportButtons />
            <IncompleteFiles files={data.troubled} />
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

function ImportProgress({ work }: { work: Schema<"ProgressView"> }) {
  const hasTotal = work.total > 0;
  return (
    <div className={classes.progress}>
      <div>
        <b>{work.what}</b>{" "}
        <span className="muted">
          {formatInteger(work.done)}
          {hasTotal && ` of ${formatInteger(work.total)}`} · <Duration since={work.began_at} />
        </span>
      </div>
      <Progress value={hasTotal ? (100 * work.done) / work.total : 100} animated={!hasTotal} aria-label={work.what} />
    </div>
  );
}

function ImportCounts({ status }: { status: Status }) {
  const rows = [
    ["Old runs", status.runs_on_disk, status.runs_imported],
    ["Shows", status.shows_on_disk, status.shows_imported],
    ["Teams", null, status.teams_imported],
  ] as const;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col">Found</th>
          <th scope="col">Imported</th>
          <th scope="col">Failed or skipped</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, total, done]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{total === null ? "–" : formatInteger(total)}</td>
            <td>{formatInteger(done)}</td>
            <td>–</td>
          </tr>
        ))}
        {status.mirrors.map((mirror) => (
          <tr key={mirror.tool}>
            <th scope="row">{mirror.tool} transcripts</th>
            <td>
              {formatInteger(mirror.files)} ({bytes(mirror.bytes)})
            </td>
            <td>{formatInteger(mirror.messages)} messages</td>
            <td>{formatInteger(mirror.skipped + mirror.incomplete)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const TARGETS = [
  ["mirror", "claude", "Claude Code history"],
  ["mirror", "codex", "Codex history"],
  ["import", "runs", "old runs"],
  ["import", "shows", "shows"],
  ["import", "teams", "teams"],
] as const;

function ImportButtons() {
  const queries = useQueryClient();
  const start = (verb: string, target: string, name: string): Promise<boolean> =>
    runAction(async () => {
      const { launch } = await startLaunch({ verb, target, prompt: "" });
      await queries.invalidateQueries({ queryKey: keys.launches() });
      await queries.invalidateQueries({ queryKey: keys.imports() });
      void runAction(() => waitForLaunch(launch.id));
      return `Importing ${name}…`;
    });
  return (
    <Group gap={8} my="sm">
      {TARGETS.map(([verb, target, name]) => (
        <Button key={name} variant="default" onClick={() => void start(verb, target, name)}>
          Import {name}
        </Button>
      ))}
    </Group>
  );
}

function IncompleteFiles({ files }: { files: Status["troubled"] }) {
  if (files.length === 0) return null;
  return (
    <details className={classes.details}>
      <summary>{plural(files.length, "file")} not read completely</summary>
      <ul className={classes.preview}>
        {files.map((file) => (
          <li key={file.path}>
            <code>{file.path}</code> {bytes(file.read_to)} of {bytes(file.size)},{" "}
            {Object.entries(file.skipped)
              .map(([reason, count]) => `${count} × ${reason}`)
              .join(", ")}{" "}
            <RelativeTime at={file.read_at} />
          </li>
        ))}
      </ul>
    </details>
  );
}
