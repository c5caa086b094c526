import { useQuery } from "@tanstack/react-query";
import { settings } from "@/api/admin";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";

export function SettingsSection() {
  const query = useQuery(settings());
  return (
    <Section title="Settings" id="settings">
      <Loaded query={query} label="Settings">
        {(data) => (
          <Panel className={classes.panelBody}>
            <table className={`${classes.table} ${classes.settings}`}>
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
                  <tr key={item.name}>
                    <th scope="row">
                      <code>{item.name}</code>
                    </th>
                    <td>
                      <code>{item.value === null ? "–" : String(item.value)}</code>
                    </td>
                    <td title={item.variable}>{item.origin}</td>
                    <td>{item.meaning}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {data.read_only && <p className="muted">Studio was started with --read-only</p>}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}
