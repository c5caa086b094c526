"""Two runs of the real Claude Code in a team: they exchange messages without a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agent_programs import Agent
from tests.support.agents import LI, sessions
from tests.support.talks import home_in

WAITS = "\n".join(["@run sleep 1"] * 12)  # a message is taken between two calls
# sends the next message, whose text makes the other agent call this script
REPLY = """
next=$(( $(cat count) + 1 ))
[ $next -gt 10 ] && exit 0
echo $next > count
{li} team send pair "message $next
@run sh reply.sh $2 $1
{waits}
@say done" --as $1 --to $2
"""


def test_two_running_claudes_exchange_ten_messages_without_a_person(claude: Agent, tmp_path: Path) -> None:
    (tmp_path / "talks").mkdir()
    work = Path(claude.task.cwd)
    (work / "reply.sh").write_text(REPLY.format(li=LI, waits=WAITS))
    (work / "count").write_text("0")
    with home_in(tmp_path / "talks") as home:
        home.env |= claude.task.env
        assert home.li("team", "create", "pair", "--members", "ann,bob").code == 0

        def member(name: str, script: str) -> str:
            options = ("--team-mode", "pair", "--as", name, "--cwd", str(work), "--permissions", "all")
            done = home.li("agent", "claude", script, "--background", "--quiet", *options)
            assert done.code == 0, done.err
            return done.out.strip()

        bob = member("bob", f"{WAITS}\n@say done")
        ann = member("ann", f"@run sh reply.sh ann bob\n{WAITS}\n@say done")
        assert home.li("wait", ann, bob, "--timeout", "100").code == 0

        sent: list[dict[str, Any]] = home.li("team", "show", "pair", "--json").json["messages"]
        assert [message["content"].partition("\n")[0] for message in sent] == [f"message {n}" for n in range(1, 11)]
        assert [(message["sender"], message["read_by"]) for message in sent] == [("ann", ["bob"]), ("bob", ["ann"])] * 5
        assert [message["session_id"] for message in sent] == [ann, bob] * 5
        # the messages in the transcripts are those of the runs, not of a terminal
        assert {row["id"] for row in sessions(home.path)} == {ann, bob}
