"""Completion scripts for bash, zsh and fish: each finds the command being typed, then offers its options and values."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from lionstudio.cli._toolkit.args import parser_of
from lionstudio.cli.registry import COMMANDS, GLOBAL_OPTIONS, GROUPS

_VALUED = "|".join(option for option, value, _ in GLOBAL_OPTIONS if value)


# the metavar of an argument, and the kind of values that `li __complete` lists for it
_DYNAMIC = {
    "SESSION": "session",
    "SESSION[:ORD]": "session",
    "S": "session",
    "TOPIC": "topic",
    "PLAY": "play",
    "AGENT": "agent",
    "A": "agent",
    "PLAYBOOK": "playbooks",
    "TEAM": "team",
    "P": "project",
    "TAG": "tag",
    "QUESTION": "question",
    "MACHINE": "machine",
}
_NAMES = {"agents": "agents", "playbooks": "playbooks", "skills": "skills", "plugins": "plugins", "team": "team"}
_NEW = ("new", "create")  # their names must not exist yet


class Option(NamedTuple):
    """An option or positional argument of a command."""

    names: tuple[str, ...]  # empty for a positional argument
    value: str  # metavar, "" for a flag
    choices: tuple[str, ...]
    help: str
    repeats: bool = False

    @property
    def kind(self) -> str:
        """The kind of values to offer."""
        if self.choices:
            return "choice"
        return {"FILE": "file", "DIR": "folder", "": "none"}.get(self.value, "text")


def options_of(command: str) -> list[Option]:
    return [_option(action) for action in parser_of(command)._actions if action.help != argparse.SUPPRESS]


def _option(action: argparse.Action) -> Option:
    takes_value = action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction)
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return Option(
        tuple(action.option_strings),
        metavar if takes_value else "",
        tuple(map(str, action.choices or ())),
        (action.help or "").partition("(")[0].strip() if "%" in (action.help or "") else action.help or "",
        action.nargs in ("+", "*"),
    )


def _dynamic_kind(command: str, option: Option) -> str:
    """The kind of values that `li __complete` lists for an argument; "" for none."""
    group, _, verb = command.partition(" ")
    if option.value == "NAME" and not option.names:
        return "" if verb in _NEW else _NAMES.get(group, "")
    if "--tag" in option.names:
        return "tag"
    if option.value == "PLAY" and option.names:
        return ""  # only a positional topic before it says which plays there are
    return _DYNAMIC.get(option.value, "") if option.kind == "text" else ""


def _dynamic_positionals(command: str) -> str:
    """The kinds of the positional arguments in order, for `li __complete`; "" if none has values to list."""
    positional = [option for option in options_of(command) if not option.names]
    kinds = [_dynamic_kind(command, option) for option in positional]
    if not any(kinds):
        return ""
    last = "+" if positional[-1].repeats and kinds[-1] else ""
    return " ".join(kind or "-" for kind in kinds) + last


def _valued_options(command: str) -> str:
    return " ".join(name for option in options_of(command) if option.kind != "none" for name in option.names)


def _levels() -> Iterator[tuple[str, Mapping[str, str]]]:
    """The names that may follow `li`, and those that may follow each group."""
    yield "", {**GROUPS, **{name: summary for name, summary in COMMANDS.items() if " " not in name}}
    for group in GROUPS:
        prefix = f"{group} "
        yield group, {name.removeprefix(prefix): text for name, text in COMMANDS.items() if name.startswith(prefix)}


_BASH = """\
# bash completion for li. Load it with: source <(li completion bash)
_li_values() {
    # values are quoted, never expanded; with several, each has its description behind it
    local line value text li=${COMP_WORDS[0]/#\\~/$HOME}
    local -a values=() shown=()
    while IFS= read -r line; do
        value=${line%%$'\\t'*} text=${line#*$'\\t'}
        printf -v value %q "$value"
        values+=("$value")
        shown+=("$value  ($text)")
    done < <("$li" __complete "$kinds" "$valued" "$command" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if ((${#values[@]} + ${#COMPREPLY[@]} > 1)) && [[ ${COMP_TYPE:-9} != 37 ]]; then values=("${shown[@]}"); fi
    COMPREPLY+=("${values[@]}")
}
_li() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= kinds= valued= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            @VALUED@) i=$((i + 1)) ;;
            -*) ;;
            *)
                command=${command:+$command }${COMP_WORDS[i]}
                case $command in @GROUPS@) ;; *) break ;; esac
                ;;
        esac
    done
    case $command:$previous in
@CASES@
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ -n $kinds && $current != -* ]] && _li_values
    # offer file names only where a file is expected
    compopt +o default 2>/dev/null
}
complete -o default -F _li li
"""


def bash() -> str:
    cases = list(_value_cases(_bash_value))
    for command in COMMANDS:
        words = f"words='{' '.join(_offered(command))}'"
        if kinds := _dynamic_positionals(command):
            words = f"kinds='{kinds}' valued='{_valued_options(command)}'; [[ $current == -* ]] && {words}"
        if _takes_file(command):
            words = f"case $current in -*) {words} ;; *) return ;; esac"
        cases.append(f"        '{command}':*) {words} ;;")
    for level, names in _levels():
        cases.append(f"        '{level}':*) words='{' '.join(names)}' ;;")
    return _filled(_BASH, cases)


def _value_cases(offer: Callable[[str, Option], str]) -> Iterator[str]:
    """The cases for option values, in the syntax that bash and zsh share."""
    common = {option for option, _, _ in GLOBAL_OPTIONS}
    for option in options_of(next(iter(COMMANDS))):
        if common.intersection(option.names) and option.kind != "none":
            yield f"        *:{option.names[0]}) {offer('', option)} ;;"
    for command in COMMANDS:
        for option in options_of(command):
            if option.names and option.kind != "none" and not common.intersection(option.names):
                names = "|".join(f"'{command}':{name}" for name in option.names)
                yield f"        {names}) {offer(command, option)} ;;"


def _takes_file(command: str) -> bool:
    return any(option.kind == "file" and not option.names for option in options_of(command))


def _bash_value(command: str, option: Option) -> str:
    if kind := _dynamic_kind(command, option):
        return f"kinds={kind}+"
    if option.kind == "folder":
        return 'COMPREPLY=($(compgen -d -- "$current")); return'
    return {"file": "return", "choice": f"words='{' '.join(option.choices)}'"}.get(option.kind, "words=")


def _offered(command: str) -> Iterator[str]:
    for option in options_of(command):
        yield from option.names or option.choices


_ZSH = """\
#compdef li
# zsh completion for li. Load it with: source <(li completion zsh)
_li_values() {
    local line
    local -a values
    for line in ${(f)"$(${(Q)~words[1]} __complete "$1" "$2" "$command" "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
        values+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    (($#values)) && _describe -V value values
}
_li() {
    local command= previous=${words[CURRENT-1]} i
    local -a offered
    for ((i = 2; i < CURRENT; i++)); do
        case ${words[i]} in
            @VALUED@) i=$((i + 1)) ;;
            -*) ;;
            *)
                command=${command:+$command }${words[i]}
                case $command in @GROUPS@) ;; *) break ;; esac
                ;;
        esac
    done
    case $command:$previous in
@CASES@
    esac
}
if [ "$funcstack[1]" = _li ]; then _li; else compdef _li li; fi
"""


def zsh() -> str:
    cases = list(_value_cases(_zsh_value))
    for command in COMMANDS:
        described = [
            _zsh_word(name, option.help if option.names else "")
            for option in options_of(command)
            for name in option.names or option.choices
        ]
        files = "; _files" if _takes_file(command) else ""
        kinds = _dynamic_positionals(command)
        values = f"; _li_values '{kinds}' '{_valued_options(command)}'" if kinds else ""
        cases.append(
            f"        '{command}':*) offered=({' '.join(described)}); _describe -o option offered{files}{values} ;;"
        )
    for level, names in _levels():
        described = [_zsh_word(name, text) for name, text in names.items()]
        cases.append(f"        '{level}':*) offered=({' '.join(described)}); _describe command offered ;;")
    return _filled(_ZSH, cases)


def _zsh_value(command: str, option: Option) -> str:
    if kind := _dynamic_kind(command, option):
        return f"_li_values {kind}+ ''"
    if option.kind == "choice":
        return f"offered=({' '.join(option.choices)}); _describe value offered"
    return {"file": "_files", "folder": "_files -/"}.get(option.kind, f"_message {option.value}")


def _zsh_word(name: str, text: str) -> str:
    # the first colon ends the name; an apostrophe would end the quoted string
    return "'" + f"{name}:{text}".removesuffix(":").replace("'", "’") + "'"


_FISH = """\
# fish completion for li. Install it with: li completion fish > ~/.config/fish/completions/li.fish
function __li_at
    set -l tokens (commandline -opc)
    set -l command
    set -l skip 0
    for token in $tokens[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $token
            case @FISHVALUED@
                set skip 1
            case '-*'
            case '*'
                set -a command $token
                contains -- "$command" @FISHGROUPS@; or break
        end
    end
    test "$command" = "$argv"
end
function __li_values
    set -l tokens (commandline -opc)
    $tokens[1] __complete $argv $tokens[2..-1] (commandline -ct) 2>/dev/null
end
complete -c li -f
@CASES@
"""


def fish() -> str:
    cases = [
        f"complete -c li -n '__li_at {level}' -a {name} -d {_fish_quoted(text)}"
        for level, names in _levels()
        for name, text in names.items()
    ]
    for command in COMMANDS:
        cases += [_fish_line(command, option) for option in options_of(command)]
        if kinds := _dynamic_positionals(command):
            values = f'(__li_values "{kinds}" "{_valued_options(command)}" "{command}")'
            cases.append(f"complete -c li -k -n '__li_at {command}' -a '{values}'")
    return _filled(_FISH, [line for line in cases if line])


def _fish_line(command: str, option: Option) -> str:
    start = f"complete -c li -n '__li_at {command}'"
    value = {
        "none": "",
        "file": " -r -F",
        "folder": " -x -a '(__fish_complete_directories)'",
        "choice": f" -x -a '{' '.join(option.choices)}'",
        "text": " -x",
    }[option.kind]
    if option.names and (kind := _dynamic_kind(command, option)):
        value = f' -x -k -a \'(__li_values {kind}+ "" "{command}")\''
    if not option.names:
        return start + {"file": " -F", "choice": f" -a '{' '.join(option.choices)}'"}.get(option.kind, " -f")
    names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names)
    return f"{start}{names}{value} -d {_fish_quoted(option.help)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _filled(template: str, cases: list[str]) -> str:
    return (
        template.replace("@CASES@", "\n".join(cases))
        .replace("@VALUED@", _VALUED)
        .replace("@GROUPS@", "|".join(GROUPS))
        .replace("@FISHVALUED@", _VALUED.replace("|", " "))
        .replace("@FISHGROUPS@", " ".join(GROUPS))
    )


SHELLS: Mapping[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
