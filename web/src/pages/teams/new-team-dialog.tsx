// Creates a team.
import { Button, Group, Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { createTeam } from "@/api/teams";
import { runAction } from "@/ui/feedback/run-action";

export function NewTeamDialog({ close }: { close: () => void }) {
  const [name, setName] = useState("");
  const [typed, setTyped] = useState("");
  const members = typed.split(",").flatMap((member) => member.trim() || []);
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || name.trim() === "" || members.length === 0) return;
    setBusy(true);
    await runAction(async () => {
      const { team } = await createTeam(name.trim(), members);
      await navigate({ to: "/teams/$teamId", params: { teamId: team.id ?? team.name } });
      return `Created team ${team.name}`;
    });
    setBusy(false);
  };
  return (
    <Modal opened onClose={close} title="New team">
      <form onSubmit={(event) => void create(event)}>
        <TextInput
          data-autofocus
          label="Name"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          mt="sm"
          label="Members"
          description="Names of the agents, separated by commas"
          placeholder="analyst, critic"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={name.trim() === "" || members.length === 0}>
            Create team
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
