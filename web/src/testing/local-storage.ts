// Node has no localStorage; the page keeps the secret of its session there.
const values = new Map<string, string>();

globalThis.localStorage = {
  getItem: (key: string) => values.get(key) ?? null,
  setItem: (key: string, value: string) => void values.set(key, value),
  removeItem: (key: string) => void values.delete(key),
} as Storage;
