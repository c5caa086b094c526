"""From what an agent left to a merge: collect it, look at the merge result, merge it once."""

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lionstudio.crash import point
from lionstudio.errors import LionError, NotFound
from lionstudio.model.ids import new_id
from lionstudio.model.messages import Message
from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Event, MergeResult
from lionstudio.shows.director.rules import PARK_SECONDS
from lionstudio.shows.execute import attempt_command, outcomes
from lionstudio.shows.gates.command_gates import Check, Verdict, joined, run_commands
from lionstudio.shows.gates.review import answer_of, review, review_prompt
from lionstudio.shows.git.checkout import find_checkout, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import MergeConflict, integration_tip, merge, try_merge
from lionstudio.shows.git.provision import NotReady, provision
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.records import play_records
from lionstudio.state.messages.windows import WindowMessage, messages_after
from lionstudio.system.li_process import li_argv
from lionstudio.system.safe_rmtree import safe_rmtree

if TYPE_CHECKING:
    from lionstudio.shows.execute.executor import Executor

FINAL_GATES = "_final_gates.json"
_PAGE = 200  # messages of a reviewer that are read at once
_REVIEWER = "reviewer"


class GateAndMerge:
    """The work of one play before its gates; the show's own when there is no play."""

    def __init__(self, stage: Executor, play: str | None) -> None:
        self._stage = stage
        self._play = play or ""
        self._meta: play_records.Meta = (play_records.read_meta(stage.show_dir, play) if play else None) or {}
        self._attempt = int(self._meta.get("attempt", 1))

    # ── one play ──

    def judge(self) -> Event:
        """Whether the merge result of what it left passes the gates that need no person."""
        head, problems = self._collect()
        if problems:
            check = Check(
                kind="collect",
                title="what the agent left",
                passed=False,
                summary=problems[0],
                output="\n".join(problems),
            )
            return self._record(
                Verdict(passed=False, summary=problems[0], feedback="\n".join(problems), checks=(check,))
            )
        return self._judge_merged(head)

    def _judge_merged(self, head: str) -> Event:
        """Let the gates look at what merging now would give."""
        tip = integration_tip(self._stage.repo)
        tried = try_merge(self._stage.repo, tip, head)
        if isinstance(tried, MergeConflict):
            return self._conflict(tried, head)
        tree = getattr(tried, "tree", None) or self._tree_of(tip)
        verdict = self._look(self._looking(), tree, (tip, head), f"{self._play}-{self._attempt}", tip)
        point("show.judged")
        return self._record(verdict, gated_tip=tip)

    def _looking(self) -> list[Gate]:
        return [gate for gate in self._gates() if gate.kind is not GateKind.PERSON]

    def _gates(self) -> Sequence[Gate]:
        try:
            return self._stage.plan.gates_of(self._play)
        except KeyError:  # it left the plan while it was at work
            return self._stage.plan.gates

    def _collect(self) -> tuple[str, tuple[str, ...]]:
        if self._meta.get("collected") == self._attempt:
            return str(self._meta["head"]), tuple(self._meta.get("problems") or ())
        title = f"{self._play}: attempt {self._attempt}"
        found = collect(self._checkout(), title, attempt=self._attempt)
        point("show.collected")
        changes: dict[str, Any] = {
            "head": found.head,
            "collected": self._attempt,
            "changed": len(found.changed),
            "problems": list(found.problems) or None,
            "left_out": list(found.left_out) or None,
        }
        self._write(**changes)
        return found.head, found.problems

    def _conflict(self, tried: MergeConflict, head: str) -> Event:
        """A conflict goes back to the agent, as a gate that it did not pass."""
        files = list(tried.files)
        self._write(conflict={"attempt": self._attempt, "head": head, "tip": tried.tip, "files": files})
        what = f"it conflicts with what was merged meanwhile in {', '.join(files) or 'some files'}"
        check = Check(kind="merge", title="merge", passed=False, summary=what, output=tried.text)
        return self._record(Verdict(passed=False, summary=what, feedback=tried.text or what, checks=(check,)))

    def _record(self, verdict: Verdict, **changes: Any) -> Event:
        status = PlayStatus(self._meta["status"])
        play_records.save_verdict(
            self._stage.show_dir, self._stage.database, self._play, verdict.to_dict(), status, **changes
        )
        return events.GatesEvaluated(self._play, verdict.passed, verdict.summary)

    def merge(self, *, anyway: bool) -> Event:
        """Merge it; where the branch has moved on since, the gates look once more before.

        Only one play is merged at a time, so what they look at now is what will be merged.
        """
        stage = self._stage
        head, _ = self._collect()  # a person may approve what no gate has seen
        if not anyway and not self._meta.get("merge_sha") and not self._still_passes(head):
            return events.MergeTried(self._play, MergeResult.MOVED)
        title = f"Merge play {self._play} of {stage.topic}"
        result = merge(stage.repo, stage.topic, self._play, self._attempt, head, title)
        if isinstance(result, MergeConflict):
            conflict = {"attempt": self._attempt, "head": head, "tip": result.tip, "files": list(result.files)}
            self._write(conflict=conflict)
            return events.MergeTried(self._play, MergeResult.CONFLICT, result.files)
        point("show.merged")
        self._write(merge_sha=result.sha, merged_at=self._meta.get("merged_at") or time.time(), conflict=None)
        self._tidy()
        return events.MergeTried(self._play, MergeResult.MERGED)

    def _still_passes(self, head: str) -> bool:
        if not self._looking() or integration_tip(self._stage.repo) == self._meta.get("gated_tip"):
            return True
        judged = self._judge_merged(head)
        return isinstance(judged, events.GatesEvaluated) and judged.passed

    def _tidy(self) -> None:
        """The checkout has served; what cannot be removed is only said."""
        stage = self._stage
        checkout = find_checkout(stage.repo, self._play)
        if checkout is None:
            return
        try:
            kept = remove(checkout, teardown=stage.plan.teardown, env=stage.gate_environ)
        except LionError as error:
            kept = error.message
        if kept:
            stage.warn(f"the checkout of {self._play} stays: {kept}")

    # ── the whole show ──

    def judge_show(self) -> Event:
        """Whether what is merged passes the final gates that need no person."""
        stage = self._stage
        tip = integration_tip(stage.repo)
        gates = [gate for gate in stage.plan.final_gates if gate.kind is not GateKind.PERSON]
        verdict = self._look(gates, self._tree_of(tip), (tip,), "final", stage.repo.base)
        final = {**verdict.to_dict(), "integration": tip, "judged_at": time.time()}
        # the verdict itself is written with the end of the show: a person may have the last word
        play_records.write_json(os.path.join(stage.show_dir, FINAL_GATES), final)
        return events.FinalGatesEvaluated(verdict.passed)

    # ── gates ──

    def _look(self, gates: Sequence[Gate], tree: str, parents: tuple[str, ...], name: str, base: str) -> Verdict:
        """Lay the merge result out and let every gate look at it, up to the first that refuses."""
        stage = self._stage
        if not gates:
            return Verdict(passed=True, summary="there is no gate to pass")
        folder = os.path.join(stage.repo.checkouts_dir, ".gates", name)
        safe_rmtree(folder, above=2)  # an agent may have put a link in the place of .gates
        check_out_tree(stage.repo, tree, folder, parents=parents)
        logs = os.path.join(stage.show_dir, self._play, "attempts", str(self._attempt) if self._play else "final")
        try:
            with provision(stage.repo.path, folder, stage.plan, stage.gate_environ, logs):
                return self._ask_gates(gates, folder, logs, base, tree)
        except NotReady as error:  # the change may be what breaks it, so its agent is told
            return joined([Check(kind="setup", title="setup", passed=False, summary=error.message)])
        finally:
            safe_rmtree(folder, above=2)

    def _ask_gates(self, gates: Sequence[Gate], folder: str, logs: str, base: str, tree: str) -> Verdict:
        commands = [gate for gate in gates if gate.kind is GateKind.COMMAND]
        env, why = self._stage.gate_environ, self._stage.why_stop
        verdicts = [run_commands(commands, folder, env, logs=logs, why_stop=why)] if commands else []
        for gate in gates:
            if gate.kind is GateKind.REVIEW and all(verdict.passed for verdict in verdicts):
                verdicts.append(self._review(gate, folder, logs, base, tree))
        return together(verdicts)

    def _review(self, gate: Gate, folder: str, logs: str, base: str, tree: str) -> Verdict:
        task = self._stage.planned(self._play).prompt if self._play else self._stage.plan.goal
        # not the head of the play: what others have merged since it began would look deleted
        prompt = review_prompt(self._stage.repo, gate, task=task or "", base=base, result=tree)
        return review(gate, prompt, lambda asked: self._ask(gate, folder, logs, asked))

    def _ask(self, gate: Gate, cwd: str, logs: str, prompt: str) -> str:
        """A reviewer's answer; asked once for one question, whoever is killed meanwhile."""
        agent = gate.agent or self._stage.plan.agent or _REVIEWER
        key = hashlib.sha256(f"{agent}\0{prompt}".encode()).hexdigest()[:12]
        folder = os.path.join(logs, f"review-{key}")
        exited = self._asked(folder, agent, gate, cwd, prompt)
        for part in itertools.count(1):
            if exited.outcome is not events.AttemptOutcome.LIMITED:
                break
            self._sit_out(agent, outcomes.patient(exited, part - 1))
            folder = os.path.join(logs, f"review-{key}-{part}")
            exited = self._asked(folder, agent, gate, cwd, prompt)
        answer = self._answer(attempt_files.read_spec(folder).session_id)
        if answer is None:
            raise LionError(f"the reviewer {agent} gave no answer ({exited.reason or exited.outcome})")
        return answer

    def _asked(self, folder: str, agent: str, gate: Gate, cwd: str, prompt: str) -> events.AttemptEnded:
        stage, session_id = self._stage, new_id()
        name = f"show_{stage.topic}_{self._play or 'final'}_review"
        argv = li_argv(
            "agent",
            agent,
            "-",
            "--quiet",
            "--show-topic",
            stage.topic,
            "--name",
            name,
            "--session-id",
            session_id,
            "--cwd",
            cwd,
            "--timeout",
            str(gate.timeout),
            "--definitions",
            str(stage.plan.repo),
        )
        order = attempt_files.AttemptSpec(
            tuple(argv), cwd, session_id, stage.settings.db, float(gate.timeout), attempt_command.SILENCE
        )
        attempt_files.write_spec(folder, order, prompt, stage.environ)
        ended = attempt_files.Watch(folder, stage.environ).wait(stage.why_stop)
        session = outcomes.settle_session(stage.database, attempt_files.read_spec(folder).session_id)
        return outcomes.exited(self._play, folder, ended, session)

    def _sit_out(self, agent: str, exited: events.AttemptEnded) -> None:
        """A limit of the reviewer says nothing about the work, so it costs no attempt: the play waits for its end."""
        until = exited.resets_at or time.time() + PARK_SECONDS
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
        told = f"its reviewer {agent} has reached a usage limit and is asked again at {moment}"
        if self._play:
            self._write(reason=told)
        self._stage.warn(f"{self._play or self._stage.topic}: {told}")
        while time.time() < until:
            if why := self._stage.why_stop():
                raise LionError(why)
            time.sleep(attempt_files.LOOK_SECONDS)
        if self._play:
            self._write(reason=None)

    def _answer(self, session_id: str) -> str | None:
        return answer_of(self._said(session_id))

    def _said(self, session_id: str) -> Iterator[Message]:
        """Every message of a session, a page at a time."""
        after = -1
        while found := self._page(session_id, after):
            yield from (place.message for place in found if place.message is not None)
            after = found[-1].ord

    def _page(self, session_id: str, after: int) -> list[WindowMessage]:
        return self._stage.database.read(lambda conn: messages_after(conn, session_id, after, _PAGE))

    # ── bookkeeping ──

    def _checkout(self) -> Checkout:
        found = find_checkout(self._stage.repo, self._play)
        if found is None:
            raise NotFound(f"the checkout of {self._play} is gone and nothing of it was collected")
        return found

    def _tree_of(self, commit: str) -> str:
        return director_git(self._stage.repo).check("rev-parse", "--verify", f"{commit}^{{tree}}").line

    def _write(self, **changes: Any) -> None:
        play_records.save_play(self._stage.show_dir, self._stage.database, self._play, **changes)
        self._meta = play_records.read_meta(self._stage.show_dir, self._play) or {}


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """What several gates said as one verdict; the first that refused gives the summary."""
    refused = next((verdict for verdict in verdicts if not verdict.passed), None)
    checks = tuple(check for verdict in verdicts for check in verdict.checks)
    if refused is not None:
        return Verdict(passed=False, summary=refused.summary, feedback=refused.feedback, checks=checks)
    summary = verdicts[-1].summary if len(verdicts) == 1 else f"{len(checks)} gates passed"
    return Verdict(passed=True, summary=summary, feedback="", checks=checks)
