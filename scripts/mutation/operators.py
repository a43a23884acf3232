"""The changes: from the source of a module to every mutant of it.

A mutant is made by changing one node of the syntax tree and writing the result over the node's own
text, so that everything else in the file stays as it is. Left alone is what no test of behaviour
can notice: docstrings, texts, annotations, decorators, `__all__`, `if TYPE_CHECKING` and whatever
is raised or warned of.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PAIRS = [("min", "max"), ("any", "all"), ("minimum", "maximum"), ("argmin", "argmax")]
PAIRS += [("floor", "ceil"), ("zeros", "ones"), ("zeros_like", "ones_like")]
SWAPPED = dict(PAIRS) | {second: first for first, second in PAIRS}
SILENT_CALLS = {"warn", "cast", "TypeVar", "NewType", "Literal", "__init__", "__setattr__"}
NEVER = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.pattern)
FLAT_RETURNS = {"int": "0", "float": "0.0", "bool": "False", "str": "''"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module.

    Attributes
    ----------
    line, column : where the changed text begins (from 1, from 0).
    last_line : where it ends.
    kind : what sort of change it is.
    before, after : the text that was there, and the one in its place.
    source : the whole module, changed.
    code : the line as it was.
    """

    line: int
    column: int
    last_line: int
    kind: str
    before: str
    after: str
    source: str
    code: str = ""


Change = tuple[str, str]  # the kind, and the text in place of the node's own


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    text = Text(source)
    made = []
    for node, returns in nodes_to_change(ast.parse(source)):
        for kind, after in changes(node, returns):
            made.append(text.mutant(node, kind, after))
        for test in conditions(node):
            made.append(text.mutant(test, "condition", f"(not ({ast.unparse(test)}))"))
    return sorted(made, key=lambda m: (m.line, m.column, m.last_line, m.kind, m.after))


class Text:
    """The source by lines of bytes: the columns of a syntax tree count bytes."""

    def __init__(self, source: str) -> None:
        self.lines = [line.encode() for line in source.splitlines(keepends=True)]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.data = b"".join(self.lines)

    def mutant(self, node: ast.AST, kind: str, after: str) -> Mutant:
        begin = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        changed = self.data[:begin] + after.encode() + self.data[end:]
        return Mutant(
            line=node.lineno,
            column=node.col_offset,
            last_line=node.end_lineno,
            kind=kind,
            before=self.data[begin:end].decode(),
            after=after,
            source=changed.decode(),
            code=self.lines[node.lineno - 1].decode().strip(),
        )


# ---- which nodes ---------------------------------------------------------------------


def nodes_to_change(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that may be changed, each with the annotated return type of its function."""
    for statement in tree.body:
        if not is_type_alias(statement):
            yield from _walk(statement, "")


def _walk(node: ast.AST, returns: str) -> Iterator[tuple[ast.AST, str]]:
    if is_left_alone(node):
        return
    yield node, returns
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        returns = ast.unparse(node.returns) if node.returns else ""
    for child in children(node):
        yield from _walk(child, returns)


def children(node: ast.AST) -> Iterator[ast.AST]:
    """What is inside a node, without annotations and decorators."""
    passed_over = {"annotation", "returns", "decorator_list", "bases", "type_params"}
    for name, value in ast.iter_fields(node):
        if name in passed_over:
            continue
        inside = value if isinstance(value, list) else [value]
        yield from (part for part in inside if isinstance(part, ast.AST))


def is_left_alone(node: ast.AST) -> bool:
    """Whether nothing inside a node may be changed."""
    if isinstance(node, NEVER):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__debug__"):
        return True
    if isinstance(node, ast.Assign):
        return any(name_of(target) in ("__all__", "__slots__") for target in node.targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring or an ellipsis
    return isinstance(node, ast.Call) and name_of(node.func) in SILENT_CALLS


def is_type_alias(statement: ast.stmt) -> bool:
    """`Integers = NDArray[int64]`, `Words: TypeAlias = tuple[str | Cell, ...]`."""
    if isinstance(statement, ast.AnnAssign):
        return "TypeAlias" in ast.unparse(statement.annotation)
    if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Constant):
        return False
    parts = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.BitOr, ast.Tuple, ast.List)
    parts += (ast.Constant, ast.Load)
    value = statement.value
    names_types = isinstance(value, ast.Subscript | ast.BinOp)
    numbers = any(isinstance(n, ast.Constant) and is_number(n.value) for n in ast.walk(value))
    return names_types and not numbers and all(isinstance(n, parts) for n in ast.walk(value))


def name_of(node: ast.AST) -> str:
    """The last part of a dotted name; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_text(node: ast.AST) -> bool:
    """Whether it is plainly a text, to which `+` and `%` mean something else."""
    if isinstance(node, ast.BinOp):
        return is_text(node.left) or is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


# ---- what is made of a node ----------------------------------------------------------


def changes(node: ast.AST, returns: str = "") -> list[Change]:
    """Every change of one node; the nodes inside it have their own."""
    made: list[Change] = []
    for node_type, change in CHANGES:
        if isinstance(node, node_type):
            made += change(node)
    if isinstance(node, ast.Return):
        made += _returned(node, returns)
    return made


def _changed(node: ast.AST, **fields: object) -> str:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    text = ast.unparse(other)
    return text if isinstance(node, ast.stmt) else f"({text})"


def _compare(node: ast.Compare) -> list[Change]:
    made = []
    for i, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            operators = [*node.ops[:i], other(), *node.ops[i + 1 :]]
            made.append(("comparison", _changed(node, ops=operators)))
    return made


def _binary(node: ast.BinOp) -> list[Change]:
    other = ARITHMETIC.get(type(node.op))
    if other is None or is_text(node):
        return []
    return [("arithmetic", _changed(node, op=other()))]


def _augmented(node: ast.AugAssign) -> list[Change]:
    made = [("statement removed", "pass")]
    other = ARITHMETIC.get(type(node.op))
    if other is not None and not is_text(node.value):
        made.append(("arithmetic", _changed(node, op=other())))
    return made


def _boolean(node: ast.BoolOp) -> list[Change]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return [("and, or", _changed(node, op=other))]


def _unary(node: ast.UnaryOp) -> list[Change]:
    kinds = {ast.Not: "dropped not", ast.USub: "sign", ast.Invert: "dropped ~"}
    kind = kinds.get(type(node.op))
    return [(kind, f"({ast.unparse(node.operand)})")] if kind else []


def _constant(node: ast.Constant) -> list[Change]:
    value = node.value
    if isinstance(value, bool):
        return [("constant", repr(not value))]
    if not is_number(value):
        return []
    return [("constant", f"({value + 1!r})"), ("constant", f"({value - 1!r})")]


def _slice(node: ast.Subscript) -> list[Change]:
    """Bounds of a slice one off, where they are not plain numbers (those are constants)."""
    bounds = node.slice
    if not isinstance(bounds, ast.Slice):
        return []
    made = []
    for name in ("lower", "upper"):
        bound = getattr(bounds, name)
        if bound is None or isinstance(bound, ast.Constant):
            continue
        for operator in (ast.Add(), ast.Sub()):
            moved = ast.BinOp(left=bound, op=operator, right=ast.Constant(1))
            other = copy.copy(bounds)
            setattr(other, name, moved)
            made.append(("slice", _changed(node, slice=other)))
    return made


def _call(node: ast.Call) -> list[Change]:
    other = SWAPPED.get(name_of(node.func))
    if other is None:
        return []
    function = copy.copy(node.func)
    setattr(function, "id" if isinstance(function, ast.Name) else "attr", other)
    return [("swapped call", _changed(node, func=function))]


def _assignment(node: ast.Assign) -> list[Change]:
    """An assignment into something that exists already can be left out."""
    places = (ast.Subscript, ast.Attribute)
    removable = all(isinstance(target, places) for target in node.targets)
    return [("statement removed", "pass")] if removable else []


def _expression(node: ast.Expr) -> list[Change]:
    removable = isinstance(node.value, ast.Call) and name_of(node.value.func) not in SILENT_CALLS
    return [("statement removed", "pass")] if removable else []


def _jump(node: ast.Break | ast.Continue) -> list[Change]:
    return [("jump", "continue" if isinstance(node, ast.Break) else "break")]


def conditions(node: ast.AST) -> list[ast.expr]:
    """The conditions that a node decides by, but for those that another change negates already."""
    tests = node.ifs if isinstance(node, ast.comprehension) else []
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        tests = [node.test]
    return [test for test in tests if not _is_negated_elsewhere(test)]


def _is_negated_elsewhere(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _returned(node: ast.Return, returns: str) -> list[Change]:
    value = node.value
    if value is None or isinstance(value, ast.Constant) or is_text(value):
        return []
    return [("returned", f"return {FLAT_RETURNS.get(returns, 'None')}")]


CHANGES: tuple[tuple[type | tuple[type, ...], Callable[..., list[Change]]], ...] = (
    (ast.Compare, _compare),
    (ast.BinOp, _binary),
    (ast.AugAssign, _augmented),
    (ast.BoolOp, _boolean),
    (ast.UnaryOp, _unary),
    (ast.Constant, _constant),
    (ast.Subscript, _slice),
    (ast.Call, _call),
    (ast.Assign, _assignment),
    (ast.Expr, _expression),
    ((ast.Break, ast.Continue), _jump),
)
