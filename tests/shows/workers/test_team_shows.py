"""What shows can do on one machine, on workers: reviewers, budgets, usage limits; and bad input for workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shows.test_attacks_reviewers import PASS
from tests.support.builders import sql
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.fleet import TOPIC, Fleet
from tests.support.hub_cutter import HubCutter
from tests.support.postgres_server import PASSWORD, PostgresServer

from lionstudio.settings import load_settings
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.workers.worker_identity import load_identity
from lionstudio.state.backends import open_database, reading
from lionstudio.state.exchange.questions import list_unsettled
from lionstudio.state.workers.workers import Worker, register_worker, stop_worker
from lionstudio.studio.views.attention import list_attention

pytestmark = pytest.mark.postgres
GIVE_UP = "UPDATE orders SET answer = :answer, ended_at = ordered_at + 1 WHERE work = 'show'"
WRITE = "@run sh -c 'echo {0} > {0}.txt'\n@say done"


@pytest.fixture
def fleet(tmp_path: Path, postgres_server: PostgresServer) -> Iterator[Fleet]:
    name = postgres_server.create()
    fleet = Fleet(tmp_path, postgres_server.local_url(name))
    try:
        yield fleet
    finally:
        fleet.close()
        postgres_server.drop(name)


def questions(fleet: Fleet) -> list[str | None]:
    """The plays of the open questions of the show; None: the whole show."""
    with reading(fleet.url) as conn:
        return [question.play_name for question in list_unsettled(conn, TOPIC) if question.is_open]


def reviewer_on(fleet: Fleet, machine: str, script: str) -> None:
    agents = fleet.root / machine / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text(f"---\nprovider: script\n---\n{script}\n")


def test_reviewer_of_a_team_show_judges_on_the_worker(fleet: Fleet) -> None:
    reviewer_on(fleet, "user", PASS)
    reviewer_on(fleet, "one", "@say I have not looked")  # of the same name; the one that was ordered counts
    fleet.write_plan({"a": WRITE.format("a")}, gates=[{"review": "critic"}])
    fleet.start_worker("one")

    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    fleet.assert_completed("a")
    with reading(fleet.url) as conn:
        names = [name for (name,) in conn.all("SELECT name FROM sessions ORDER BY created_at")]
    assert names == [f"show_{TOPIC}_a", f"show_{TOPIC}_a_review"]


def test_budget_of_a_team_show_is_granted_from_another_machine(fleet: Fleet) -> None:
    spend = "@usage 90 20\n@say spent"
    fleet.write_plan({"a": spend, "b": {"prompt": spend, "depends_on": ["a"]}}, budget={"tokens": 100})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: questions(fleet) and fleet.statuses() == {"a": "merged", "b": "pending"})

    granted = fleet.li("show", "approve", TOPIC, "--tokens", "100", "--yes")

    assert granted.code == 0, granted
    fleet.wait_for_end()
    assert (fleet.show_status(), fleet.statuses()) == ("completed", {"a": "merged", "b": "merged"})


def test_usage_limit_parks_a_play_of_a_team_show_without_using_an_attempt(fleet: Fleet) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 6))
    script = f"@limit usage limit; resets at {moment}"
    fleet.write_plan({"a": script}, max_attempts=1)
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["a"] >= 2, 60)  # it was resumed when the limit was over

    with reading(fleet.url) as conn:
        assert conn.value("SELECT attempt FROM plays") == 1
    assert fleet.li("show", "abort", TOPIC).code == 0
    fleet.wait_for_end()


def test_agent_that_pushes_to_the_branch_itself_is_found_out(fleet: Fleet) -> None:
    push = f"git push -q {fleet.remote} HEAD:refs/heads/show/{TOPIC}/integration"
    forge = f"@run sh -c 'echo own > own.txt; git add -A; git commit -qm own; {push}'\n@say done"
    seen = fleet.root / "seen"
    fleet.write_plan({"a": forge, "b": f"@run sh -c 'ls > {seen}'"})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0

    fleet.wait_until(lambda: (questions(fleet) and seen.exists()) or fleet.show_status() == "completed")

    assert fleet.show_status() == "active"
    assert "merged" not in fleet.statuses().values()
    assert seen.read_text() == "README\n"  # no agent begins with what a person has not seen


def test_fence_that_an_agent_raises_itself_needs_a_person_and_starts_nothing_again(fleet: Fleet) -> None:
    """Nor does that of a show before, on another hub: the hub says who has an order, and the remote who moves refs."""
    script = fleet.root / "attack.sh"
    fence = "$(git commit-tree HEAD^{tree} -p HEAD -m x -m 'Show-Fence: 900')"
    script.write_text(f"git push -q {fleet.remote} {fence}:refs/shows/{TOPIC}/a/fence\necho a > a.txt\n")
    fleet.write_plan({"a": f"@run sh {script}\n@say done"})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0

    fleet.wait_until(lambda: questions(fleet) or fleet.runs()["a"] > 1)

    assert (fleet.runs()["a"], questions(fleet), fleet.statuses()) == (1, ["a"], {"a": "escalated"})
    assert f"delete refs/shows/{TOPIC}/a/fence on the remote" in fleet.log("one")
    fleet.git("update-ref", "-d", f"refs/shows/{TOPIC}/a/fence", where=fleet.remote)
    script.write_text("echo a > a.txt\n")
    assert fleet.li("show", "redo", TOPIC, "a").code == 0
    fleet.wait_for_end()
    fleet.assert_completed("a")


def behind_cutter(fleet: Fleet, cutter: HubCutter) -> dict[str, str]:
    """The variables of a worker `one` that reaches the hub through a proxy."""
    home = fleet.root / "one"
    home.mkdir(exist_ok=True)
    (home / ".pgpass").write_text(f"*:*:*:lion:{PASSWORD}\n")
    (home / ".pgpass").chmod(0o600)
    (home / ".gitconfig").write_text("[user]\nname = Ann\nemail = ann@example.org\n")
    database = fleet.url.partition("?")[0].rpartition("/")[2]
    url = f"postgresql://lion@127.0.0.1:{cutter.port}/{database}?sslmode=disable&gssencmode=disable"
    return {"LIONAGI_DB": url, "HOME": str(home)}


def test_hub_that_goes_away_while_an_agent_begins_costs_no_attempt(
    fleet: Fleet, postgres_server: PostgresServer
) -> None:
    home, cutter = fleet.root / "one", HubCutter(postgres_server.port)
    behind = behind_cutter(fleet, cutter)
    fleet.write_plan({"a": WRITE.format("a")}, max_attempts=1)
    fleet.start_worker("one", **behind)
    assert fleet.run_show().code == 0
    # the recorder is started now, and needs a while until it connects
    fleet.wait_until(lambda: list(home.glob(f"shows/{TOPIC}/a/attempts/*/started.json")))
    cutter.set("cut")
    time.sleep(3 * fleet.beat)
    cutter.set("pass")
    fleet.wait_for_end()
    cutter.close()

    fleet.assert_completed("a")


def test_worker_that_starts_again_while_the_hub_goes_away_goes_on_later(
    fleet: Fleet, postgres_server: PostgresServer
) -> None:
    cutter = HubCutter(postgres_server.port)
    fleet.write_plan({"a": WRITE.format("a")}, gates=["person"])
    fleet.start_worker("one", **behind_cutter(fleet, cutter))
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: questions(fleet))

    fleet.kill_worker("one")
    cutter.cut_at = b"worker_id = $1 ORDER BY"  # the question for its orders
    fleet.start_worker("one", **behind_cutter(fleet, cutter))
    fleet.wait_until(lambda: fleet.log("one").count(f"Directing {TOPIC}") == 2)
    assert fleet.log("one").count("Waiting until the hub is back") == 1
    assert fleet.li("show", "approve", TOPIC, "a").code == 0
    fleet.wait_for_end()
    cutter.close()

    fleet.assert_completed("a")
    assert fleet.fences("show") == {None: 1}


def test_worker_that_the_server_refuses_ends(fleet: Fleet) -> None:
    missing = fleet.url.replace(fleet.url.partition("?")[0].rpartition("/")[2], "nosuch")

    refused = fleet.li("worker", LIONAGI_DB=missing)

    assert refused.code == 1
    assert "no such database" in refused.err


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs a small file system")
def test_full_disk_of_a_worker_fails_its_play_and_not_the_worker(fleet: Fleet) -> None:
    home = fleet.root / "small"
    home.mkdir()
    fleet.write_plan({"a": "@run sh -c 'head -c 60000000 /dev/zero > big.bin'\n@say done"}, max_attempts=1)
    mount = f"mount -t tmpfs -o size=24m tmpfs {home} && exec {LI} worker --name small"
    with open(fleet.root / "small.log", "ab") as log:
        fleet.workers["small"] = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", mount],
            env=environment(**fleet.env("small")),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    assert fleet.run_show().code == 0

    fleet.wait_until(lambda: fleet.statuses().get("a") in ("escalated", "merged"))

    assert fleet.statuses() == {"a": "escalated"}
    assert fleet.workers["small"].poll() is None


def test_agent_of_a_director_that_gave_up_is_adopted(fleet: Fleet) -> None:
    fleet.write_plan({"a": f"@run sleep 6\n{WRITE.format('a')}"})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["a"] == 1)

    with open_database(fleet.url) as database:
        database.write(lambda conn: conn.execute(GIVE_UP, {"answer": '{"error": "the disk is full"}'}))
        (item,) = database.read(lambda conn: list_attention(conn, load_settings(fleet.env("user"))))
    assert item["code"] == "show.undirected"
    assert "The director gave up: the disk is full. Continue with `li show resume demo" in item["evidence"]
    assert fleet.li("show", "resume", TOPIC, "--detach").code == 0
    fleet.wait_for_end()

    fleet.assert_completed("a")
    assert fleet.runs()["a"] == 1
    assert [work for work, _, _ in fleet.all_orders()].count("attempt") == 1


def test_order_waits_until_other_work_on_its_play_has_ended(fleet: Fleet) -> None:
    fleet.write_plan({"a": f"@run sleep 60\n{WRITE.format('a')}"}, max_attempts=1)
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["a"] == 1)

    with open_database(fleet.url) as database:  # as if the earlier director had ordered another attempt
        database.write(lambda conn: conn.execute(GIVE_UP, {"answer": '{"error": "the disk is full"}'}))
        database.write(lambda conn: conn.execute("UPDATE orders SET command = '{}' WHERE work = 'attempt'"))
    assert fleet.li("show", "resume", TOPIC, "--detach").code == 0
    fleet.wait_until(lambda: [work for work, _, _ in fleet.all_orders()].count("attempt") == 2)

    with reading(fleet.url) as conn:
        (first, second) = conn.all("SELECT ended_at, ordered_at FROM orders WHERE work = 'attempt' ORDER BY ordered_at")
    assert first[0] <= second[1]  # nothing of the first one is awake
    assert fleet.li("show", "abort", TOPIC).code == 0
    fleet.wait_for_end()


def test_show_that_no_worker_can_take_needs_a_person(fleet: Fleet) -> None:
    fleet.write_plan({"a": {"prompt": "@say done", "needs": ["gpu"]}})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: any(order.work == "attempt" for order in fleet.orders()))

    with reading(fleet.url) as conn:
        (item,) = list_attention(conn, load_settings(fleet.env("user")))
        sandboxes = conn.all("SELECT sandbox FROM workers")

    assert (item["code"], item["title"]) == ("show.no_worker", TOPIC)
    assert item["evidence"] == "a waits: no connected worker has the label gpu"
    assert sandboxes == [(None,)]  # it is switched off
    assert fleet.li("show", "abort", TOPIC).code == 0
    fleet.wait_for_end()


def test_draining_worker_gives_its_show_to_another_one(fleet: Fleet) -> None:
    fleet.write_plan({"a": {"prompt": "@say done", "needs": ["gpu"]}})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.order_of("show"))
    fleet.start_worker("two", "--labels", "gpu")

    assert fleet.li("workers", "drain", "one").code == 0

    fleet.wait_until(lambda: (order := fleet.order_of("show")) and fleet.worker_name(order) == "two", 30)
    fleet.wait_for_end()
    assert fleet.statuses() == {"a": "merged"}


def test_show_with_a_reviewer_is_directed_on_a_machine_that_never_had_it(fleet: Fleet) -> None:
    reviewer_on(fleet, "user", PASS)
    fleet.write_plan({"a": {"prompt": WRITE.format("a"), "needs": ["gpu"]}}, gates=[{"review": "critic"}])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: any(order.work == "attempt" for order in fleet.orders()))  # so the reviewer is pinned
    fleet.kill_machine("one")

    fleet.start_worker("two", "--labels", "gpu")
    fleet.wait_for_end()

    fleet.assert_completed("a")


def test_copy_of_a_home_is_another_worker(tmp_path: Path) -> None:
    first = load_identity(str(tmp_path / "home"), "build-1")
    shutil.copytree(tmp_path / "home", tmp_path / "copy")

    assert load_identity(str(tmp_path / "home"), None) == first
    assert load_identity(str(tmp_path / "copy"), None) == load_identity(str(tmp_path / "copy"), None)
    assert load_identity(str(tmp_path / "copy"), None).id != first.id


def test_plan_of_another_machine_is_not_sent_as_an_edit(fleet: Fleet) -> None:
    fleet.write_plan({"a": "@say done"})
    assert fleet.run_show().code == 0
    fleet.write_plan({"b": "@say done"})

    def edits_after(**more: str) -> int:
        fleet.li("show", "run", TOPIC, "--detach", **more)
        with reading(fleet.url) as conn:
            return int(conn.value("SELECT count(*) FROM shows WHERE node_metadata LIKE '%\"edit\"%'"))

    assert edits_after(LIONAGI_MACHINE_ID="another") == 0
    assert edits_after() == 1


def test_edit_brings_its_agents_and_is_refused_where_a_new_show_would_be(fleet: Fleet) -> None:
    secret = "sk-ant-" + "api03-" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3gI5kM7oQ9sU1wY3aC5eG7iK9mO1q"
    fleet.write_plan({"a": WRITE.format("a")}, gates=["person"])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("a") == "gated")
    agents = fleet.root / "user" / "agents"
    agents.mkdir(parents=True)
    (agents / "other.md").write_text("---\nprovider: script\n---\n")
    (agents / "critic.md").write_text(f"---\nprovider: script\n---\n{PASS}\n")

    refusals = []
    for change in ({"goal": secret}, {"copy": [".env"]}, {"gates": ["person", {"review": "nobody"}]}):
        fleet.write_plan({"a": WRITE.format("a")}, **{"gates": ["person"], **change})
        refusals.append(fleet.run_show())
    with reading(fleet.url) as conn:
        assert conn.value("SELECT count(*) FROM shows WHERE node_metadata LIKE '%\"edit\"%'") == 0
    other = {"agent": "other", "prompt": WRITE.format("b"), "gates": [{"review": "critic"}]}
    fleet.write_plan({"a": WRITE.format("a"), "b": other}, gates=["person"])
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: None in questions(fleet))
    assert fleet.li("show", "approve", TOPIC, "--yes").code == 0
    fleet.wait_until(lambda: fleet.statuses().get("b") in ("escalated", "merged"))

    assert [refusal.code for refusal in refusals] == [2, 2, 3], refusals
    assert fleet.statuses()["b"] == "merged"


_BAD = "INSERT INTO orders (id, topic, play, work, command, needs, shape, ordered_at, fence) VALUES (?,?,?,?,?,?,?,?,?)"


def test_orders_that_no_worker_can_carry_out_stop_no_other_show(fleet: Fleet) -> None:
    bad = {"labels": ("{}", "5", 0), "command": ("[5]", "[]", 0), "fence": ("{}", "[]", 2**63 - 1)}
    with open_database(fleet.url) as database:
        for name, (command, needs, fence) in bad.items():
            sql(database, _BAD, (name, "other", name, "attempt", command, needs, SHAPE, 1.0, fence))
    fleet.write_plan({"a": WRITE.format("a")})
    worker = fleet.start_worker("one")

    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    assert worker.poll() is None
    fleet.assert_completed("a")
    with reading(fleet.url) as conn:
        ended = conn.all("SELECT id, answer FROM orders WHERE topic = 'other' AND ended_at IS NOT NULL")
    assert ended == [("command", "null")]


def test_agent_can_neither_drain_nor_remove_a_worker(fleet: Fleet) -> None:
    """Not even from a process that names no session: its ancestors are the agent."""
    out, script = fleet.root / "out", fleet.root / "attack.sh"
    clean = f"env -i PATH={os.environ['PATH']} HOME={fleet.root} LIONAGI_HOME={fleet.root / 'other'}"
    li = f"{clean} LIONAGI_DB='{fleet.url}' {LI} workers"
    script.write_text(f"for words in 'drain one' 'rm gone'; do {li} $words >>{out} 2>&1; done\n")
    fleet.write_plan({"a": f"@run sh {script}\n@say done"}, permissions="all", sandbox="off")
    fleet.start_worker("one")
    fleet.wait_until(lambda: fleet.li("workers", "ls", "--json").json["workers"])
    with open_database(fleet.url) as database:
        gone = Worker(id="gone", name="gone", labels=(), at_once=1, version="", shape=SHAPE)
        database.write(lambda conn: register_worker(conn, gone))
        database.write(lambda conn: stop_worker(conn, gone.id))

    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    assert out.read_text().count("only a person decides") == 2
    workers = fleet.li("workers", "ls", "--json").json["workers"]
    assert {worker["name"]: worker["draining"] for worker in workers} == {"one": False, "gone": False}


def test_worker_that_was_removed_while_it_was_away_comes_back_by_itself(fleet: Fleet) -> None:
    fleet.start_worker("one")
    fleet.wait_until(lambda: fleet.li("workers", "ls", "--json").json["workers"])
    with open_database(fleet.url) as database:
        sql(database, "DELETE FROM workers", ())

    fleet.wait_until(lambda: fleet.li("workers", "ls", "--json").json["workers"])
