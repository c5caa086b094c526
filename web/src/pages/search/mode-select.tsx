// How the search compares: by words, or by meaning where an embedding model is set.
import { ActionIcon, Popover, Select } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { searchFilters } from "@/api/search";
import { keysOf } from "@/domain/runs/filters";
import { endSentence } from "@/domain/text/hints";
import { CodeSpans } from "@/ui/text/code-spans";
import { MODES } from "./route";
import classes from "./search.module.css";

type Mode = keyof typeof MODES;

/** The mode that is used, and why another one is not. */
export function useMode(wanted: Mode | undefined) {
  const modes = useQuery(searchFilters()).data?.modes ?? [];
  const refused = modes.find(({ mode, reason }) => mode === wanted && reason !== null);
  return { mode: refused ? "words" : (wanted ?? "words"), refused } as const;
}

export function ModeSelect({ value, change }: { value: Mode | undefined; change: (value?: string) => void }) {
  const modes = useQuery(searchFilters()).data?.modes ?? [];
  const obstacle = modes.find(({ reason }) => reason !== null);
  const { mode } = useMode(value);
  return (
    <span className={classes.mode}>
      <Select
        className={classes.modeSelect}
        aria-label="Mode"
        value={mode}
        onChange={(next) => change(next === "words" ? undefined : (next ?? undefined))}
        data={keysOf(MODES).map((each) => ({
          value: each,
          label: MODES[each],
          disabled: modes.some((known) => known.mode === each && known.reason !== null),
        }))}
        allowDeselect={false}
        comboboxProps={{ width: "max-content", position: "bottom-start" }}
      />
      {obstacle && (
        <Popover width={320} position="bottom-end" shadow="md" withArrow>
          <Popover.Target>
            <ActionIcon size="sm" aria-label="Why search by meaning is off">
              <IconInfoCircle size={15} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <Obstacle reason={obstacle.reason} hint={obstacle.hint} />
          </Popover.Dropdown>
        </Popover>
      )}
    </span>
  );
}

export function Obstacle({ reason, hint }: { reason: string | null; hint: string | null }) {
  return (
    <>
      Search by meaning needs an embedding model: <CodeSpans text={endSentence(reason ?? "")} />
      {hint && (
        <>
          {" "}
          How: <CodeSpans text={endSentence(/^(li|pip) /.test(hint) ? `\`${hint}\`` : hint)} />
        </>
      )}
    </>
  );
}
