// The database: size, growth, tables and maintenance.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { database } from "@/api/admin";
import type { Schema } from "@/api/keys";
import { bytes, compact, formatInteger } from "@/domain/text/format";
import { StackedBars } from "@/ui/data/bar-charts";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";
import growth from "./growth.module.css";
import { type Maintenance, MaintenanceDialog } from "./maintenance";
import { PruneDialog } from "./prune-dialog";

const BUTTONS = ["Checkpoint", "Vacuum", "Backup"] as const;

export function DatabaseSection() {
  const query = useQuery(database());
  const [dialog, setDialog] = useState<Maintenance | "Prune">();
  const [result, setResult] = useState<string>();
  const close = (): void => setDialog(undefined);
  return (
    <Section title="Database" id="database">
      <Loaded query={query} label="Database">
        {({ stats, growth: days }) => (
          <Panel className={classes.panelBody}>
            <Sizes stats={stats} />
            <Growth days={days} />
            <Tables stats={stats} />
            <Group gap={8} mt="sm">
              {BUTTONS.map((name) => (
                <Button key={name} variant="default" onClick={() => setDialog(name)}>
                  {name}…
                </Button>
              ))}
              <Button variant="default" onClick={() => setDialog("Prune")}>
                Prune…
              </Button>
            </Group>
            <p className={classes.result} role="status">
              {result}
            </p>
          </Panel>
        )}
      </Loaded>
      {dialog === "Prune" && <PruneDialog close={close} done={setResult} />}
      {dialog !== undefined && dialog !== "Prune" && <MaintenanceDialog name={dialog} close={close} done={setResult} />}
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
  const highest = Math.max(...days.map((day) => day.messages));
  const bars = days.map((day) => ({
    key: day.at,
    label: new Date(day.at * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" }),
    parts: [{ tone: "info", name: "messages", value: day.messages }],
    more: <div>{formatInteger(day.sessions)} runs</div>,
  }));
  return (
    <figure className={growth.figure}>
      <figcaption>Messages of the runs of each day, last {days.length} days</figcaption>
      <div className={growth.chart}>
        <div className={growth.scale} aria-hidden>
          <span>{compact(Math.max(1, highest))}</span>
          <span>0</span>
        </div>
        <StackedBars bars={bars} label={`Messages by day, at most ${formatInteger(highest)} on one day`} height={72} />
      </div>
    </figure>
  );
}

function Tables({ stats }: { stats: Schema<"DatabaseFacts"> }) {
  const rows = Object.entries(stats.rows).sort(([, a], [, b]) => b - a);
  return (
    <details className={classes.details}>
      <summary>Rows in {rows.length} tables</summary>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">Rows</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
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
