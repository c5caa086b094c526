// Actions on a show or a play. The server lists those that are possible now.
import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type ActionRequest, type Play, performAction, type Show, type ShowAction } from "@/api/shows";
import { parseFields, resultMessage } from "@/domain/actions";
import { ActionFields } from "@/ui/action-fields";
import { ConfirmDialog } from "@/ui/feedback/confirm";

const PRIMARY = new Set(["approve", "run", "resume"]);

export function ShowActions({ show }: { show: Show }) {
  return <ActionButtons topic={show.topic} name={show.topic} actions={show.deeds} />;
}

export function PlayActions({ topic, play }: { topic: string; play: Play }) {
  return <ActionButtons topic={topic} name={play.name} play={play.name} actions={play.deeds} />;
}

function ActionButtons(props: { topic: string; name: string; play?: string; actions: ShowAction[] }) {
  const [selected, setSelected] = useState<ShowAction>();
  return (
    <Group gap={6}>
      {props.actions.map((action) => (
        <Button
          key={action.action}
          variant={PRIMARY.has(action.action) ? "filled" : "default"}
          size="compact-sm"
          onClick={() => setSelected(action)}
        >
          {action.label}
        </Button>
      ))}
      {selected && <ConfirmAction {...props} action={selected} close={() => setSelected(undefined)} />}
    </Group>
  );
}

function ConfirmAction(props: {
  topic: string;
  name: string;
  play?: string;
  action: ShowAction;
  close: () => void;
}) {
  const { topic, name, play, action, close } = props;
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const fields = parseFields(action.fields, values);
  const run = async (): Promise<string> => {
    const body = { action: action.action as ActionRequest["action"], ...(play ? { play } : {}), ...fields };
    const message = resultMessage(await performAction(topic, body), `${action.label}: ${name}`);
    await queries.invalidateQueries({ queryKey: keys.show(topic) });
    return message;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={`${action.label}: ${name}`}
      confirmLabel={action.label}
      danger={action.danger}
      disabled={fields === null}
      run={run}
    >
      <p>{action.what}</p>
      <ActionFields fields={action.fields} values={values} change={setValues} />
    </ConfirmDialog>
  );
}
