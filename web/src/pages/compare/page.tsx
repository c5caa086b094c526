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
      label: "Back to runs",
      group: "Compare",
      run: () => void navigate({ to: "/runs" }),
    },
  ]);
  if (!a || !b)
    return (
      <Page title="Compare">
        <EmptyState title="Select two runs to compare" action={<TextLink to="/runs">Go to runs</TextLink>}>
          Select two runs in the list, by their boxes or with the key <kbd>x</kbd>, then press Compare.
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
    <Loaded query={first} label="First run" missing={{ what: "run", name: a, list: "/runs" }}>
      {(left) => (
        <Loaded query={second} label="Second run" missing={{ what: "run", name: b, list: "/runs" }}>
          {(right) => <Comparison a={left} b={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}
