// The home of somebody new: three ways to see something within a minute.
import { IconHistory, IconRobot, IconSitemap } from "@tabler/icons-react";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./welcome.module.css";

const WAYS = [
  {
    icon: IconHistory,
    title: "See what your agents did already",
    words:
      "Reads the transcripts of Claude Code and Codex on this machine, and follows them while they grow.",
    commands: ["li mirror claude --follow", "li mirror codex --follow"],
  },
  {
    icon: IconSitemap,
    title: "Watch a show",
    words:
      "A small repository, eight agents at work on it, gates and merges. It needs no account, and opens a Studio of its own.",
    commands: ["li demo"],
  },
  {
    icon: IconRobot,
    title: "Run an agent",
    words:
      "It appears here with its first message, and every message after it. The first needs nothing, the second Claude Code.",
    commands: ['li agent script "@say hello"', 'li agent claude "Explain this repository"'],
  },
];

export function Welcome() {
  return (
    <div className={classes.welcome}>
      <h2 className={classes.title}>Everything your agents do, kept and visible while it happens</h2>
      <p className={classes.intro}>
        Nothing is recorded yet. Run one of these in a terminal; what runs in this home appears here by
        itself. In a clone, <code>source .venv/bin/activate</code> puts <code>li</code> on the PATH.
      </p>
      <div className={classes.cards}>
        {WAYS.map(({ icon: Icon, title, words, commands }) => (
          <section key={title} className={classes.card}>
            <Icon size={20} stroke={1.6} className={classes.icon} />
            <h3 className={classes.cardTitle}>{title}</h3>
            <p className={classes.description}>{words}</p>
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
