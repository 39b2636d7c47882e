"""What depends on nothing but its source is compiled once per process of tests, not once per application."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from jinja2 import Environment
from werkzeug.routing import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    Builder = Callable[..., tuple[str, str]]


@contextmanager
def rules_and_templates_compiled_once() -> Iterator[None]:
    """While this lasts, a rule of an address and a template are compiled once: most of the time that making an
    application and its first page takes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "compile", _of_rules(Rule.compile))
        patch.setattr(Environment, "compile", _of_templates(Environment.compile))
        yield


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


def _of_templates(compile_anew: Callable[..., Any]) -> Callable[..., Any]:
    kept: dict[Hashable, Any] = {}

    def compile_once(environment: Environment, source: Any, *names: Any, **options: Any) -> Any:  # noqa: ANN401
        if not isinstance(source, str):
            return compile_anew(environment, source, *names, **options)
        # Where a function decides whether text is escaped, it looks at the name.
        escapes = None if callable(environment.autoescape) else environment.autoescape
        kind = (*sorted(environment.extensions), escapes, environment.trim_blocks, environment.lstrip_blocks)
        key = (kind, source, names, tuple(sorted(options.items())))
        if key not in kept:
            kept[key] = compile_anew(environment, source, *names, **options)
        return kept[key]

    return compile_once
