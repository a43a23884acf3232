"""Messages written for Python users, reworded for users of the command line."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..show.document import Block, Document

__all__ = ["in_options", "in_options_of_synthesise", "terminal_text"]

# arguments of functions, by the options that lead to them
OPTIONS = {
    "object": "--synthetic",
    "synthetic": "--synthetic",
    "data": "--original",
    "original": "--original",
    "path": "--output",
    "intervals": "--interval",
    "not_targetlev": "--not-targetslev",
    "ngroups_target": "--ngroups-targets",
    "exclude_keys": "--exclude",
    "exclude_keylevs": "--exclude",
    "exclude_targetlevs": "--exclude",
}
SAME_NAME = (
    *("keys", "targets", "holdout", "candidates", "cont_na", "counts", "ngroups_keys", "share"),
    "certainty",
    *("ngroups_targets", "not_targetslev", "denom_lim", "exclude_ov_denom_lim", "max_keys"),
    *("known", "synthesised", "attack", "threshold", "weights", "seed", "risk", "utility"),
    *("variables", "bootstrap", "min_cell", "title", "format"),
)
IN_MESSAGES = {
    "a column of object": "a column of --synthetic",
    "a column of data": "a column of --original",
    "leave table= out": "leave ::TABLE out",
    "exclude_ov_denom_lim=True": "--exclude-ov-denom-lim",
    "; the error's details have all levels of the original data": "",
    "Its own message is in the error's details": "",
}
# what `syn()` advises, by the options of the command
OF_SYNTHESISE = {
    "set its column of predictor_matrix to 0": "name it in --not-predictor",
    "give it the method 'sample'": "give it --method COLUMN=sample",
    "more than maxfaclevels =": "more than --maxfaclevels",
    "leave seed out; reproducible=True is": "leave --seed out; --reproducible is",
}
ARGUMENT_OF_SYN = re.compile(
    r"^(?:method|visit_sequence|smoothing|cont_na|seed|k|m|maxfaclevels)(?=:| of )"
    r"|(?<= )(?:visit_sequence|maxfaclevels)\b"
)
# codes that look like numbers: frames keep them as text, files by an option
AS_TEXT = re.compile(r"read every file with pandas\.read_csv\(path, dtype=\{(['\"])(.*)\1: str\}\)")
ARGUMENT = re.compile(r"(?P<name>[A-Za-z_]+)(?:, element (?P<number>\d+))?(?=[:,]| \()")

FOR_PYTHON = "Next: "  # how a note begins that says what to type
INSTEAD = {
    " in .table": ", see --csv",
    ", see .smallest()": "",
    " (.dominated())": "",
    "Other measures: .baseline, or .output_list[target].": "Other measures: --json.",
    "Pass several runs of the mask (`Runs`) or `bootstrap=200`.": "--bootstrap 200 gives some.",
}


def in_options(text: str) -> str:
    """A message that begins with the name of an argument, with the option in its place.

    >>> in_options("object, element 2: has no rows"), in_options("max_keys: 9 cannot be used")
    ('--synthetic, number 2: has no rows', '--max-keys: 9 cannot be used')
    """
    for words, other in IN_MESSAGES.items():
        text = text.replace(words, other)
    text = AS_TEXT.sub(r"give --text \2", text)
    found = ARGUMENT.match(text)
    if found is None:
        return text
    name, number = found["name"], found["number"]
    if name not in OPTIONS and (name not in SAME_NAME or text[found.end()] != ":"):
        return text
    option = OPTIONS.get(name) or f"--{name.replace('_', '-')}"
    which = f", number {number}" if number else ""
    return f"{option}{which}{text[found.end() :]}"


def in_options_of_synthesise(text: str) -> str:
    """A message of `syn()` with the options of the command.

    >>> in_options_of_synthesise("visit_sequence: 'job'. Put such a factor last in visit_sequence")
    "--visit-sequence: 'job'. Put such a factor last in --visit-sequence"
    """
    for words, other in OF_SYNTHESISE.items():
        text = text.replace(words, other)
    text = AS_TEXT.sub(r"give --text \2", text)
    return ARGUMENT_OF_SYN.sub(lambda found: f"--{found[0].replace('_', '-')}", text)


def terminal_text(document: Document) -> str:
    """A document as text, with options in place of attributes."""
    from ..show.text import render

    sections = []
    for section in document.sections:
        blocks = [_reworded(block) for block in section.blocks if not _is_for_python(block)]
        if blocks:
            sections.append(replace(section, blocks=tuple(blocks)))
    return render(replace(document, sections=tuple(sections)))


def _is_for_python(block: Block) -> bool:
    from ..show.document import Note
    from ..show.text import words_text

    return isinstance(block, Note) and words_text(block.words).startswith(FOR_PYTHON)


def _reworded(block: Block) -> Block:
    from ..show.document import Note

    if not isinstance(block, Note):
        return block
    words = [_instead(word) if isinstance(word, str) else word for word in block.words]
    return replace(block, words=tuple(words))


def _instead(text: str) -> str:
    for words, other in INSTEAD.items():
        text = text.replace(words, other)
    return text
