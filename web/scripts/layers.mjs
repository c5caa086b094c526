// Who may import whom: domain -> (api, ui) -> pages -> app, and a page never imports another page.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";

const LONGEST = 250;
const BELOW = {
  domain: [],
  api: ["domain"],
  ui: ["domain", "api"],
  pages: ["domain", "api", "ui"],
  app: ["domain", "api", "ui", "pages"],
  testing: ["domain", "api", "ui"],
};

/** What is wrong with one file's imports and length; an empty list when nothing is. */
export function faultsOf(path, source) {
  const found = [];
  const lines = source.split("\n").length;
  if (lines > LONGEST && !path.endsWith(".d.ts")) found.push(`${path}: ${lines} lines, more than ${LONGEST}`);
  const [room, page] = path.split("/");
  for (const [, target] of source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
    const goal = resolved(path, target);
    if (goal === undefined) continue;
    const [into, otherPage] = goal.split("/");
    const isTest = /\.test\.tsx?$/.test(path);
    if (into === "testing" ? isTest : into === room || BELOW[room]?.includes(into)) {
      if (room !== "pages" || into !== "pages" || page === otherPage) continue;
    }
    found.push(`${path} may not import ${goal}`);
  }
  return found;
}

function resolved(path, target) {
  if (target.startsWith("@/")) return target.slice(2);
  return target.startsWith(".") ? posix.join(posix.dirname(path), target) : undefined;
}

function main() {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
  const files = readdirSync(root, { recursive: true, withFileTypes: true });
  const sources = files.filter((file) => file.isFile() && /\.(tsx?|css)$/.test(file.name));
  const faults = sources.flatMap((file) => {
    const whole = join(file.parentPath, file.name);
    return faultsOf(relative(root, whole).replaceAll("\\", "/"), readFileSync(whole, "utf8"));
  });
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`${sources.length} files import only from the rooms below them.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
