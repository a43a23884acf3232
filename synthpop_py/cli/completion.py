"""``synthpop-disclosure completion``: a script by which a shell completes commands and options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .command import DONE, Command
from .config import option_names
from .messages import PROGRAM
from .outputs import show

__all__ = ["COMMAND"]

SHELLS = ("bash", "zsh")
FUNCTION = "_synthpop_disclosure"
# what zsh needs to understand a completion of bash
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
SCRIPT = """\
{function}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=""
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then words="{commands}"; fi
    COMPREPLY=()
    case "$word" in
        -*|"") COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
        *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi ;;
    esac
    if [ "${{#COMPREPLY[@]}}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F {function} {program}
"""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="whose script to print")


def run(chosen: Namespace) -> int:
    from .main import parsers

    _, by_command = parsers()
    show((ZSH if chosen.shell == "zsh" else "") + script(by_command))
    return DONE


def script(by_command: dict[str, ArgumentParser]) -> str:
    """The script, made from the parsers."""
    cases = []
    for name, parser in by_command.items():
        cases.append(f'        {name}) words="{" ".join(option_names(parser))}" ;;')
    return SCRIPT.format(
        function=FUNCTION,
        cases="\n".join(cases),
        commands=" ".join(by_command),
        program=PROGRAM,
    )


COMMAND = Command(
    name="completion",
    says="Print a script that completes commands and options in bash or zsh.",
    example="completion bash > ~/.local/share/bash-completion/completions/synthpop-disclosure",
    add_options=add_options,
    run=run,
)
