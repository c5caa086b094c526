// Skills, agents and commands of a plugin: each opens to its text and its files.
import { useQuery } from "@tanstack/react-query";
import { definitions } from "@/api/definitions";
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { TextLink } from "@/ui/link";
import { Markdown } from "@/ui/text/markdown";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./plugins.module.css";

type Component = Schema<"ComponentView">;
type Text = Schema<"PluginText">;

interface TextsProps {
  kind: string;
  texts: Text[];
  components: Component[];
  opened: string | undefined;
}

export function PluginTexts({ kind, texts, components, opened }: TextsProps) {
  if (components.length === 0) return <p className="muted">No {kind}s</p>;
  return (
    <ul className={classes.texts} aria-label={`${kind}s`}>
      {components.map((component) => {
        const text = texts.find((one) => one.path === component.path);
        return (
          <li key={`${component.path} ${component.name}`}>
            <details open={components.length === 1 || component.name === opened}>
              <summary>
                <b>{escapeBidi(component.name)}</b>{" "}
                <span className="muted">{component.description && escapeBidi(component.description)}</span>
              </summary>
              <div className={classes.text}>
                <code className={classes.path}>{component.path}</code>
                {kind === "agent" && <OwnAgent name={component.name} />}
                {text?.text && <Markdown text={text.text} />}
                {text && text.files.length > 0 && <Files files={text.files} />}
              </div>
            </details>
            <ProblemList problems={component.problems} />
          </li>
        );
      })}
    </ul>
  );
}

/** The link to an agent of the same name that `li agent` can run. */
function OwnAgent({ name }: { name: string }) {
  const query = useQuery(definitions("agent"));
  if (!query.data?.items.some((agent) => agent.name === name)) return null;
  return (
    <p>
      An agent of this name is in{" "}
      <TextLink to="/agents/$name" params={{ name }} className={classes.inlineLink}>
        Agents
      </TextLink>
    </p>
  );
}

function Files({ files }: { files: string[] }) {
  return (
    <>
      <p className="muted">{plural(files.length, "file")} beside SKILL.md</p>
      <ul className={classes.files}>
        {files.map((file) => (
          <li key={file}>
            <code>{file}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
