"""Gates and merge of one play: collect the agent's work, run the gates on the merge result, merge it once."""

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import LionError, NotFound
from lionstudio.model.ids import new_id
from lionstudio.model.messages import Message
from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show_files import FINAL_GATES
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Event, MergeResult
from lionstudio.shows.director.rules import PARK_SECONDS, conflict_reason
from lionstudio.shows.execute import attempt_command, outcomes
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.gates.command_gates import run_commands
from lionstudio.shows.gates.review import answer_of, review, review_prompt
from lionstudio.shows.gates.verdict import Check, Verdict, combine_checks, combine_verdicts
from lionstudio.shows.git.checkout import find_checkout, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import MergeConflict, integration_tip, merge, try_merge
from lionstudio.shows.git.provision import NotReady, provision
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.records import play_records
from lionstudio.state.messages.windows import WindowMessage, messages_after
from lionstudio.system.li_process import li_argv
from lionstudio.system.safe_rmtree import safe_rmtree

_PAGE = 200  # messages of a reviewer that are read at once
_REVIEWER = "reviewer"


class GateAndMerge:
    """Gates and merge of one play; without a play, the final gates of the show."""

    def __init__(self, show: OpenShow, play: str | None) -> None:
        self._show = show
        self._play = play or ""
        self._meta: Meta = (play_records.read_meta(show.show_dir, play) if play else None) or {}
        self._attempt = int(self._meta.get("attempt", 1))

    # ── one play ──

    def run_gates(self) -> Event:
        """Run the gates that need no person on the merge result."""
        head, problems = self._collect()
        if problems:
            output = "\n".join(problems)
            check = Check(
                kind="collect", title="files the agent created", passed=False, summary=problems[0], output=output
            )
            return self._record(Verdict(passed=False, summary=problems[0], feedback=output, checks=(check,)))
        return self._run_on_merge_result(head)

    def _run_on_merge_result(self, head: str) -> Event:
        tip = integration_tip(self._show.repo)
        tried = try_merge(self._show.repo, tip, head)
        if isinstance(tried, MergeConflict):
            return self._record_conflict(tried, head)
        tree = getattr(tried, "tree", None) or self._tree_of(tip)
        verdict = self._evaluate(self._automatic_gates(), tree, (tip, head), f"{self._play}-{self._attempt}", tip)
        point("show.judged")
        return self._record(verdict, gated_tip=tip)

    def _automatic_gates(self) -> list[Gate]:
        plan = self._show.plan
        try:
            gates = plan.gates_of(self._play)
        except KeyError:  # an edit removed the play while it was in progress
            gates = plan.gates
        return [gate for gate in gates if gate.kind is not GateKind.PERSON]

    def _collect(self) -> tuple[str, tuple[str, ...]]:
        if self._meta.get("collected") == self._attempt:
            return str(self._meta["head"]), tuple(self._meta.get("problems") or ())
        checkout = find_checkout(self._show.repo, self._play)
        if checkout is None:
            raise NotFound(f"the checkout of {self._play} is missing, and its work was not collected")
        collected = collect(checkout, f"{self._play}: attempt {self._attempt}", attempt=self._attempt)
        point("show.collected")
        self._save(
            head=collected.head,
            collected=self._attempt,
            changed=len(collected.changed),
            problems=list(collected.problems) or None,
            left_out=list(collected.left_out) or None,
        )
        return collected.head, collected.problems

    def _record_conflict(self, conflict: MergeConflict, head: str) -> Event:
        """Return a conflict to the agent as a failed gate."""
        self._save_conflict(conflict, head)
        summary = conflict_reason(conflict.files)
        check = Check(kind="merge", title="merge", passed=False, summary=summary, output=conflict.text)
        feedback = conflict.text or summary
        return self._record(Verdict(passed=False, summary=summary, feedback=feedback, checks=(check,)))

    def _record(self, verdict: Verdict, **changes: Any) -> Event:
        status = PlayStatus(self._meta["status"])
        play_records.save_verdict(
            self._show.show_dir, self._show.database, self._play, verdict.to_dict(), status, **changes
        )
        return events.GatesEvaluated(self._play, verdict.passed, verdict.summary)

    def merge(self, *, anyway: bool) -> Event:
        """Merge the play; where the branch moved since, run the gates again first.

        Only one play is merged at a time, so the gates see exactly what will be merged.
        """
        show = self._show
        head, _ = self._collect()  # a person may approve work that no gate has seen
        if not anyway and not self._meta.get("merge_sha") and not self._still_passes(head):
            return events.MergeTried(self._play, MergeResult.MOVED)
        title = f"Merge play {self._play} of {show.topic}"
        result = merge(show.repo, show.topic, self._play, self._attempt, head, title)
        if isinstance(result, MergeConflict):
            self._save_conflict(result, head)
            return events.MergeTried(self._play, MergeResult.CONFLICT, result.files)
        point("show.merged")
        self._save(merge_sha=result.sha, merged_at=self._meta.get("merged_at") or time.time(), conflict=None)
        self._remove_checkout()
        return events.MergeTried(self._play, MergeResult.MERGED)

    def _still_passes(self, head: str) -> bool:
        if not self._automatic_gates() or integration_tip(self._show.repo) == self._meta.get("gated_tip"):
            return True
        event = self._run_on_merge_result(head)
        return isinstance(event, events.GatesEvaluated) and event.passed

    def _remove_checkout(self) -> None:
        """Remove the checkout of a merged play; a failure is only a warning."""
        show = self._show
        checkout = find_checkout(show.repo, self._play)
        if checkout is None:
            return
        try:
            problem = remove(checkout, teardown=show.plan.teardown, env=show.gate_environ)
        except LionError as error:
            problem = error.message
        if problem:
            show.warn(f"could not remove the checkout of {self._play}: {problem}")

    # ── the whole show ──

    def run_final_gates(self) -> Event:
        """Run the final gates that need no person on the merged work."""
        show = self._show
        tip = integration_tip(show.repo)
        gates = [gate for gate in show.plan.final_gates if gate.kind is not GateKind.PERSON]
        verdict = self._evaluate(gates, self._tree_of(tip), (tip,), "final", show.repo.base)
        final = {**verdict.to_dict(), "integration": tip, "judged_at": time.time()}
        # the final verdict is written when the show ends: a person may decide last
        play_records.write_json(os.path.join(show.show_dir, FINAL_GATES), final)
        return events.FinalGatesEvaluated(verdict.passed)

    # ── gates ──

    def _evaluate(self, gates: Sequence[Gate], tree: str, parents: tuple[str, ...], name: str, base: str) -> Verdict:
        """Check the merge result out and run the gates on it, up to the first that fails."""
        show = self._show
        if not gates:
            return Verdict(passed=True, summary="no gates configured")
        folder = os.path.join(show.repo.checkouts_dir, ".gates", name)
        safe_rmtree(folder, above=2)  # an agent may have replaced .gates by a link
        check_out_tree(show.repo, tree, folder, parents=parents)
        logs = os.path.join(show.show_dir, self._play, "attempts", str(self._attempt) if self._play else "final")
        try:
            with provision(show.repo.path, folder, show.plan, show.gate_environ, logs):
                return self._run_each(gates, folder, logs, base, tree)
        except NotReady as error:  # the change may have broken the setup, so the agent gets the message
            return combine_checks([Check(kind="setup", title="setup", passed=False, summary=error.message)])
        finally:
            safe_rmtree(folder, above=2)

    def _run_each(self, gates: Sequence[Gate], folder: str, logs: str, base: str, tree: str) -> Verdict:
        show = self._show
        programs = [gate for gate in gates if gate.kind is GateKind.COMMAND]
        verdicts = []
        if programs:
            verdicts.append(run_commands(programs, folder, show.gate_environ, logs=logs, why_stop=show.stop_reason))
        for gate in gates:
            if gate.kind is GateKind.REVIEW and all(verdict.passed for verdict in verdicts):
                verdicts.append(self._review(gate, folder, logs, base, tree))
        return combine_verdicts(verdicts)

    def _review(self, gate: Gate, folder: str, logs: str, base: str, tree: str) -> Verdict:
        task = self._show.planned(self._play).prompt if self._play else self._show.plan.goal
        # not the head of the play: what other plays merged since it started would look deleted
        prompt = review_prompt(self._show.repo, gate, task=task or "", base=base, result=tree)
        return review(gate, prompt, lambda question: self._ask_reviewer(gate, folder, logs, question))

    def _ask_reviewer(self, gate: Gate, cwd: str, logs: str, prompt: str) -> str:
        """Return a reviewer's answer; each prompt is sent once, even when processes are killed meanwhile."""
        agent = gate.agent or self._show.plan.agent or _REVIEWER
        key = hashlib.sha256(f"{agent}\0{prompt}".encode()).hexdigest()[:12]
        folder = os.path.join(logs, f"review-{key}")
        ended = self._run_reviewer(folder, agent, gate, cwd, prompt)
        for part in itertools.count(1):
            if ended.outcome is not events.AttemptOutcome.LIMITED:
                break
            self._wait_for_limit(agent, outcomes.back_off(ended, part - 1))
            folder = os.path.join(logs, f"review-{key}-{part}")
            ended = self._run_reviewer(folder, agent, gate, cwd, prompt)
        answer = answer_of(self._messages_of(attempt_files.read_spec(folder).session_id))
        if answer is None:
            raise LionError(f"the reviewer {agent} gave no answer ({ended.reason or ended.outcome})")
        return answer

    def _run_reviewer(self, folder: str, agent: str, gate: Gate, cwd: str, prompt: str) -> events.AttemptEnded:
        show, session_id = self._show, new_id()
        options = {
            "--show-topic": show.topic,
            "--name": f"show_{show.topic}_{self._play or 'final'}_review",
            "--session-id": session_id,
            "--cwd": cwd,
            "--timeout": str(gate.timeout),
            "--definitions": str(show.plan.repo),
        }
        argv = tuple(li_argv("agent", agent, "-", "--quiet", *itertools.chain(*options.items())))
        spec = attempt_files.AttemptSpec(
            argv, cwd, session_id, show.settings.db, float(gate.timeout), attempt_command.SILENCE_SECONDS
        )
        attempt_files.write_spec(folder, spec, prompt, show.agent_environ)
        ended = attempt_files.AttemptWatch(folder, show.agent_environ).wait(show.stop_reason)
        session = outcomes.settle_session(show.database, attempt_files.read_spec(folder).session_id)
        return outcomes.attempt_ended(self._play, folder, ended, session)

    def _wait_for_limit(self, agent: str, ended: events.AttemptEnded) -> None:
        """Wait out a usage limit of the reviewer: it says nothing about the work, so it costs no attempt."""
        until = ended.resets_at or time.time() + PARK_SECONDS
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
        reason = f"the reviewer {agent} reached a usage limit; asking again at {moment}"
        if self._play:
            self._save(reason=reason)
        self._show.warn(f"{self._play or self._show.topic}: {reason}")
        while time.time() < until:
            if stop_reason := self._show.stop_reason():
                raise LionError(stop_reason)
            time.sleep(attempt_files.POLL_SECONDS)
        if self._play:
            self._save(reason=None)

    def _messages_of(self, session_id: str) -> Iterator[Message]:
        after = -1
        while page := self._read_page(session_id, after):
            yield from (position.message for position in page if position.message is not None)
            after = page[-1].ord

    def _read_page(self, session_id: str, after: int) -> list[WindowMessage]:
        return self._show.database.read(lambda conn: messages_after(conn, session_id, after, _PAGE))

    # ── bookkeeping ──

    def _tree_of(self, commit: str) -> str:
        return director_git(self._show.repo).check("rev-parse", "--verify", f"{commit}^{{tree}}").line

    def _save_conflict(self, conflict: MergeConflict, head: str) -> None:
        files = list(conflict.files)
        self._save(conflict={"attempt": self._attempt, "head": head, "tip": conflict.tip, "files": files})

    def _save(self, **changes: Any) -> None:
        play_records.save_play(self._show.show_dir, self._show.database, self._play, **changes)
        self._meta = play_records.read_meta(self._show.show_dir, self._play) or {}
