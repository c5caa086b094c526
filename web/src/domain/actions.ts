// Actions that the server offers: parsing the fields of the form, and the outcome as a message.

export interface ActionField {
  name: string;
  label: string;
  /** "lines", "text" or "number" */
  kind: string;
  required: boolean;
}

type Values = Readonly<Record<string, string>>;

/** The values as request fields; null while a required one is missing or a number is not positive. */
export function parseFields(fields: readonly ActionField[], values: Values): Record<string, string | number> | null {
  const body: Record<string, string | number> = {};
  for (const { name, kind, required } of fields) {
    const typed = (values[name] ?? "").trim();
    if (typed === "" && required) return null;
    if (typed === "") continue;
    if (kind === "number" && !(Number(typed) > 0)) return null;
    body[name] = kind === "number" ? Number(typed) : typed;
  }
  return body;
}

export interface ActionResponse {
  launch?: { exit_code: number | null; target: string | null };
  output?: string;
  transitions?: unknown[];
  over?: boolean;
  outcome?: string;
}

/** The message for a finished action. A successful response can still report a failure, which is thrown. */
export function resultMessage(response: ActionResponse, done: string): string {
  const lastOutput = lastLine(response.output ?? "");
  const code = response.launch?.exit_code;
  if (code) throw new Error(lastOutput || `li show ${response.launch?.target ?? ""} exited with ${code}`);
  if (response.transitions?.length === 0) throw new Error("Not marked: the run is not proven dead.");
  if (response.over === false) throw new Error(response.outcome ?? "The run may still be running.");
  return lastOutput || done;
}

/** The error message of a command that failed, without its hint; else the last line of its output. */
export function errorLine(output: string): string {
  const messages = output.split("\n").filter((line) => line.startsWith("li: "));
  return messages.at(-1)?.slice("li: ".length) ?? lastLine(output);
}

export function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
