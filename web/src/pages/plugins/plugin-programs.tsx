// Hooks and MCP servers of a plugin. Values of variables and headers never leave the server.
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./plugins.module.css";

type Components = Schema<"ComponentView">[];

export function Hooks({ hooks, components }: { hooks: Schema<"PluginHook">[]; components: Components }) {
  if (components.length === 0) return <p className="muted">No hooks</p>;
  return (
    <>
      <Problems components={components} />
      {hooks.length > 0 && (
        <section className={classes.wide} tabIndex={0} aria-label="Hooks">
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">Event</th>
                <th scope="col">Tools</th>
                <th scope="col">Runs</th>
              </tr>
            </thead>
            <tbody>
              {hooks.map((hook, index) => (
                <tr key={index}>
                  <th scope="row">{escapeBidi(hook.event)}</th>
                  <td>
                    <code>{escapeBidi(hook.matcher)}</code>
                  </td>
                  <td>
                    <code>{escapeBidi(hook.action) || hook.type}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

export function Servers({ servers, components }: { servers: Schema<"PluginServer">[]; components: Components }) {
  if (components.length === 0) return <p className="muted">No MCP servers</p>;
  return (
    <>
      <Problems components={components} />
      <ul className={classes.texts} aria-label="MCP servers">
        {servers.map((server, index) => (
          <li key={`${server.path} ${server.name} ${index}`} className={classes.server}>
            <b>{escapeBidi(server.name)}</b>
            {server.command && <code>{escapeBidi(server.command)}</code>}
            {server.url && <code>{escapeBidi(server.url)}</code>}
            <Hidden what="Environment" names={server.variables} />
            <Hidden what="Headers" names={server.headers} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Hidden({ what, names }: { what: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <div className={classes.hidden}>
      <span className="muted">{what}</span>
      {names.map((name) => (
        <code key={name} title="The value is hidden">
          {escapeBidi(name)}=•••
        </code>
      ))}
    </div>
  );
}

function Problems({ components }: { components: Components }) {
  return components.map(
    (component, index) =>
      component.problems.length > 0 && (
        <div key={index}>
          <code className={classes.path}>{component.path}</code>
          <ProblemList problems={component.problems} />
        </div>
      ),
  );
}
