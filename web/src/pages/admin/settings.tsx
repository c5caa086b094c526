// Every setting with its value and its source. A setting of config.toml or a default can be changed.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings } from "@/api/admin";
import type { Schema } from "@/api/keys";
import { capitalizeHint } from "@/domain/text/hints";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";
import { SettingEditor } from "./setting-editor";
import narrow from "./settings.module.css";

type Item = Schema<"SettingShape">;

export function SettingsSection() {
  const query = useQuery(settings());
  const [edited, setEdited] = useState<string>();
  return (
    <Section title="Settings" id="settings">
      <Loaded query={query} label="Settings">
        {(data) => (
          <Panel className={classes.panelBody}>
            <table className={`${classes.table} ${narrow.settings}`}>
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">Source</th>
                  <th scope="col">Meaning</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((item) => (
                  <SettingRow key={item.name} item={item} edit={() => setEdited(item.name)} readOnly={data.read_only} />
                ))}
              </tbody>
            </table>
            {data.read_only && <p className="muted">Studio is read-only: settings cannot be changed here</p>}
            {data.items.map(
              (item) =>
                item.name === edited && (
                  <SettingEditor key={item.name} item={item} close={() => setEdited(undefined)} />
                ),
            )}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}

const shown = (value: Item["value"]): string => (value === null || value === undefined ? "–" : String(value));

function SettingRow({ item, edit, readOnly }: { item: Item; edit: () => void; readOnly: boolean }) {
  return (
    <tr>
      <th scope="row">
        <code>{item.name}</code>
      </th>
      <td>
        <code>{shown(item.value)}</code>{" "}
        {!item.locked && !readOnly && (
          <Button variant="subtle" size="compact-xs" onClick={edit} aria-label={`Change ${item.name}`}>
            Change
          </Button>
        )}
        {item.in_use !== item.value && (
          <div className="warning-text">Studio uses {shown(item.in_use)} until it restarts</div>
        )}
      </td>
      <td title={item.variable}>{item.locked ? capitalizeHint(item.locked) : item.origin}</td>
      <td>{item.meaning}</td>
    </tr>
  );
}
