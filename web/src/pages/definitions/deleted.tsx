// The page of a definition without a file: a deleted one can be restored.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { cacheSaved, rollBack, versions } from "@/api/definitions";
import { keys } from "@/api/keys";
import { EmptyState, ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { useKind } from "./kinds";

export function DeletedDefinition({ name, error }: { name: string; error: unknown }) {
  const info = useKind();
  const queries = useQueryClient();
  const query = useQuery(versions(info.kind, name));
  const newest = query.data?.versions[0];
  if (query.isPending) return <LoadingLine label={info.one} />;
  if (!newest)
    return <ErrorState error={error} label={info.one} missing={{ what: info.kind, name, list: info.list }} />;
  const restore = (): Promise<boolean> =>
    runAction(async () => {
      await cacheSaved(queries, info.kind, name, await rollBack(info.kind, name, newest.version));
      await queries.invalidateQueries({ queryKey: keys.definitions(info.kind) });
      return `Restored ${name}`;
    });
  return (
    <EmptyState
      title={`${name} was deleted`}
      action={<Button onClick={() => void restore()}>Restore version {newest.version}</Button>}
    >
      {newest.version === 1 ? "Its version is" : `Its ${newest.version} versions are`} kept.
    </EmptyState>
  );
}
