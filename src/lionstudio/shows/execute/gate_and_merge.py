"""Gates and merge of one play: collect the agent's work, run the gates on the merge result, merge it once."""

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import LionError, NotFound
from lionstudio.model.ids import new_id
from lionstudio.model.messages import Message
from lionstudio.model.shows.agent_settings import describe_steering
from lionstudio.model.shows.decisions import ReasonCode, foreign_reason
from lionstudio.model.shows.left_out import LeftOut, describe
from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show_files import PINNED_REVIEWERS
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.runs.prepare.resolve import PinnedAgent
from lionstudio.runs.settle import SETTLE_SECONDS, settle_run
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Event, MergeResult
from lionstudio.shows.director.rules import PARK_SECONDS, conflict_reason
from lionstudio.shows.execute import attempt_command, outcomes
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.gates.agent_files import changed_steering_files
from lionstudio.shows.gates.command_gates import run_commands
from lionstudio.shows.gates.review import ReviewAnswer, answer_of, new_word, prepare_review, review, with_word
from lionstudio.shows.gates.verdict import Check, Verdict, combine_checks, combine_verdicts
from lionstudio.shows.git.checkout import Removal, find_checkout, remove
from lionstudio.shows.git.collect_work import Collected, ProblemCode, collect
from lionstudio.shows.git.left_out import left_out_folder
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import (
    CleanMerge,
    ForeignCommits,
    MergeConflict,
    PreparedMerge,
    find_foreign_commits,
    integration_tip,
    merge,
    prepare_merge,
    try_merge,
)
from lionstudio.shows.git.provision import NotReady, provision
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.records import play_records
from lionstudio.state.branches import branch_entries, list_branches
from lionstudio.state.connection import Connection
from lionstudio.system.json_read import find_object
from lionstudio.system.li_process import li_argv
from lionstudio.system.safe_rmtree import safe_rmtree

_MOST_LEFT_OUT = 200  # names in the row; the folder has all of them


class GateAndMerge:
    """Gates and merge of one play; without a play, the final gates of the show."""

    def __init__(self, show: OpenShow, play: str | None) -> None:
        self._show = show
        self._play = play or ""
        self._meta: Meta = show.read_meta(play) if play else {}
        self._attempt = int(self._meta.get("attempt", 1))
        self._collected: Collected | None = None  # by this object
        self._confinement: str | None = None  # of the last reviewer

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

    def _run_on_merge_result(self, head: str, *, merging_into: str | None = None) -> Event:
        """Run the gates on the merge with the branch, or with the merge that another play is about to make.

        The branch will usually be there when this play is merged. If it is not, or the gates fail, they run again.
        """
        show, collected, before = self._show, self._collected, self._show.prepared.get(self._play)
        tip = merging_into or (collected.tip if collected is not None else None) or show.current_tip()
        # other plays do not contain it either, if the branch did not
        is_new = (collected is not None and collected.is_new) or (before is not None and before.head == head)
        self._collected = None
        candidate = None if merging_into else show.candidate
        if candidate is not None and candidate.tip == tip:
            tried = try_merge(show.repo, candidate.sha, head, is_new=is_new)
            if isinstance(tried, CleanMerge):
                prepared = self._prepare(tried, head)
                verdict = self._evaluate_merge(prepared)
                if verdict.passed:
                    return self._record_passed(verdict, prepared.tip, prepared.tree)
                tip = integration_tip(show.repo)  # the other play may be the reason
        tried = try_merge(show.repo, tip, head, is_new=is_new)
        if isinstance(tried, MergeConflict):
            return self._record_conflict(tried, head)
        if isinstance(tried, CleanMerge):
            prepared = self._prepare(tried, head)
            if merging_into:
                show.candidate = prepared
            verdict, tree = self._evaluate_merge(prepared), prepared.tree
        else:
            tree = self._tree_of(tip)
            verdict = self._evaluate(self._automatic_gates(), tree, (tip, head), self._gate_folder, tip)
            point("show.judged")
        if not verdict.passed:
            return self._record(verdict, gated_tip=tip, gated_tree=None)
        return self._record_passed(verdict, tip, tree)

    def _prepare(self, clean: CleanMerge, head: str) -> PreparedMerge:
        """Commit the merge: the gates see the very commit that is merged when they pass."""
        show = self._show
        return prepare_merge(show.repo, show.topic, self._play, self._attempt, head, self._merge_title(), clean)

    @property
    def _gate_folder(self) -> str:
        return f"{self._play}-{self._attempt}"

    def _evaluate_merge(self, prepared: PreparedMerge) -> Verdict:
        verdict = self._evaluate(
            self._automatic_gates(), prepared.tree, (), self._gate_folder, prepared.tip, commit=prepared.sha
        )
        point("show.judged")
        if verdict.passed:
            self._show.prepared[self._play] = prepared
        return verdict

    def _record_passed(self, verdict: Verdict, tip: str, tree: str) -> Event:
        """Record gates that passed; what they cannot judge goes to a person."""
        show = self._show
        left_out = LeftOut.parse(self._meta.get("left_out"))
        if left_out:
            # to a person: another attempt would leave out the same files
            check = Check(kind="collect", title="files left out", passed=False, summary=describe(left_out))
            verdict = combine_verdicts([verdict, combine_checks([check])])
            return self._record(verdict, needs_person=ReasonCode.LEFT_OUT)
        base = next((known.tree for known in list(show.prepared.values()) if known.sha == tip), tip)
        if steering := changed_steering_files(show.repo, base, tree):
            # to a person, whatever the plan says: once merged, they steer the agents of all later plays
            check = Check(
                kind="steering", title="files that steer agents", passed=False, summary=describe_steering(steering)
            )
            verdict = combine_verdicts([verdict, combine_checks([check])])
            return self._record(
                verdict, needs_person=ReasonCode.STEERING_FILES, steering_files=steering[:_MOST_LEFT_OUT]
            )
        return self._record(verdict, gated_tip=tip, gated_tree=tree)

    def _automatic_gates(self) -> list[Gate]:
        plan = self._show.plan
        try:
            gates = plan.gates_of(self._play)
        except KeyError:  # an edit removed the play while it was in progress
            gates = plan.gates
        return [gate for gate in gates if gate.kind is not GateKind.PERSON]

    def _collect(self) -> tuple[str, tuple[str, ...]]:
        if self._meta.get("collected") == self._attempt:
            self._show.fetch_work(self._play, self._meta)
            return str(self._meta["head"]), tuple(self._meta.get("problems") or ())
        checkout = find_checkout(self._show.repo, self._play)
        if checkout is None:
            raise NotFound(f"the checkout of {self._play} is missing, and its work was not collected")
        self._collected = collected = collect(checkout, f"{self._play}: attempt {self._attempt}", attempt=self._attempt)
        point("show.collected")
        self._save(
            head=collected.head,
            collected=self._attempt,
            changed=len(collected.changed),
            problems=list(collected.problems) or None,
            problem_codes=[str(code) for code in collected.codes] or None,
            left_out=[item.to_dict() for item in collected.left_out[:_MOST_LEFT_OUT]] or None,
            **self._show.publish_work(self._play, self._attempt, collected.head),
        )
        return collected.head, collected.problems

    def collect_and_publish(self, *, has_ended: bool) -> None:
        """Collect what an attempt made so far, for gates and further attempts on any machine."""
        if find_checkout(self._show.repo, self._play) is None:
            return  # it never started
        self._meta.pop("collected", None)
        self._collect()
        if not has_ended:
            self._save(collected=None)

    def _record_conflict(self, conflict: MergeConflict, head: str) -> Event:
        """Return a conflict to the agent as a failed gate."""
        self._save_conflict(conflict, head)
        summary = conflict_reason(conflict.files)
        check = Check(kind="merge", title="merge", passed=False, summary=summary, output=conflict.text)
        feedback = conflict.text or summary
        return self._record(Verdict(passed=False, summary=summary, feedback=feedback, checks=(check,)))

    def _record(self, verdict: Verdict, *, needs_person: ReasonCode | None = None, **changes: Any) -> Event:
        status = PlayStatus(self._meta["status"])
        play_records.save_verdict(
            self._show.show_dir, self._show.database, self._play, verdict.to_dict(), status, **changes
        )
        return events.GatesEvaluated(self._play, verdict.passed, verdict.summary, needs_person)

    def merge(self, *, anyway: bool, force: bool = False) -> Event:
        """Merge the play; where the branch moved since, run the gates again first.

        Only one play is merged at a time, so the gates see exactly what will be merged. Other plays run their gates
        meanwhile, on top of this merge, and need not run them again.
        """
        try:
            return self._merge(anyway=anyway, force=force)
        finally:
            self._show.candidate = None

    def _merge(self, *, anyway: bool, force: bool) -> Event:
        show = self._show
        head, _ = self._collect()  # a person may approve work that no gate has seen
        if not self._meta.get("merge_sha") and (refusal := self._refusal(force)):
            return events.MergeTried(self._play, MergeResult.FAILED, reason=refusal)
        tip: str | None = None
        if not anyway and not self._meta.get("merge_sha") and self._automatic_gates():
            tip = integration_tip(show.repo)
            if tip != self._meta.get("gated_tip"):
                if not self._passes_again(head, tip):
                    return events.MergeTried(self._play, MergeResult.MOVED)
                tip = None  # gates take long
        result = merge(
            show.repo,
            show.topic,
            self._play,
            self._attempt,
            head,
            self._merge_title(),
            record=show,
            tip=tip,
            prepared=show.prepared.get(self._play),
            fence=show.fence,
        )
        if isinstance(result, ForeignCommits):
            return events.MergeTried(self._play, MergeResult.FOREIGN, reason=self._save_foreign(result))
        if isinstance(result, MergeConflict):
            self._save_conflict(result, head)
            return events.MergeTried(self._play, MergeResult.CONFLICT, result.files)
        point("show.merged")
        self._save(merge_sha=result.sha, merged_at=self._meta.get("merged_at") or time.time(), conflict=None)
        self._remove_checkout()
        return events.MergeTried(self._play, MergeResult.MERGED)

    def _refusal(self, force: bool) -> str | None:
        """Return why a person's approval is not enough to merge the collected work."""
        codes, problems = self._meta.get("problem_codes") or [], self._meta.get("problems") or [""]
        if ProblemCode.UNREADABLE in codes:
            return f"not merged, and nothing was removed: {problems[0]}"
        if codes and not force:
            return f"not merged: {problems[0]}; to merge it anyway, approve it with --force"
        return None

    def _merge_title(self) -> str:
        return f"Merge play {self._play} of {self._show.topic}"

    def _passes_again(self, head: str, tip: str) -> bool:
        event = self._run_on_merge_result(head, merging_into=tip)
        return isinstance(event, events.GatesEvaluated) and event.passed

    def _remove_checkout(self) -> None:
        """Remove the checkout of a merged play; a failure is only a warning."""
        show = self._show
        checkout = find_checkout(show.repo, self._play)
        if checkout is None:
            return
        try:
            sandbox = show.confine(self._play, checkout.path).sandbox
            removal = remove(
                checkout, teardown=show.plan.teardown, env=show.gate_environ, sandbox=sandbox, is_fetched=True
            )
        except LionError as error:
            removal = Removal(error.message)
        if removal.kept:
            show.warn(f"could not remove the checkout of {self._play}: {removal.kept}")
            self._save(checkout_kept=removal.kept)
        elif removal.left_out:
            folder = left_out_folder(checkout)
            show.warn(f"files of {self._play} that are in no commit were moved to {folder}")
            files = [item.to_dict() for item in removal.left_out[:_MOST_LEFT_OUT]]
            self._save(left_out=files, left_out_dir=folder, checkout_kept=None)

    # ── the whole show ──

    def run_final_gates(self) -> Event:
        """Run the final gates that need no person on the merged work; without final gates, those of the show."""
        show = self._show
        tip = integration_tip(show.repo)
        if (foreign := find_foreign_commits(show.repo, tip, show)) is not None:
            return events.FinalGatesEvaluated(False, foreign=self._save_foreign(foreign))
        tree = self._tree_of(tip)
        gates = [gate for gate in show.plan.final_gates or show.plan.gates if gate.kind is not GateKind.PERSON]
        verdict = None if show.plan.final_gates else self._verdict_on(tree)
        if verdict is None:
            verdict = self._evaluate(gates, tree, (tip,), "final", show.repo.base).to_dict()
        final = {**verdict, "integration": tip, "judged_at": time.time()}
        # the final verdict is written when the show ends: a person may decide last
        play_records.save_final_gates(show.show_dir, show.database, final)
        return events.FinalGatesEvaluated(bool(verdict["gate_passed"]))

    def _verdict_on(self, tree: str) -> dict[str, Any] | None:
        """Return the verdict of a play whose gates, those of the show, passed on exactly these files."""
        show = self._show
        for play in show.plan.plays:
            meta = show.read_meta(play.name) if play.gates is None and show.plan.gates else {}
            if meta.get("gated_tree") != tree or meta.get("status") != PlayStatus.MERGED or meta.get("anyway"):
                continue
            verdict = show.read_verdict(play.name) or {}
            if verdict.get("gate_passed") is True and verdict.get("attempt") == meta.get("attempt"):
                summary = f"{verdict.get('summary')}; they ran on the merge of {play.name}, the last one"
                names = ("gate_passed", "feedback", "checks")
                return {**{name: verdict.get(name) for name in names}, "summary": summary}
        return None

    # ── gates ──

    def _evaluate(
        self,
        gates: Sequence[Gate],
        tree: str,
        parents: tuple[str, ...],
        name: str,
        base: str,
        commit: str | None = None,
    ) -> Verdict:
        """Check the merge result out, as its commit if there is one, and run the gates up to the first that fails."""
        if not gates:
            return Verdict(passed=True, summary="no gates configured")
        logs = self._show.logs_folder(self._play, str(self._attempt) if self._play else "final")
        commands = [gate for gate in gates if gate.kind is GateKind.COMMAND]
        verdicts = [self._run_commands(commands, tree, parents, name, logs, commit)] if commands else []
        for gate in gates:
            if gate.kind is GateKind.REVIEW and all(verdict.passed for verdict in verdicts):
                verdicts.append(self._review(gate, logs, base, tree, name))
        return combine_verdicts(verdicts)

    def _run_commands(
        self, gates: Sequence[Gate], tree: str, parents: tuple[str, ...], name: str, logs: str, commit: str | None
    ) -> Verdict:
        show, folder = self._show, os.path.join(self._show.repo.checkouts_dir, ".gates", name)
        safe_rmtree(folder, above=2)  # an agent may have replaced .gates by a link
        check_out_tree(show.repo, tree, folder, parents=parents, commit=commit)
        confinement, environ = show.confine(self._play, folder), show.gate_environ
        try:
            with (
                show.watchdog.for_programs(),
                provision(show.repo.user_files, folder, show.plan, environ, logs, confinement.sandbox),
            ):
                return run_commands(gates, folder, environ, confinement, logs=logs, why_stop=show.stop_reason)
        except NotReady as error:  # the change may have broken the setup, so the agent gets the message
            return combine_checks([Check(kind="setup", title="setup", passed=False, summary=error.message)])
        finally:
            safe_rmtree(folder, above=2)

    def _review(self, gate: Gate, logs: str, base: str, tree: str, name: str) -> Verdict:
        """Ask a reviewer, who works in a folder of its own with the merge result as material."""
        task = self._show.planned(self._play).prompt if self._play else self._show.plan.goal
        folder = os.path.join(self._show.repo.checkouts_dir, ".reviews", name)
        safe_rmtree(folder, above=2)
        try:
            # not from the head of the play: what other plays merged since it started would look deleted
            prompt = prepare_review(self._show.repo, gate, folder, task=task or "", base=base, result=tree)
            verdict = review(gate, prompt, lambda question: self._ask_reviewer(gate, folder, logs, question))
        finally:
            safe_rmtree(folder, above=2)
        return replace(verdict, checks=tuple(replace(check, confinement=self._confinement) for check in verdict.checks))

    def _ask_reviewer(self, gate: Gate, cwd: str, logs: str, prompt: str) -> ReviewAnswer:
        """Return a reviewer's answer; each prompt is sent once, even when processes are killed meanwhile."""
        agent = str(gate.agent)
        pinned = self._show.reviewer(agent)
        key = hashlib.sha256(f"{pinned}\0{prompt}".encode()).hexdigest()[:12]
        folder = os.path.join(logs, f"review-{key}")
        ended, word = self._run_reviewer(folder, pinned, gate, cwd, prompt)
        for part in itertools.count(1):
            if ended.outcome is not events.AttemptOutcome.LIMITED:
                break
            self._wait_for_limit(agent, outcomes.back_off(ended, part - 1))
            folder = os.path.join(logs, f"review-{key}-{part}")
            ended, word = self._run_reviewer(folder, pinned, gate, cwd, prompt)
        if ended.outcome is not events.AttemptOutcome.COMPLETED:  # it may have died before it said the rest
            raise LionError(f"it did not complete ({ended.reason or ended.outcome})")
        session_id = attempt_files.read_spec(folder).session_id
        answer = self._show.database.read(lambda conn: answer_of(_said_by_main_agent(conn, session_id)))
        if answer is None:
            raise LionError("it gave no answer")
        return ReviewAnswer(answer, word)

    def _run_reviewer(
        self, folder: str, pinned: PinnedAgent, gate: Gate, cwd: str, prompt: str
    ) -> tuple[events.AttemptEnded, str]:
        show, session_id = self._show, new_id()
        pin_file, word_file = os.path.join(folder, "reviewer.json"), os.path.join(folder, "word.json")
        if (word := (find_object(word_file) or {}).get("word")) is None:
            word = new_word()
            play_records.write_json(word_file, {"word": word})
        play_records.write_json(
            pin_file, {**pinned.to_record(), "folder": os.path.join(show.show_dir, PINNED_REVIEWERS)}
        )
        options = {
            "--show-topic": show.topic,
            "--name": f"show_{show.topic}_{self._play or 'final'}_review",
            "--session-id": session_id,
            "--cwd": cwd,
            "--timeout": str(gate.timeout),
            "--definitions": str(show.runnable_plan.repo),
            "--review-by": pin_file,
        }
        confined = attempt_command.sandbox_options(show.plan, self._play, show.settings, ())
        argv = tuple(li_argv("agent", pinned.target, "-", "--quiet", *itertools.chain(*options.items()), *confined))
        spec = attempt_files.AttemptSpec(
            argv,
            cwd,
            session_id,
            show.settings.db,
            float(gate.timeout),
            attempt_command.SILENCE_SECONDS,
            lease=show.lease,
        )
        environ = attempt_command.attempt_environment(show.agent_environ, pinned.resolve().pass_env)
        attempt_files.write_spec(folder, spec, with_word(prompt, word), environ)
        with show.pauses(folder) as pause:
            ended = show.watch_attempt(folder, environ).wait(show.stop_reason, pause)
        show.check_held(ended)
        session = settle_run(show.database, attempt_files.read_spec(folder).session_id, wait=SETTLE_SECONDS)
        self._confinement = session.metadata.get("confinement") if session is not None else None
        return outcomes.attempt_ended(self._play, folder, ended, session), str(word)

    def _wait_for_limit(self, agent: str, ended: events.AttemptEnded) -> None:
        """Wait out a usage limit of the reviewer: it says nothing about the work, so it costs no attempt."""
        until = ended.resets_at or time.time() + PARK_SECONDS
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
        reason = f"the reviewer {agent} reached a usage limit; asking again at {moment}"
        if self._play:
            self._save(reason=reason)
        self._show.warn(f"{self._play or self._show.topic}: {reason}")
        with self._show.pauses() as pause:
            while time.time() < until:
                if stop_reason := self._show.stop_reason():
                    raise LionError(stop_reason)
                pause()
        if self._play:
            self._save(reason=None)

    # ── bookkeeping ──

    def _tree_of(self, commit: str) -> str:
        return director_git(self._show.repo).check("rev-parse", "--verify", f"{commit}^{{tree}}").line

    def _save_foreign(self, foreign: ForeignCommits) -> str:
        """Save the commits in the row of the show, where the decision about them is made; return the reason."""
        play_records.update_show(
            self._show.show_dir,
            self._show.database,
            foreign_commits=list(foreign.shas) or None,
            dropped_merges=list(foreign.dropped) or None,
        )
        return foreign_reason(foreign.shas, foreign.dropped)

    def _save_conflict(self, conflict: MergeConflict, head: str) -> None:
        files = list(conflict.files)
        self._save(conflict={"attempt": self._attempt, "head": head, "tip": conflict.tip, "files": files})

    def _save(self, **changes: Any) -> None:
        play_records.save_play(self._show.show_dir, self._show.database, self._play, **changes)
        self._meta = self._show.read_meta(self._play)


def _said_by_main_agent(conn: Connection, session_id: str) -> Iterator[Message]:
    """Yield the messages of a run without those of its sub-agents."""
    for branch in list_branches(conn, session_id)[:1]:
        for entry in branch_entries(conn, branch.id):
            if entry.message is not None:
                yield entry.message
