// What was brought in, what could be, what was wrong with it, and what is being read right now.
import { Button, Group, Progress } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { imports, launch } from "@/api/admin";
import type { Schema } from "@/api/keys";
import { bytes, grouped } from "@/domain/text/format";
import { Duration, RelativeTime } from "@/ui/data/time";
import { told } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";

type Status = Schema<"ImportStatus">;

export function ImportsSection() {
  const query = useQuery(imports());
  return (
    <Section title="Imports" id="imports">
      <Loaded query={query} what="The imports">
        {(data) => (
          <Panel className={classes.padded}>
            {data.work.map((work) => (
              <Working key={work.id} work={work} />
            ))}
            <Counts status={data} />
            <Begin />
            <Troubled files={data.troubled} />
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

function Working({ work }: { work: Schema<"Work"> }) {
  const known = work.total > 0;
  return (
    <div className={classes.working}>
      <div>
        <b>{work.what}</b>{" "}
        <span className={classes.dim}>
          {grouped(work.done)}
          {known && ` of ${grouped(work.total)}`} · <Duration since={work.began_at} />
        </span>
      </div>
      <Progress
        value={known ? (100 * work.done) / work.total : 100}
        animated={!known}
        aria-label={work.what}
      />
    </div>
  );
}

function Counts({ status }: { status: Status }) {
  const rows = [
    ["Old runs", status.runs_on_disk, status.runs_imported],
    ["Shows", status.shows_on_disk, status.shows_imported],
    ["Teams", null, status.teams_imported],
  ] as const;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Found</th>
          <th scope="col">Brought in</th>
          <th scope="col">Failed or skipped</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, found, done]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{found === null ? "–" : grouped(found)}</td>
            <td>{grouped(done)}</td>
            <td>–</td>
          </tr>
        ))}
        {status.mirrors.map((mirror) => (
          <tr key={mirror.tool}>
            <th scope="row">{mirror.tool} transcripts</th>
            <td>
              {grouped(mirror.files)} ({bytes(mirror.bytes)})
            </td>
            <td>{grouped(mirror.messages)} messages</td>
            <td>{grouped(mirror.skipped + mirror.incomplete)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const TARGETS = [
  ["mirror", "claude", "Mirror Claude Code"],
  ["mirror", "codex", "Mirror Codex"],
  ["import", "runs", "Import old runs"],
  ["import", "shows", "Import shows"],
  ["import", "teams", "Import teams"],
] as const;

function Begin() {
  const queries = useQueryClient();
  const start = (verb: string, target: string, name: string): Promise<boolean> =>
    told(async () => {
      await launch(verb, target);
      await queries.invalidateQueries({ queryKey: ["launches"] });
      await queries.invalidateQueries({ queryKey: ["admin", "imports"] });
      return `${name}: begun`;
    });
  return (
    <Group gap={8} my="sm">
      {TARGETS.map(([verb, target, name]) => (
        <Button key={name} variant="default" onClick={() => void start(verb, target, name)}>
          {name}
        </Button>
      ))}
    </Group>
  );
}

function Troubled({ files }: { files: Status["troubled"] }) {
  if (files.length === 0) return null;
  return (
    <details className={classes.fold}>
      <summary>{grouped(files.length)} files were not read whole</summary>
      <ul className={classes.preview}>
        {files.map((file) => (
          <li key={file.path}>
            <code>{file.path}</code> {bytes(file.read_to)} of {bytes(file.size)},{" "}
            {Object.entries(file.skipped)
              .map(([why, count]) => `${count} × ${why}`)
              .join(", ")}{" "}
            <RelativeTime at={file.read_at} />
          </li>
        ))}
      </ul>
    </details>
  );
}
