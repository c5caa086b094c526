// The arguments of a playbook: name, type, default, and whether one is required.
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import classes from "./definitions.module.css";

const TYPES: Record<string, string> = { str: "text", int: "integer", float: "number", bool: "yes or no" };

export function PlaybookArguments({ args }: { args: Schema<"Argument">[] }) {
  return (
    <table className={classes.arguments} aria-label="Arguments">
      <thead>
        <tr>
          <th scope="col">Argument</th>
          <th scope="col">Type</th>
          <th scope="col">Default</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {args.map((arg) => (
          <tr key={arg.name}>
            <th scope="row">
              <code>{arg.name}</code>
            </th>
            <td>{TYPES[arg.type] ?? arg.type}</td>
            <td>{arg.required ? <b>required</b> : <DefaultValue value={arg.default} />}</td>
            <td>{arg.help === null || arg.help === undefined ? "" : escapeBidi(arg.help)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DefaultValue({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "") return <span className="muted">empty</span>;
  return <code>{escapeBidi(typeof value === "string" ? value : JSON.stringify(value))}</code>;
}
