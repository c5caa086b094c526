// The home page of a new installation.
import { IconHistory, IconRobot, IconSitemap } from "@tabler/icons-react";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./welcome.module.css";

const STEPS = [
  {
    icon: IconHistory,
    title: "Import your agent history",
    description: "Imports the Claude Code and Codex transcripts of this machine, and follows new messages.",
    commands: ["li mirror claude --follow", "li mirror codex --follow"],
  },
  {
    icon: IconSitemap,
    title: "Watch a show",
    description:
      "Eight agents work on a small repository, with gates and merges. The demo needs no account and opens its own Studio.",
    commands: ["li demo"],
  },
  {
    icon: IconRobot,
    title: "Run an agent",
    description:
      "The run appears here live, message by message. The first command needs no account, the second one needs Claude Code.",
    commands: ['li agent script "@say hello"', 'li agent claude "Explain this repository"'],
  },
];

export function Welcome() {
  return (
    <div className={classes.welcome}>
      <h2 className={classes.title}>Everything your agents do, recorded and shown live</h2>
      <p className={classes.intro}>
        No runs are recorded yet. Run one of these commands in a terminal; its runs appear here. In a clone of the
        repository, first run <code>source .venv/bin/activate</code> to put <code>li</code> on the PATH.
      </p>
      <div className={classes.cards}>
        {STEPS.map(({ icon: Icon, title, description, commands }) => (
          <section key={title} className={classes.card}>
            <Icon size={20} stroke={1.6} className={classes.icon} />
            <h3 className={classes.cardTitle}>{title}</h3>
            <p className={classes.description}>{description}</p>
            {commands.map((command) => (
              <div key={command} className={classes.command}>
                <code>{command}</code>
                <CopyButton text={command} label={`Copy ${command}`} />
              </div>
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}
