"""Replay a recorded conversation of a real ACP agent: `python acp_replay.py FILE`.

Each line of the file is a message of the client or of the agent. The client must send the same methods in the same
order; the agent's messages are printed as they were recorded, with the ids of the client's requests.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def replay(path: Path) -> int:
    ids: dict[int, int] = {}  # recorded -> sent
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "agent" in record:
            message = record["agent"]
            if "method" not in message:
                message["id"] = ids[message["id"]]
            print(json.dumps(message), flush=True)
            continue
        expected, sent = record["client"], json.loads(sys.stdin.readline() or "{}")
        if expected.get("method") != sent.get("method") or expected.get("result") != sent.get("result"):
            print(f"expected {expected}\nreceived {sent}", file=sys.stderr)
            return 9
        if "method" in expected:
            ids[expected["id"]] = sent["id"]
    return 0


if __name__ == "__main__":
    sys.exit(replay(Path(sys.argv[1])))
