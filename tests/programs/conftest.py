"""The real agent programs, against a model server on loopback, in a network namespace of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent, Network, find_agent, heard_line

from lionstudio.agents.provider import Task
from lionstudio.system.program import Program

MODEL_SERVER = Path(__file__).with_name("loopback_model.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.agents)


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    missing = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"a network of our own needs {', '.join(missing)}")
    log = tmp_path_factory.mktemp("server") / "requests.jsonl"
    log.touch()
    serve = [sys.executable, str(Path(__file__).with_name("model_server.py")), str(MODEL_SERVER), str(log)]
    argv = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *serve]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            url = process.stdout.readline().strip()
            if not url:
                pytest.skip(f"a network of our own is not permitted: {process.stderr.read().strip()[:200]}")
            yield Network(process.pid, url, log)
        finally:
            process.kill()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A new home with a working folder."""
    for name in ("bin", "home", "tmp", "work"):
        (tmp_path / name).mkdir()
    return tmp_path


def installed(name: str, network: Network, home: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Agent:
    """The installed agent of this name with a task; skips the test if it is not installed."""
    program = find_agent(name)
    if program is None:
        pytest.skip(f"the program {name} is not installed; `make test-agents` does that")
    network.wrap(program, home / "bin")
    monkeypatch.setattr(Program, "line", heard_line)
    # beside the program may be the Node that it was installed with
    paths = [str(home / "bin"), str(Path(program).parent), os.environ.get("PATH", os.defpath)]
    # Codex does not set up its sandbox with a home below the folder of temporary files, where pytest has it
    whole = {"PATH": os.pathsep.join(paths), "HOME": str(home / "home"), "TMPDIR": str(home / "tmp"), **env}
    return Agent(name, Task("", str(home / "work"), whole, permissions="all"), network)


@pytest.fixture
def claude(network: Network, home: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    env = {
        "CLAUDE_CONFIG_DIR": str(home / "home" / ".claude"),
        "ANTHROPIC_BASE_URL": network.url,
        "ANTHROPIC_API_KEY": "test-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    return installed("claude", network, home, env, monkeypatch)


CODEX_CONFIG = """
model = "gpt-5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[features]
plugins = false

[analytics]
enabled = false
"""


@pytest.fixture
def codex(network: Network, home: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    folder = home / "home" / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX_CONFIG.format(url=network.url))
    return installed("codex", network, home, {"FAKE_KEY": "test-key", "CODEX_HOME": str(folder)}, monkeypatch)
