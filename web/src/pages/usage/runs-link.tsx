// A link to the runs behind a number.
import type { ReactNode } from "react";
import type { Stack } from "@/domain/usage/usage";
import { TextLink } from "@/ui/link";

interface RunsLinkProps {
  since: number;
  until: number;
  /** The model, project, … whose runs are listed. */
  filter?: Partial<Record<Stack, string>>;
  className?: string;
  label?: string;
  children: ReactNode;
}

export function RunsLink({ since, until, filter, className, label, children }: RunsLinkProps) {
  const search = { since: Math.floor(since), until: Math.ceil(until), ...filter };
  return (
    <TextLink
      to="/runs"
      search={search as object}
      {...(className && { className })}
      {...(label && { "aria-label": label })}
    >
      {children}
    </TextLink>
  );
}
