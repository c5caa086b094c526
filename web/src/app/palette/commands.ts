// Commands of the palette. Those that act on a run are offered while one is open.
import { useMantineColorScheme } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import {
  IconArrowsDiff,
  IconBookmark,
  IconCopy,
  IconDatabaseExport,
  IconDownload,
  IconFileDiff,
  IconGavel,
  IconKeyboard,
  IconList,
  IconLogout,
  IconMessageForward,
  IconMessageQuestion,
  IconMoon,
  IconNote,
  IconPencil,
  IconPlayerPlay,
  IconPlus,
  IconStar,
  IconTag,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { backup } from "@/api/admin";
import { openQuestions } from "@/api/questions";
import type { RunsSearch } from "@/api/run-list/search";
import { exportSession, run as runDetail } from "@/api/runs";
import { signOut } from "@/api/sign-in/sign-in";
import { parseViews, VIEWS_KEY } from "@/domain/runs/saved-views";
import { runAction } from "@/ui/feedback/run-action";
import { runShortcut } from "@/ui/keyboard/shortcuts";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { ALL_CHANGES } from "@/ui/routing/section-hashes";
import { labelDialog } from "@/ui/runs/label-actions";
import type { LabelAction } from "@/ui/runs/label-dialogs";
import { isStarred, useLabels } from "@/ui/runs/labels";
import type { Item } from "./items";

interface Context {
  openSheet: () => void;
  /** Lets the user choose the run to compare the open one with. */
  compare: (runId: string) => void;
}

/** Lists of runs that people ask for; the page Runs has all filters and orders. */
const LISTS: { label: string; words: string; search: RunsSearch }[] = [
  { label: "Failed runs", words: "errors broken why", search: { status: "failed" } },
  { label: "Newest runs", words: "latest recent", search: { sort: "created", order: "desc" } },
  { label: "Longest runs", words: "duration slow time", search: { sort: "duration", order: "desc" } },
  { label: "Most expensive runs", words: "dearest cost money dollars", search: { sort: "cost", order: "desc" } },
];

export function useCommands({ openSheet, compare }: Context): Item[] {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const runId = useRouterState({ select: openRun });
  const general: Item[] = [
    { id: "new-run", label: "New run", words: "start launch agent playbook", icon: IconPlus, run: () => openNewRun() },
    {
      id: "new-agent",
      label: "New agent",
      words: "create",
      icon: IconPlus,
      run: () => void navigate({ to: "/agents", hash: "new" }),
    },
    {
      id: "new-playbook",
      label: "New playbook",
      words: "create",
      icon: IconPlus,
      run: () => void navigate({ to: "/playbooks", hash: "new" }),
    },
    {
      id: "import",
      label: "Import history",
      words: "mirror claude codex transcripts",
      icon: IconDownload,
      run: () => void navigate({ to: "/admin", hash: "imports" }),
    },
    {
      id: "backup",
      label: "Back up the database",
      words: "backup",
      icon: IconDatabaseExport,
      run: () => void runAction(async () => `Backed up to ${(await backup()).result.path}`),
    },
    { id: "copy", label: "Copy link to this page", words: "url address share", icon: IconCopy, run: copyLink },
    { id: "theme", label: "Toggle dark mode", words: "theme light colour", icon: IconMoon, run: toggleColorScheme },
    { id: "shortcuts", label: "Show shortcuts", words: "keys help", icon: IconKeyboard, run: openSheet },
    { id: "sign-out", label: "Sign out", words: "log out", icon: IconLogout, run: () => void signOut() },
  ];
  return [
    ...useQuestionCommands(),
    ...useRunCommands(runId, compare),
    ...general,
    ...useSavedViews(),
    ...LISTS.map(({ label, words, search }) => ({
      id: `list ${label}`,
      label,
      words,
      icon: IconList,
      run: () => void navigate({ to: "/runs", search }),
    })),
  ];
}

function useQuestionCommands(): Item[] {
  const navigate = useNavigate();
  const data = useQuery(openQuestions()).data;
  if (!data || data.open === 0) return [];
  const gates = data.questions.filter(({ kind, show_topic }) => kind === "gate" && show_topic !== null);
  return [
    {
      id: "answer",
      label: "Answer the next question",
      about: `${data.open} open`,
      icon: IconMessageQuestion,
      run: () => void navigate({ to: "/", hash: "q" }),
    },
    ...gates.map(({ id, title, show_topic, play_name }) => ({
      id: `gate ${id}`,
      label: `Approve or reject ${[show_topic, play_name].filter(Boolean).join(" / ")}`,
      about: title,
      words: "gate decide",
      icon: IconGavel,
      run: () =>
        void navigate({
          to: "/shows/$topic",
          params: { topic: show_topic ?? "" },
          search: play_name ? { play: play_name } : {},
        }),
    })),
  ];
}

function useRunCommands(runId: string | undefined, compare: (runId: string) => void): Item[] {
  const { star } = useLabels();
  const navigate = useNavigate();
  const detail = useQuery({ ...runDetail(runId ?? ""), enabled: false }).data;
  if (runId === undefined || detail === undefined) return [];
  const { session: run, source, commands } = detail;
  const isEnded = run.state.group !== "running";
  const label = (action: LabelAction) => () => labelDialog.set({ runId, action });
  const save = (format: "html" | "md") => () => void runAction(() => exportSession(runId, format));
  const again: Item[] = [
    {
      id: "again",
      label: "Run this again…",
      words: "retry repeat",
      icon: IconPlayerPlay,
      run: () => openNewRun({ retries: runId }),
    },
  ];
  const goOn: Item[] = [
    {
      id: "continue",
      label: "Continue this run",
      words: "resume reply",
      icon: IconMessageForward,
      run: () => runShortcut("r"),
      focuses: true,
    },
  ];
  return [
    {
      id: "star",
      label: isStarred(run) ? "Remove the star of this run" : "Star this run",
      words: "tag favourite bookmark unstar",
      icon: IconStar,
      run: () => void star([run]),
    },
    { id: "tags", label: "Tag this run…", words: "label tags", icon: IconTag, run: label("tags") },
    {
      id: "note",
      label: "Write a note about this run…",
      words: "annotate comment",
      icon: IconNote,
      run: label("note"),
    },
    { id: "rename", label: "Rename this run…", words: "name title", icon: IconPencil, run: label("rename") },
    {
      id: "changes",
      label: "Show the changes of this run",
      words: "diff files edits",
      icon: IconFileDiff,
      run: () => void navigate({ to: "/runs/$runId", params: { runId }, search: true, hash: ALL_CHANGES }),
    },
    ...(isEnded && commands.resume && commands.target ? goOn : []),
    ...(isEnded && !source ? again : []),
    {
      id: "html",
      label: "Export this run as HTML",
      words: "download share save",
      icon: IconDownload,
      run: save("html"),
    },
    { id: "md", label: "Export this run as Markdown", words: "download save", icon: IconDownload, run: save("md") },
    {
      id: "compare",
      label: "Compare this run with…",
      words: "diff",
      icon: IconArrowsDiff,
      run: () => compare(runId),
      stays: true,
    },
  ];
}

function useSavedViews(): Item[] {
  const navigate = useNavigate();
  return parseViews(localStorage.getItem(VIEWS_KEY)).map(({ name, search }) => ({
    id: `view ${name}`,
    label: name,
    about: "Saved view of Runs",
    words: "saved view runs",
    icon: IconBookmark,
    run: () => void navigate({ to: "/runs", search: search as never }),
  }));
}

const openRun = ({ matches }: { matches: readonly { routeId: string; params: object }[] }): string | undefined => {
  const match = matches.find(({ routeId }) => routeId === "/runs/$runId");
  return (match?.params as { runId?: string } | undefined)?.runId;
};

function copyLink(): void {
  const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject();
  copied.then(
    () => notifications.show({ message: "Link copied", color: "green", withBorder: true }),
    () => notifications.show({ message: `This browser cannot copy. The link: ${location.href}`, withBorder: true }),
  );
}
