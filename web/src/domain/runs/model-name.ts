// "Sonnet 4.5" for "claude-sonnet-4-5-20250929", "GPT-5 Codex" for "gpt-5-codex"; other ids stay as they are.

const CLAUDE_NEW = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8}|-latest|@\d+)?$/;
const CLAUDE_OLD = /^claude-(\d+)(?:-(\d{1,2}))?-([a-z]+)(?:-\d{8}|-latest|@\d+)?$/;
const GPT = /^gpt-([\d.]+[a-z]?)((?:-[a-z]+)*)(?:-\d{4}-\d\d-\d\d)?$/;
const GEMINI = /^gemini-([\d.]+)((?:-[a-z]+)*)(?:-\d.*)?$/;

/** A short name of a model for people; the full id belongs into the tooltip. */
export function modelName(id: string): string {
  // A provider or a region may be in front: "anthropic/claude-…", "us.anthropic.claude-…-v1:0", "claude-…[1m]".
  const bare = id
    .replace(/\[\w+\]$/, "")
    .replace(/^.*[/]/, "")
    .replace(/^(?:[a-z]{2,4}\.)?anthropic\./, "")
    .replace(/-v\d+(?::\d+)?$/, "");
  const claude = CLAUDE_NEW.exec(bare);
  if (claude) return `${capital(claude[1] ?? "")} ${version(claude[2], claude[3])}`;
  const old = CLAUDE_OLD.exec(bare);
  if (old) return `${capital(old[3] ?? "")} ${version(old[1], old[2])}`;
  const gpt = GPT.exec(bare);
  if (gpt) return `GPT-${gpt[1]}${words(gpt[2])}`;
  const gemini = GEMINI.exec(bare);
  if (gemini) return `Gemini ${gemini[1]}${words(gemini[2])}`;
  return bare || id;
}

function version(major: string | undefined, minor: string | undefined): string {
  return minor === undefined || minor === "0" ? `${major}` : `${major}.${minor}`;
}

function words(suffix: string | undefined): string {
  return (suffix ?? "")
    .split("-")
    .filter(Boolean)
    .map((word) => ` ${capital(word)}`)
    .join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
