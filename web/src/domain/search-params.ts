// Reads search parameters of the address, which may contain anything.

type Raw = Record<string, unknown>;

/** A non-empty text. The router parses `?q=12` as a number, which becomes text again. */
export function text(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 500) : undefined;
}

/** One text, or several of a parameter that is repeated. */
export function values(raw: Raw, name: string): string | string[] | undefined {
  const value = raw[name];
  if (!Array.isArray(value)) return text(raw, name);
  const texts = value.slice(0, 50).map((each) => text({ each }, "each"));
  const [first, ...others] = new Set(texts.filter((each) => each !== undefined));
  return others.length > 0 && first !== undefined ? [first, ...others] : first;
}

export function oneOf<T extends string>(raw: Raw, name: string, options: readonly T[]): T | undefined {
  return options.find((word) => word === raw[name]);
}

export function number(raw: Raw, name: string): number | undefined {
  const value = typeof raw[name] === "string" ? Number(raw[name]) : raw[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** True or undefined: a flag that is off is not in the address. */
export function flag(raw: Raw, name: string): true | undefined {
  return raw[name] === true || raw[name] === "true" || raw[name] === 1 ? true : undefined;
}
