// The messages to an agent: queued, then taken at a message of the run.
import { UnstyledButton } from "@mantine/core";
import { IconCheck, IconClock, IconX } from "@tabler/icons-react";
import type { Receipt } from "@/api/questions";
import { receiptText } from "@/domain/runs/receipts";
import { escapeBidi } from "@/domain/text/bidi";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./talk.module.css";

interface ReceiptsProps {
  receipts: readonly Receipt[];
  isRunning: boolean;
  goTo: (ord: number) => void;
}

export function Receipts({ receipts, isRunning, goTo }: ReceiptsProps) {
  if (receipts.length === 0) return null;
  return (
    <ul className={classes.receipts} aria-label="Sent to the agent">
      {receipts.map((receipt) => {
        const { id, sender, text, delivery, taken_ord } = receipt;
        const Icon = taken_ord !== null ? IconCheck : isRunning ? IconClock : IconX;
        return (
          <li key={id} data-taken={taken_ord !== null} data-lost={taken_ord === null && !isRunning}>
            <Icon size={14} stroke={1.8} aria-hidden />
            <span className={classes.text} title={text}>
              {sender && <b>{escapeBidi(sender)} </b>}
              {escapeBidi(text)}
            </span>
            <span className={classes.state} role="status">
              {receiptText(receipt, delivery, isRunning)}{" "}
              {taken_ord !== null && (
                <UnstyledButton className={classes.ord} onClick={() => goTo(taken_ord)}>
                  #{taken_ord}
                </UnstyledButton>
              )}
            </span>
            {taken_ord === null && !isRunning && <CopyButton text={text} label="Copy message" />}
          </li>
        );
      })}
    </ul>
  );
}
