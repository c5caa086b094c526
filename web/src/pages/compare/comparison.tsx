import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schema } from "@/api/keys";
import { runChanges, runOutline } from "@/api/messages";
import { compareChanges, compareFacts, compareFiles, compareTools, type Pair } from "@/domain/runs/compare";
import { compact, cost, duration, formatInteger } from "@/domain/text/format";
import { totalTokens } from "@/domain/usage/usage";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { Loaded, LoadingLine } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Section } from "@/ui/page";
import { ChangeSums } from "@/ui/text/change-sums";
import { useLatched } from "@/ui/use-latched";
import classes from "./compare.module.css";
import { FirstDifference } from "./first-difference";

type Detail = Schema<"RunDetail">;

const MOST_FILES = 60;

export function Comparison({ a, b }: { a: Detail; b: Detail }) {
  const queries = useQueryClient();
  const first = useQuery(runOutline(a.session.id, queries));
  const second = useQuery(runOutline(b.session.id, queries));
  const [left, right] = [useQuery(changesOf(a)), useQuery(changesOf(b))];
  // A section that loads later pushes those below it down.
  const isReady = useLatched([first, second, left, right].every(({ isPending }) => !isPending));
  return (
    <div className={classes.page}>
      <Table head={[<RunHeading key="a" detail={a} />, <RunHeading key="b" detail={b} />]}>
        {compareFacts(factsOf(a), factsOf(b)).map((pair) => (
          <Row key={pair.name} pair={pair} cell={(value) => value || "–"} />
        ))}
      </Table>
      {isReady ? (
        <>
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
                    <ChangedFiles a={a} b={b} />
                    <TouchedFiles files={compareFiles(left, right).slice(0, MOST_FILES)} />
                  </>
                )}
              </Loaded>
            )}
          </Loaded>
          <Section title="First difference">
            <FirstDifference a={a.session} b={b.session} />
          </Section>
        </>
      ) : (
        <LoadingLine label="comparison" />
      )}
    </div>
  );
}

function ChangedFiles({ a, b }: { a: Detail; b: Detail }) {
  const [left, right] = [useQuery(changesOf(a)), useQuery(changesOf(b))];
  return (
    <Section title="Changes">
      <Loaded query={left} label="Changes of the first run">
        {(first) => (
          <Loaded query={right} label="Changes of the second run">
            {(second) => (
              <Table empty="No file was changed" head={[<Sums key="a" of={first} />, <Sums key="b" of={second} />]}>
                {compareChanges(first.files, second.files)
                  .slice(0, MOST_FILES)
                  .map((pair) => (
                    <Row key={pair.name} pair={pair} mono cell={(file) => (file ? <Sums of={file} /> : "–")} />
                  ))}
              </Table>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

/** Those of file tools, which also read: not every change is here, and not every file was changed. */
function TouchedFiles({ files }: { files: Pair<boolean>[] }) {
  if (files.length === 0) return null;
  return (
    <Section title="Files read or written">
      <Table>
        {files.map((pair) => (
          <Row key={pair.name} pair={pair} mono cell={(touched) => (touched ? "touched" : "–")} />
        ))}
      </Table>
    </Section>
  );
}

const changesOf = ({ session }: Detail) => runChanges(session.id, session.state.group === "running");

function Sums({ of }: { of: { added: number; removed: number; is_partial: boolean } }) {
  return <ChangeSums added={of.added} removed={of.removed} partial={of.is_partial} />;
}

function factsOf({ session }: Detail): [string, string][] {
  const tokens = totalTokens(session);
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
        {session.agent_name} · <RelativeTime at={session.started_at ?? session.created_at} />
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
  cell: (value: T) => ReactNode;
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
