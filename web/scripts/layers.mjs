// Checks the source tree: layers (domain -> api, ui -> pages -> app; a page never imports another page), the length of
// files, the number of modules in a folder, and that query keys are spelled only in api/keys.ts.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";

const MAX_LINES = 250;
const MAX_MODULES = 16;
const ALLOWED = {
  domain: [],
  api: ["domain"],
  ui: ["domain", "api"],
  pages: ["domain", "api", "ui"],
  app: ["domain", "api", "ui", "pages"],
  testing: ["domain", "api", "ui"],
};

function problemsOf(path, source) {
  const problems = [];
  const lines = source.split("\n").length;
  const isTest = /\.test\.tsx?$/.test(path);
  if (lines > MAX_LINES && !path.endsWith(".d.ts")) problems.push(`${path}: ${lines} lines, limit ${MAX_LINES}`);
  if (/queryKey: *\[/.test(source) && !isTest) problems.push(`${path}: query key outside api/keys.ts`);
  const [layer, page] = path.split("/");
  for (const [, target] of source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
    const imported = resolve(path, target);
    if (imported === undefined) continue;
    const [importedLayer, importedPage] = imported.split("/");
    const isAllowed =
      importedLayer === "testing" ? isTest : importedLayer === layer || ALLOWED[layer]?.includes(importedLayer);
    const isOtherPage = layer === "pages" && importedLayer === "pages" && page !== importedPage;
    if (!isAllowed || isOtherPage) problems.push(`${path} may not import ${imported}`);
  }
  return problems;
}

function resolve(path, target) {
  if (target.startsWith("@/")) return target.slice(2);
  return target.startsWith(".") ? posix.join(posix.dirname(path), target) : undefined;
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
const paths = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.(tsx?|css)$/.test(file.name))
  .map((file) => relative(root, join(file.parentPath, file.name)).replaceAll("\\", "/"));
const problems = paths.flatMap((path) => problemsOf(path, readFileSync(join(root, path), "utf8")));
const modules = paths.filter((path) => /(?<!\.test|\.d)\.tsx?$/.test(path));
for (const [folder, { length }] of Map.groupBy(modules, (path) => posix.dirname(path)))
  if (length > MAX_MODULES) problems.push(`${folder}: ${length} modules, limit ${MAX_MODULES}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${paths.length} files follow the layers.`);
