// Two runs beside each other: what is different about them, and where what they said parts.
import { Button } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { run } from "@/api/runs";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { Page } from "@/ui/page";
import { Comparison } from "./comparison";

export function ComparePage() {
  const { a, b } = useSearch({ from: "/compare" });
  const navigate = useNavigate({ from: "/compare" });
  useShortcuts([
    {
      keys: "Escape",
      label: "Back to the runs",
      group: "Compare",
      run: () => void navigate({ to: "/runs" }),
    },
  ]);
  if (!a || !b)
    return (
      <Page title="Compare">
        <EmptyState title="Two runs are needed" action={<TextLink to="/runs">Choose them</TextLink>}>
          In the list of runs, x chooses a run; with two chosen, Compare brings you here.
        </EmptyState>
      </Page>
    );
  const swap = (): void => void navigate({ search: { a: b, b: a }, replace: true });
  return (
    <Page
      title="Compare"
      actions={
        <Button variant="default" leftSection={<IconArrowsExchange size={14} />} onClick={swap}>
          Swap
        </Button>
      }
    >
      <RunPair key={`${a} ${b}`} a={a} b={b} />
    </Page>
  );
}

function RunPair({ a, b }: { a: string; b: string }) {
  const [first, second] = [useQuery(run(a)), useQuery(run(b))];
  return (
    <Loaded query={first} label="The first run">
      {(left) => (
        <Loaded query={second} label="The second run">
          {(right) => <Comparison a={left} b={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}
