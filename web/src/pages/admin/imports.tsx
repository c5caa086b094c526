// Imports: progress, counts, buttons to start one, and files with problems.
import { Button, Group, Progress, Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { imports, switchFollowing } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { startLaunch } from "@/api/launches";
import { bytes, formatInteger, plural } from "@/domain/text/format";
import { Duration, RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { announceEnd } from "@/ui/new-run/started-jobs";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";
import following from "./following.module.css";

type Status = Schema<"ImportStatus">;

export function ImportsSection() {
  const query = useQuery(imports());
  return (
    <Section title="Imports" id="imports">
      <Loaded query={query} label="Imports">
        {(data) => (
          <Panel className={classes.panelBody}>
            <Following status={data} />
            {data.work.map((work) => (
              <ImportProgress key={work.id} work={work} />
            ))}
            <ImportCounts status={data} />
            <ImportButtons targets={data.targets} />
            <IncompleteFiles files={data.troubled} />
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

/** Whether transcripts are imported as they are written, with the switch of this server. */
function Following({ status: { follower, mirrors } }: { status: Status }) {
  const queries = useQueryClient();
  const change = (enabled: boolean): Promise<boolean> =>
    runAction(async () => {
      await switchFollowing(enabled);
      await queries.invalidateQueries({ queryKey: keys.imports() });
      return enabled ? "Following transcripts" : "Stopped following transcripts";
    });
  return (
    <div className={following.following}>
      <Switch
        label="Follow transcripts"
        checked={follower.enabled}
        disabled={!follower.can_switch}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      <p className="muted">
        Sessions that you start in Claude Code or Codex appear while they run. The setting{" "}
        <code>follow_transcripts</code> keeps this on or off.
      </p>
      <ul className={classes.preview}>
        {follower.tools.map((tool) => {
          const mirror = mirrors.find((row) => row.tool === tool.tool);
          return (
            <li key={`${tool.tool} ${tool.root}`}>
              <b>{tool.title}</b>: followed for <Duration since={tool.since} />,{" "}
              {mirror ? (
                <>
                  {plural(mirror.files, "transcript")} imported, last read <RelativeTime at={mirror.read_at} />
                </>
              ) : (
                "no transcripts yet"
              )}{" "}
              · <code>{tool.root}</code>
            </li>
          );
        })}
        {follower.tools.length === 0 && <li>{follower.enabled ? "Starting…" : "No process follows transcripts."}</li>}
      </ul>
      {follower.error && <p className={following.followError}>Following failed and is tried again: {follower.error}</p>}
    </div>
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
    <table className={`${classes.table} ${classes.counts}`}>
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
            <th scope="row">{mirror.title} transcripts</th>
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

function ImportButtons({ targets }: { targets: Status["targets"] }) {
  const queries = useQueryClient();
  const start = (verb: string, target: string, name: string): Promise<boolean> =>
    runAction(async () => {
      const { launch } = await startLaunch({ verb, target, prompt: "" });
      await queries.invalidateQueries({ queryKey: keys.launches() });
      await queries.invalidateQueries({ queryKey: keys.imports() });
      announceEnd(launch.id);
      return `Importing ${name}…`;
    });
  return (
    <Group gap={8} my="sm">
      {targets.map(({ verb, target, title }) => (
        <Button key={title} variant="default" onClick={() => void start(verb, target, title)}>
          Import {title}
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
