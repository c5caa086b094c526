// Something that a person orders: what they give with it, and how it went. The server says what can be ordered.

export interface ActionField {
  name: string;
  label: string;
  /** lines, text or number */
  kind: string;
  required: boolean;
}

type Values = Readonly<Record<string, string>>;

/** What was typed as fields of the order; null while something is missing or is no number above zero. */
export function parseFields(
  fields: readonly ActionField[],
  values: Values,
): Record<string, string | number> | null {
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

interface ActionResponse {
  launch?: { exit_code: number | null; target: string | null };
  output?: string;
  transitions?: unknown[];
  over?: boolean;
  outcome?: string;
}

/** How an order went, in a sentence. A request that was answered may have failed all the same: that is thrown. */
export function resultMessage(response: ActionResponse, done: string): string {
  const lastOutput = lastLine(response.output ?? "");
  const code = response.launch?.exit_code;
  if (code) throw new Error(lastOutput || `li show ${response.launch?.target ?? ""} ended with ${code}`);
  if (response.transitions?.length === 0)
    throw new Error("Nothing was marked: it is not known to be lost any more.");
  if (response.over === false) throw new Error(response.outcome ?? "It may still run.");
  return lastOutput || done;
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
