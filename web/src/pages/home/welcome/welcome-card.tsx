// One way to begin: a button that does it, and the same as a command.
import type { ComponentType, ReactNode } from "react";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./welcome.module.css";

interface CardProps {
  icon: ComponentType<{ size: number; stroke: number; className?: string | undefined }>;
  title: string;
  description: string;
  commands: readonly string[];
  location: string;
  children: ReactNode;
}

export function Card({ icon: Icon, title, description, commands, location, children }: CardProps) {
  return (
    <section className={classes.card} aria-label={title}>
      <Icon size={20} stroke={1.6} className={classes.icon} />
      <h3 className={classes.cardTitle}>{title}</h3>
      <p className={classes.description}>{description}</p>
      <div className={classes.acts}>{children}</div>
      {commands
        .map((command) => [command, location].filter(Boolean).join(" "))
        .map((command) => (
          <div key={command} className={classes.command}>
            <code>{command}</code>
            <CopyButton text={command} label={`Copy ${command}`} />
          </div>
        ))}
    </section>
  );
}
