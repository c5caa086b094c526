// What the address bar says, as something a page can trust: anything may be typed there.

type Raw = Record<string, unknown>;

/** A text, or nothing when it is missing or empty. The router reads `?q=12` as a number; here it is a text again. */
export function text(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 500) : undefined;
}

/** One of these words, or nothing. */
export function oneOf<T extends string>(raw: Raw, name: string, options: readonly T[]): T | undefined {
  return options.find((word) => word === raw[name]);
}

/** A finite number, or nothing. */
export function number(raw: Raw, name: string): number | undefined {
  const value = typeof raw[name] === "string" ? Number(raw[name]) : raw[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** True, or nothing: a switch that is off is not in the address. */
export function flag(raw: Raw, name: string): true | undefined {
  return raw[name] === true || raw[name] === "true" || raw[name] === 1 ? true : undefined;
}
