// The folders that were searched: what each has, and why one was not read.
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./plugins.module.css";

export const ROOT_NAMES: Record<string, string> = {
  home: "Lion Studio",
  marketplace: "marketplace",
  claude: "Claude Code",
  project: "project",
};

interface SearchedProps {
  folders: Schema<"SearchPathView">[];
  paths: string[];
  what: string;
}

export function SearchedFolders({ folders, paths, what }: SearchedProps) {
  const unreadable = folders.filter((folder) => folder.refused).length;
  return (
    <details className={classes.folders} open={paths.length === 0 || unreadable > 0}>
      <summary>
        {plural(folders.length, "folder")} searched
        {unreadable > 0 && `, ${unreadable} not read`}
      </summary>
      <ul>
        {folders.map((folder) => (
          <li key={folder.path}>
            <code>{folder.path}</code>{" "}
            <span className="outline-badge">{ROOT_NAMES[folder.origin] ?? folder.origin}</span>{" "}
            {folder.refused ? (
              <span className="error-text">
                Not read: {folder.refused}
                {folder.hint && <CodeSpans text={`. To use it, run \`${folder.hint}\``} />}
              </span>
            ) : (
              plural(paths.filter((path) => path.startsWith(`${folder.path}/`)).length, what)
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
