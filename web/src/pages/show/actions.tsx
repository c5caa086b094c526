// What a person may say about a show or a play; the server names what is possible now, and what comes of it.
import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type Deed, type Order, order, type Play, type Show } from "@/api/shows";
import { filled, outcomeOf } from "@/domain/actions";
import { WantedFields } from "@/ui/action-fields";
import { ConfirmPreview } from "@/ui/feedback/confirm";

const FORWARD = new Set(["approve", "run", "resume"]);

export function ShowActions({ show }: { show: Show }) {
  return <Buttons topic={show.topic} name={show.topic} deeds={show.deeds} />;
}

export function PlayActions({ topic, play }: { topic: string; play: Play }) {
  return <Buttons topic={topic} name={play.name} play={play.name} deeds={play.deeds} />;
}

function Buttons(props: { topic: string; name: string; play?: string; deeds: Deed[] }) {
  const [chosen, setChosen] = useState<Deed>();
  return (
    <Group gap={6}>
      {props.deeds.map((deed) => (
        <Button
          key={deed.action}
          variant={FORWARD.has(deed.action) ? "filled" : "default"}
          size="compact-sm"
          onClick={() => setChosen(deed)}
        >
          {deed.label}
        </Button>
      ))}
      {chosen && <Sure {...props} deed={chosen} close={() => setChosen(undefined)} />}
    </Group>
  );
}

function Sure(props: { topic: string; name: string; play?: string; deed: Deed; close: () => void }) {
  const { topic, name, play, deed, close } = props;
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const given = filled(deed.fields, values);
  const run = async (): Promise<string> => {
    const body = { action: deed.action as Order["action"], ...(play ? { play } : {}), ...given };
    const said = outcomeOf(await order(topic, body), `${deed.label}: ${name}`);
    await queries.invalidateQueries({ queryKey: keys.show(topic) });
    return said;
  };
  return (
    <ConfirmPreview
      opened
      close={close}
      title={`${deed.label}: ${name}`}
      deed={deed.label}
      danger={deed.danger}
      disabled={given === null}
      run={run}
    >
      <p>{deed.what}</p>
      <WantedFields fields={deed.fields} values={values} change={setValues} />
    </ConfirmPreview>
  );
}
