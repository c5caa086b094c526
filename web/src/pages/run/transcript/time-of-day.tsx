// The time of a message, with the date on hover. It does not tick: there are hundreds of them.
import { dateTime } from "@/domain/text/format";
import classes from "./message-row.module.css";

export function TimeOfDay({ at }: { at: number | null }) {
  if (at === null) return <span className={classes.time} />;
  const date = new Date(at * 1000);
  if (Number.isNaN(date.getTime())) return <span className={classes.time} />;
  const pad = (value: number): string => String(value).padStart(2, "0");
  return (
    <time className={classes.time} dateTime={date.toISOString()} title={dateTime(at)}>
      {pad(date.getHours())}:{pad(date.getMinutes())}:{pad(date.getSeconds())}
    </time>
  );
}
