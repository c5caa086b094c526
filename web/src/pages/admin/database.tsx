// The database: size, growth, tables and maintenance.
import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { backup, checkpoint, database, vacuum } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { bytes, formatInteger } from "@/domain/text/format";
import { StackedBars } from "@/ui/data/bar-charts";
import { runAction } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";
import { PruneDialog } from "./prune-dialog";

const ACTIONS = [
  {
    name: "Checkpoint",
    run: async () => {
      const { result } = await checkpoint();
      return result.busy
        ? "another process is reading, part of the log remains"
        : `${formatInteger(result.folded_frames)} frames written back`;
    },
  },
  {
    name: "Vacuum",
    run: async () => {
      const { result } = await vacuum();
      return `${bytes(result.bytes_before)} → ${bytes(result.bytes_after)}`;
    },
  },
  {
    name: "Backup",
    run: async () => {
      const { result } = await backup();
      return `${result.path} (${bytes(result.bytes)})`;
    },
  },
];

export function DatabaseSection() {
  const query = useQuery(database());
  const [pruning, setPruning] = useState(false);
  return (
    <Section title="Database" id="database">
      <Loaded query={query} label="Database">
        {({ stats, growth }) => (
          <Panel className={classes.panelBody}>
            <Sizes stats={stats} />
            <Growth days={growth} />
            <Tables stats={stats} />
            <DatabaseActions prune={() => setPruning(true)} />
          </Panel>
        )}
      </Loaded>
      {pruning && <PruneDialog close={() => setPruning(false)} />}
    </Section>
  );
}

function Sizes({ stats }: { stats: Schema<"DatabaseFacts"> }) {
  const facts: [string, string][] = [
    ["File", stats.path],
    ["Size", bytes(stats.size_bytes)],
    ["Write-ahead log", bytes(stats.wal_bytes)],
    ["Free space", bytes(stats.free_bytes)],
    ["Schema version", String(stats.schema_version)],
    ["Messages not indexed", formatInteger(stats.unindexed_messages)],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Growth({ days }: { days: Schema<"Day">[] }) {
  if (days.length === 0) return null;
  const bars = days.map((day) => ({
    key: day.at,
    label: new Date(day.at * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric" }),
    parts: [{ tone: "info", name: "messages", value: day.messages }],
    more: <div>{formatInteger(day.sessions)} runs</div>,
  }));
  return <StackedBars bars={bars} label="Messages by day" height={64} />;
}

function Tables({ stats }: { stats: Schema<"DatabaseFacts"> }) {
  const rows = Object.entries(stats.rows).sort(([, a], [, b]) => b - a);
  return (
    <details className={classes.details}>
      <summary>Rows in {rows.length} tables</summary>
      <table className={classes.table}>
        <tbody>
          {rows.map(([table, count]) => (
            <tr key={table}>
              <th scope="row">{table}</th>
              <td>{formatInteger(count)}</td>
              <td>{stats.bytes?.[table] === undefined ? "" : bytes(stats.bytes[table])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function DatabaseActions({ prune }: { prune: () => void }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string>();
  const act = async (name: string, run: () => Promise<string>): Promise<void> => {
    setBusy(name);
    await runAction(async () => `${name}: ${await run()}`);
    setBusy(undefined);
    await queries.invalidateQueries({ queryKey: keys.database() });
  };
  return (
    <Group gap={8} mt="sm">
      {ACTIONS.map(({ name, run }) => (
        <Button
          key={name}
          variant="default"
          loading={busy === name}
          disabled={busy !== undefined && busy !== name}
          onClick={() => void act(name, run)}
        >
          {name}
        </Button>
      ))}
      <Button variant="default" onClick={prune}>
        Prune…
      </Button>
    </Group>
  );
}
