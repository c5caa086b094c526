import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { ListRow } from "@/ui/list/list-row";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./plugins.module.css";

type Plugin = Schema<"PluginView">;

interface RowProps {
  plugin: Plugin;
  open: boolean;
  active: boolean;
  toggle: () => void;
}

export function PluginRow({ plugin, open, active, toggle }: RowProps) {
  const counts = Object.entries(plugin.counts).filter(([, count]) => count > 0);
  return (
    <ListRow
      active={active}
      title={
        <>
          {plugin.name} <span className="muted">{plugin.version}</span>
        </>
      }
      description={plugin.description ?? "No description"}
      error={plugin.error}
      toggle={toggle}
      details={open && <PluginComponents plugin={plugin} />}
    >
      <span className="muted">{counts.map(([kind, count]) => `${count} ${kind}`).join(" · ")}</span>
      {plugin.bad_components > 0 && (
        <span className="warning-text">{plural(plugin.bad_components, "invalid component")}</span>
      )}
      <span className="outline-badge">{plugin.origin}</span>
    </ListRow>
  );
}

function PluginComponents({ plugin }: { plugin: Plugin }) {
  return (
    <div className={classes.components}>
      <code className={classes.path}>{plugin.path}</code>
      <ProblemList problems={plugin.problems} />
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Kind</th>
            <th>Name</th>
            <th>File</th>
          </tr>
        </thead>
        <tbody>
          {plugin.components.map((component) => (
            <tr key={`${component.kind} ${component.path} ${component.name}`}>
              <td>{component.kind}</td>
              <td>
                {component.name}
                <ProblemList problems={component.problems} />
              </td>
              <td>
                <code>{component.path}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {plugin.components.length === 0 && <p className="muted">No components</p>}
    </div>
  );
}
