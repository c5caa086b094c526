"""Find the state functions that read and then write, from their source: those need the write lock."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import lionstudio.state

# What a file or a server has for itself, and readers of other files, take no part in writes of processes beside them.
_OWN = ("lionstudio.state.sqlite", "lionstudio.state.postgres", "lionstudio.state.imports.external_")
_READS = {"one", "value", "all", "each", "dicts", "first_dict"}
_CALLS = {*_READS, "execute", "run", "many", "run_many"}
_WRITING = ("INSERT", "UPDATE", "DELETE")


class Steps(NamedTuple):
    """What a function does on its connection: whether it reads, writes, and writes after a read."""

    reads: bool = False
    writes: bool = False
    reads_then_writes: bool = False

    def then(self, other: Steps) -> Steps:
        return Steps(
            self.reads or other.reads,
            self.writes or other.writes,
            self.reads_then_writes or other.reads_then_writes or (self.reads and other.writes),
        )


_NOTHING, _READ, _WRITE = Steps(), Steps(reads=True), Steps(writes=True)


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(lionstudio.state.__path__, "lionstudio.state."):
        if not info.name.startswith(_OWN):
            yield importlib.import_module(info.name)


def functions_that_read_then_write() -> set[str]:
    """The names of public functions of a connection, with their modules inside `state`."""
    return {
        f"{module.__name__.removeprefix('lionstudio.state.')}.{name}"
        for module in modules()
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_"
        if _connection_of(value) is not None and steps_of(value).reads_then_writes
    }


def _connection_of(function: Any) -> str | None:
    names = list(inspect.signature(function).parameters)
    return names[0] if names and names[0] in ("conn", "hub") else None


@cache
def _bodies_of(module: ModuleType) -> dict[int, list[ast.stmt]]:
    """The bodies of functions by the line where each begins, with its decorators."""
    return {
        min([node.lineno, *(one.lineno for one in node.decorator_list)]): node.body
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.FunctionDef)
    }


_open: set[Any] = set()


@cache
def steps_of(function: Any) -> Steps:
    """The steps in the order of the source; a loop is gone through twice."""
    function = inspect.unwrap(function)
    module = inspect.getmodule(function)
    if module is None or function in _open:
        return _NOTHING
    _open.add(function)
    try:
        return _Reader(module).steps(_bodies_of(module).get(function.__code__.co_firstlineno, []))
    finally:
        _open.discard(function)


class _Reader:
    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def steps(self, nodes: list[Any]) -> Steps:
        done = _NOTHING
        for node in nodes:
            done = done.then(self._node(node))
        return done

    def _node(self, node: Any) -> Steps:
        inner = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.FunctionDef)]
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            inner = [child for child in (node.value,) if child is not None]
        done = self.steps(inner)
        if isinstance(node, (ast.For, ast.While)):
            done = done.then(done)
        if isinstance(node, ast.Call):
            done = done.then(self._call(node))
        return done

    def _call(self, call: ast.Call) -> Steps:
        target = call.func
        if isinstance(target, ast.Attribute) and target.attr in _CALLS and _is_connection(target.value):
            return self._statement(target.attr, call.args[0]) if call.args else _NOTHING
        if call.args and not _is_connection(call.args[0]):
            return _NOTHING
        value = self._value(target)
        if inspect.isclass(value) and value.__module__.startswith("lionstudio.state."):
            return self._of_class(value)
        if inspect.isfunction(value) and value.__module__.startswith("lionstudio.state."):
            return steps_of(value)
        return _NOTHING

    def _of_class(self, value: type) -> Steps:
        """A class that keeps the connection: all of its methods."""
        done = _NOTHING
        for function in vars(value).values():
            if inspect.isfunction(function) and function.__module__ == value.__module__:
                done = done.then(steps_of(function))
        return done

    def _statement(self, method: str, text: ast.expr) -> Steps:
        sql = self._value(text)
        if not isinstance(sql, str):
            sql = ast.unparse(text)
        has = any(word in sql.upper() for word in (f"{verb} " for verb in _WRITING))
        if method in _READS:
            return _READ.then(_WRITE) if has and "WITH" in sql.upper()[:20] else (_WRITE if has else _READ)
        return _WRITE

    def _value(self, node: ast.expr) -> Any:
        """The value of a name, an attribute of a module, or a literal."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return vars(self._module).get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return getattr(vars(self._module).get(node.value.id), node.attr, None)
        if isinstance(node, ast.Call):
            return self._value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        return None


def _is_connection(node: ast.expr) -> bool:
    name = ast.unparse(node)
    return name in ("conn", "hub") or name.endswith((".conn", "._conn", "._hub", ".hub"))
