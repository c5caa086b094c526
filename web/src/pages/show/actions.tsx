// Actions on a show or a play. The server lists those that are possible now.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type ActionRequest, type Play, performAction, type Show, type ShowAction } from "@/api/shows";
import { ActionDialog } from "@/ui/feedback/action-dialog";

const PRIMARY = new Set(["approve", "run", "resume"]);

export function ShowActions({ show }: { show: Show }) {
  return <ActionButtons topic={show.topic} actions={show.deeds} />;
}

export function PlayActions({ topic, play }: { topic: string; play: Play }) {
  return <ActionButtons topic={topic} play={play.name} actions={play.deeds} />;
}

function ActionButtons({ topic, play, actions }: { topic: string; play?: string; actions: ShowAction[] }) {
  const [selected, setSelected] = useState<ShowAction>();
  return (
    <Group gap={6}>
      {actions.map((action) => (
        <Button
          key={action.action}
          variant={PRIMARY.has(action.action) ? "filled" : "default"}
          size="compact-sm"
          onClick={() => setSelected(action)}
        >
          {action.label}
        </Button>
      ))}
      {selected && (
        <ActionDialog
          action={selected}
          subject={play ?? topic}
          perform={(fields) => {
            const action = selected.action as ActionRequest["action"];
            return performAction(topic, { action, ...(play ? { play } : {}), ...fields });
          }}
          queryKey={keys.show(topic)}
          close={() => setSelected(undefined)}
        />
      )}
    </Group>
  );
}
