// Says outside the page that a question waits: the title of the tab, and a desktop notification if the user wants it. A
// notification names the session and shows nothing of what is asked, because others may see the screen.
import { UnstyledButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconBell, IconBellOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { openQuestions, type Question } from "@/api/questions";
import { KIND_LABELS } from "@/domain/questions/outcome";
import { setWaitingCount } from "@/ui/tab-title";
import classes from "./sidebar.module.css";

const SUPPORTED = "Notification" in window;

function useNotify() {
  return useLocalStorage({ key: "lion-notify", defaultValue: false, getInitialValueInEffect: false });
}

export function QuestionNotifier() {
  const { data } = useQuery(openQuestions());
  const [notify] = useNotify();
  const navigate = useNavigate();
  const known = useRef<Set<string> | undefined>(undefined);
  useEffect(() => setWaitingCount(data?.open ?? 0), [data?.open]);
  const announce = useEffectEvent((question: Question) => {
    // A person who looks at the page sees the question there.
    if (!notify || !SUPPORTED || Notification.permission !== "granted" || document.hasFocus()) return;
    const { id, kind, session_id, session_name, show_topic, play_name } = question;
    const name = [show_topic, play_name].filter(Boolean).join(" / ") || session_name || "A run";
    // The tag keeps several tabs from announcing one question twice.
    const shown = new Notification(name, {
      body: `${KIND_LABELS[kind]}: waiting for you`,
      tag: id,
      icon: "/favicon.svg",
    });
    shown.onclick = () => {
      window.focus();
      shown.close();
      if (show_topic) void navigate({ to: "/shows/$topic", params: { topic: show_topic } });
      else if (session_id) void navigate({ to: "/runs/$runId", params: { runId: session_id } });
    };
  });
  useEffect(() => {
    if (!data) return;
    // Those that waited before the page was opened are not news.
    for (const question of data.questions) if (known.current && !known.current.has(question.id)) announce(question);
    known.current = new Set([...(known.current ?? []), ...data.questions.map(({ id }) => id)]);
  }, [data]);
  return null;
}

/** Switches desktop notifications on or off; the browser asks for permission first. */
export function NotificationSwitch() {
  const [notify, setNotify] = useNotify();
  if (!SUPPORTED) return null;
  const isOn = notify && Notification.permission === "granted";
  const toggle = async (): Promise<void> => {
    if (isOn) return setNotify(false);
    const permission = await Notification.requestPermission();
    setNotify(permission === "granted");
    if (permission === "granted") return;
    const message = "The browser blocks notifications of this page. Allow them in its site settings.";
    notifications.show({ message, color: "yellow", withBorder: true });
  };
  const Icon = isOn ? IconBell : IconBellOff;
  return (
    <UnstyledButton
      className={classes.shortcutsButton}
      role="switch"
      aria-checked={isOn}
      title="Notifications of this browser"
      onClick={() => void toggle()}
    >
      <Icon size={15} stroke={1.7} /> <span className={classes.grow}>Notifications</span> {isOn ? "On" : "Off"}
    </UnstyledButton>
  );
}
