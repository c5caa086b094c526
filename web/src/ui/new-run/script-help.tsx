// What the scripted agent understands: it costs nothing and needs no account, so people try the product with it.
import { Button, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./new-run.module.css";

const DIRECTIVES = [
  ["@say TEXT", "answers"],
  ["@write FILE TEXT", "writes a file in the folder"],
  ["@run COMMAND", "runs a command"],
  ["@ask QUESTION | YES | NO", "asks you, and says your answer"],
  ["@fail TEXT", "fails with this error"],
] as const;

const EXAMPLES = [
  { name: "Ask, then write a file", prompt: "@ask Write hello.txt? | Yes | No\n@write hello.txt Hello\n@say Done" },
  { name: "Run a command, then fail", prompt: "@run ls -l\n@fail Nothing to do here" },
] as const;

export function ScriptHelp({ fill }: { fill: (prompt: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <UnstyledButton className={classes.more ?? ""} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconChevronRight size={13} className={classes.chevron} data-open={isOpen} aria-hidden /> What the scripted
        agent understands
      </UnstyledButton>
      {isOpen && (
        <div className={classes.help}>
          <p>It does each line of the prompt that starts with @, in order. It uses no model and costs nothing.</p>
          <dl>
            {DIRECTIVES.map(([directive, effect]) => (
              <div key={directive}>
                <dt>
                  <code>{directive}</code>
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
          {EXAMPLES.map(({ name, prompt }) => (
            <Button key={name} size="compact-xs" variant="default" onClick={() => fill(prompt)}>
              {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
