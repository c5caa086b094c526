/** A prefix of an id that `li` accepts; it encodes the creation time to the millisecond. */
export function shortId(id: string): string {
  return id.length > 16 ? id.slice(0, 13) : id;
}
