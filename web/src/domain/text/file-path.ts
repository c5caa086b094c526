// Whether a text that someone typed or pasted names a file.

const FILE_NAME = /[\w-]\.[a-z][a-z0-9]{0,9}$/i;

/** The path of a file without its line ("src/x.py:12"); undefined for other texts. */
export function filePath(typed: string): string | undefined {
  const path = typed.trim().replace(/(:\d+){1,2}$/, "");
  if (/\s|:\/\//.test(path)) return undefined;
  return /[^/]\/|\/[^/]/.test(path) || FILE_NAME.test(path) ? path : undefined;
}
