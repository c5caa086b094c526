import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schema } from "@/api/keys";
import { runOutline } from "@/api/messages";
import { compareFacts, compareFiles, compareTools, type Pair } from "@/domain/runs/compare";
import { compact, cost, duration, formatInteger } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Section } from "@/ui/page";
import classes from "./compare.module.css";
import { FirstDifference } from "./first-difference";

type Detail = Schema<"RunDetail">;

const MOST_FILES = 60;

export function Comparison({ a, b }: { a: Detail; b: Detail }) {
  const queries = useQueryClient();
  const first = useQuery(runOutline(a.session.id, queries));
  const second = useQuery(runOutline(b.session.id, queries));
  return (
    <div className={classes.page}>
      <Table head={[<RunHeading key="a" detail={a} />, <RunHeading key="b" detail={b} />]}>
        {compareFacts(factsOf(a), factsOf(b)).map((pair) => (
          <Row key={pair.name} pair={pair} cell={(value) => value || "–"} />
        ))}
      </Table>
      <Loaded query={first} label="First run">
        {(left) => (
          <Loaded query={second} label="Second run">
            {(right) => (
              <>
                <Section title="Tools">
                  <Table empty="No tool calls">
                    {compareTools(left, right).map((pair) => (
                      <Row key={pair.name} pair={pair} mono cell={formatCalls} />
                    ))}
                  </Table>
                </Section>
                <Section title="Files">
                  <Table empty="No files">
                    {compareFiles(left, right)
                      .slice(0, MOST_FILES)
                      .map((pair) => (
                        <Row key={pair.name} pair={pair} mono cell={(touched) => (touched ? "touched" : "–")} />
                      ))}
                  </Table>
                </Section>
              </>
            )}
          </Loaded>
        )}
      </Loaded>
      <Section title="First difference">
        <FirstDifference a={a.session} b={b.session} />
      </Section>
    </div>
  );
}

function factsOf({ session }: Detail): [string, string][] {
  const tokens = session.input_tokens + session.output_tokens + session.cache_read_tokens;
  return [
    ["State", session.state.label],
    ["Duration", session.duration_ms === null ? "" : duration(session.duration_ms)],
    ["Messages", formatInteger(session.message_count)],
    ["Branches", formatInteger(session.branch_count)],
    ["Tokens", tokens === 0 ? "" : compact(tokens)],
    ["Cost", session.cost_microusd === null ? "" : cost(session.cost_microusd)],
    ["Model", session.model ?? ""],
    ["Agent", session.agent_name ?? ""],
    ["Playbook", session.playbook_name ?? ""],
    ["Project", session.project ?? ""],
    ["Folder", session.cwd ?? ""],
    ["Commit", session.git_commit ?? ""],
    ["Exit code", session.exit_code === null ? "" : String(session.exit_code)],
  ];
}

function formatCalls({ calls, errors }: { calls: number; errors: number }): string {
  if (calls === 0 && errors === 0) return "–";
  return errors === 0 ? formatInteger(calls) : `${formatInteger(calls)}, ${formatInteger(errors)} failed`;
}

function RunHeading({ detail: { session } }: { detail: Detail }) {
  return (
    <div className={classes.runHeading}>
      <TextLink to="/runs/$runId" params={{ runId: session.id }}>
        {session.display_name}
      </TextLink>
      <StatePill state={session.state} />
      <span className="muted">
        {session.name} · <RelativeTime at={session.started_at ?? session.created_at} />
      </span>
    </div>
  );
}

function Table({ head, empty, children }: { head?: [ReactNode, ReactNode]; empty?: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className="muted">{empty}</p>;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">
            <span className={classes.visuallyHidden}>Fact</span>
          </th>
          <th scope="col">{head?.[0] ?? <span className={classes.visuallyHidden}>First run</span>}</th>
          <th scope="col">{head?.[1] ?? <span className={classes.visuallyHidden}>Second run</span>}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface RowProps<T> {
  pair: Pair<T>;
  cell: (value: T) => string;
  mono?: boolean;
}

function Row<T>({ pair, cell, mono = false }: RowProps<T>) {
  return (
    <tr data-differs={pair.differs}>
      <th scope="row" className={mono ? "mono" : undefined}>
        {pair.name}
        {pair.differs && <span className={classes.visuallyHidden}>, different</span>}
      </th>
      <td>{cell(pair.a)}</td>
      <td>{cell(pair.b)}</td>
    </tr>
  );
}
