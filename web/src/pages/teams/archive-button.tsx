// Archives or reopens a team; nothing is deleted, so it needs no confirmation.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { archiveTeam, reopenTeam } from "@/api/teams";
import { runAction } from "@/ui/feedback/run-action";

export function ArchiveButton({ id, isArchived }: { id: string; isArchived: boolean }) {
  const queries = useQueryClient();
  const move = (): Promise<boolean> =>
    runAction(async () => {
      await (isArchived ? reopenTeam(id) : archiveTeam(id));
      await queries.invalidateQueries({ queryKey: keys.team(id) });
      return isArchived ? "Team reopened" : "Team archived: read-only, nothing was deleted";
    });
  return (
    <Button variant="default" onClick={() => void move()}>
      {isArchived ? "Reopen" : "Archive"}
    </Button>
  );
}
