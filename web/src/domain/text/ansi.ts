// Parses terminal output: keeps colours, drops every other control sequence.

export interface StyledText {
  text: string;
  colour: number | undefined;
  bold: boolean;
  dim: boolean;
}

const SEQUENCE =
  /\u001b\[([0-9;:]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-Z\\-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

export function parseAnsi(source: string): StyledText[] {
  const spans: StyledText[] = [];
  let style = { colour: undefined as number | undefined, bold: false, dim: false };
  let last = 0;
  for (const match of source.matchAll(SEQUENCE)) {
    if (match.index > last) spans.push({ text: source.slice(last, match.index), ...style });
    last = match.index + match[0].length;
    if (match[2] === "m") style = applyCodes(style, match[1] ?? "");
  }
  if (last < source.length) spans.push({ text: source.slice(last), ...style });
  return spans;
}

type Style = Omit<StyledText, "text">;

function applyCodes(style: Style, codes: string): Style {
  let next = { ...style };
  const numbers = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i] ?? 0;
    if (code === 0) next = { colour: undefined, bold: false, dim: false };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code >= 30 && code <= 37) next.colour = code - 30;
    else if (code >= 90 && code <= 97) next.colour = code - 90;
    else if (code === 39) next.colour = undefined;
    // 256 and true colours are skipped with their arguments: the page has only the basic eight.
    else if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
  return next;
}
