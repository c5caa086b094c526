// One plugin, and its parts when it is open.
import { IconChevronRight } from "@tabler/icons-react";
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import classes from "./plugins.module.css";
import { Problems } from "./problems";

type Plugin = Schema<"Plugin">;

interface RowProps {
  plugin: Plugin;
  open: boolean;
  active: boolean;
  toggle: () => void;
}

export function PluginRow({ plugin, open, active, toggle }: RowProps) {
  const counts = Object.entries(plugin.counts).filter(([, count]) => count > 0);
  return (
    <li className={classes.plugin} data-active={active}>
      <button type="button" className={classes.row} aria-expanded={open} onClick={toggle}>
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <span className={classes.what}>
          <b>{plugin.name}</b> <span className={classes.muted}>{plugin.version}</span>
          <span className={plugin.error ? classes.error : classes.description}>
            {plugin.error ?? plugin.description ?? "no description"}
          </span>
        </span>
        <span className={classes.muted}>{counts.map(([kind, count]) => `${count} ${kind}`).join(" · ")}</span>
        {plugin.bad_components > 0 && (
          <span className={classes.warning}>{plural(plugin.bad_components, "bad part")}</span>
        )}
        <span className={classes.origin}>{plugin.origin}</span>
      </button>
      {open && <PluginComponents plugin={plugin} />}
    </li>
  );
}

function PluginComponents({ plugin }: { plugin: Plugin }) {
  return (
    <div className={classes.components}>
      <code className={classes.path}>{plugin.path}</code>
      <Problems problems={plugin.problems} />
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Kind</th>
            <th>Name</th>
            <th>File</th>
          </tr>
        </thead>
        <tbody>
          {plugin.components.map((part) => (
            <tr key={`${part.kind} ${part.path} ${part.name}`}>
              <td>{part.kind}</td>
              <td>
                {part.name}
                <Problems problems={part.problems} />
              </td>
              <td>
                <code>{part.path}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {plugin.components.length === 0 && <p className={classes.muted}>It has no parts.</p>}
    </div>
  );
}
