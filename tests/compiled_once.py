"""Caches what would be compiled anew for each application, although it depends on its source alone."""

from __future__ import annotations

import marshal
import os
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest
from alembic.util import pyfiles
from jinja2 import Environment
from sqlalchemy.engine import Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from types import ModuleType

    Builder = Callable[..., tuple[str, str]]


STATEMENTS = 5_000  # more different ones than all tests send


@contextmanager
def sources_compiled_once(shared: Path) -> Iterator[None]:
    """Within the block, compile each URL rule, template, SQL statement and migration once. This saves most of the time
    that creating an application and rendering its first page takes. Processes share compiled templates in `shared`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pyfiles, "load_module_py", _of_migrations(pyfiles.load_module_py))
        patch.setattr(Rule, "compile", _of_rules(Rule.compile))
        patch.setattr(Environment, "compile", _of_templates(Environment.compile, shared))
        # SQLAlchemy keeps compiled statements by engine and dialect, and each application has an engine of its own.
        statements: LRUCache[Any, Any] = LRUCache(STATEMENTS)
        patch.setattr(Engine, "_compiled_cache", property(lambda _: statements, lambda _, __: None), raising=False)
        patch.setattr(DefaultDialect, "__eq__", lambda dialect, other: type(dialect) is type(other))
        patch.setattr(DefaultDialect, "__hash__", lambda dialect: hash(type(dialect)))
        yield


def _of_migrations(load_anew: Callable[[str, str], ModuleType]) -> Callable[[str, str], ModuleType]:
    loaded: dict[str, ModuleType] = {}

    def load_once(module_id: str, path: str) -> ModuleType:
        if "versions" not in Path(path).parts:
            return load_anew(module_id, path)  # env.py does its work when it is loaded
        if path not in loaded:
            loaded[path] = load_anew(module_id, path)
        return loaded[path]

    return load_once


def _of_rules(compile_anew: Callable[[Rule], None]) -> Callable[[Rule], None]:
    kept: dict[Hashable, tuple[Any, ...]] = {}

    def compile_once(rule: Rule) -> None:
        key = (rule.rule, rule.subdomain, rule.host, repr(rule.defaults), rule.merge_slashes, rule.map.host_matching)
        if key not in kept:
            compile_anew(rule)
            compiled: Any = rule  # whose builders are methods of the rule
            builders = (compiled._build.__func__, compiled._build_unknown.__func__)
            kept[key] = (rule._parts, rule._trace, rule._converters, frozenset(rule.arguments), *builders)
        rule._parts, rule._trace, rule._converters, arguments, build, build_unknown = kept[key]
        rule.arguments |= arguments
        rule._build, rule._build_unknown = build.__get__(rule), build_unknown.__get__(rule)

    return compile_once


def _of_templates(compile_anew: Callable[..., Any], shared: Path) -> Callable[..., Any]:
    kept: dict[Hashable, Any] = {}
    shared.mkdir(exist_ok=True)

    def compile_once(environment: Environment, source: Any, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        if not isinstance(source, str):
            return compile_anew(environment, source, *names, **options)
        # Where a function decides whether text is escaped, it looks at the name.
        escapes = None if callable(environment.autoescape) else environment.autoescape
        kind = (*sorted(environment.extensions), escapes, environment.trim_blocks, environment.lstrip_blocks)
        key = (kind, source, names, tuple(sorted(options.items())))
        if key not in kept:
            file = shared / sha256(repr(key).encode()).hexdigest()
            if file.exists():
                kept[key] = marshal.loads(file.read_bytes())  # noqa: S302 - written below
            else:
                kept[key] = compile_anew(environment, source, *names, **options)
                draft = file.with_suffix(f".{os.getpid()}-{get_ident()}")  # threads may compile the same at once
                draft.write_bytes(marshal.dumps(kept[key]))
                draft.replace(file)
        return kept[key]

    return compile_once
