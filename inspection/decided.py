"""Decisions on templates in the text of a site file, whose comments and layout stay as they are."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, Final

import tomlkit
from tomlkit.items import Array

from inspection.site_source import changed, table_in
from settings.errors import ConfigurationError

TABLE: Final = "templates"
"""The table of a site file that holds the lists, which are named as the states are."""

STATES: Final = ("pinned", "rejected")


def lists(source: str) -> dict[str, list[str]]:
    """State -> names of the templates that a site file lists. Raises ConfigurationError."""
    try:
        values: Any = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{error}; see that it is TOML") from error
    table = values.get(TABLE, {})
    listed: dict[str, list[str]] = {}
    for state in STATES:
        names = table.get(state, []) if isinstance(table, dict) else None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ConfigurationError(f"key '{TABLE}.{state}': give a list of templates' names")
        listed[state] = names
    return listed


def with_decisions(source: str, states: Mapping[str, str], samples: Mapping[str, str]) -> str:
    """Returns a site file with new decisions in place of those that it lists; equal entries are not touched.

    Args:
        source: the file's text.
        states: the state of each template by name.
        samples: one line of text of templates, which becomes a comment.

    Raises:
        ConfigurationError: the file cannot be changed.

    """
    listed = lists(source)
    wanted = {state: [name for name in states if states[name] == state] for state in STATES}
    if all({*map(str.lower, listed[state])} == set(wanted[state]) for state in STATES):
        return source

    def edit(document: Any) -> None:
        _edit(table_in(document, TABLE), wanted, samples)

    def expected(before: dict[str, Any]) -> dict[str, Any]:
        table = before.get(TABLE, {})
        kept = {state: _kept(listed[state], wanted[state]) for state in STATES}
        return {
            **before,
            TABLE: table | {state: kept[state] for state in STATES if state in table or kept[state]},
        }

    return changed(source, f"[{TABLE}]", expected, edit)


def _kept(listed: list[str], wanted: list[str]) -> list[str]:
    """The entries of a list as they will be: those that stay, then the new ones."""
    stay = [name for name in listed if name.lower() in wanted]
    return stay + sorted(set(wanted) - {name.lower() for name in stay})


def _edit(table: Any, wanted: Mapping[str, list[str]], samples: Mapping[str, str]) -> None:
    for state in STATES:
        if state not in table:
            if not wanted[state]:
                continue
            table[state] = tomlkit.array()
        array = table[state]
        assert isinstance(array, Array)
        for place in reversed(range(len(array))):
            if array[place].lower() not in wanted[state]:
                del array[place]
        known = {name.lower() for name in array}
        for name in sorted(set(wanted[state]) - known):
            array.add_line(name, comment=samples.get(name) or None)
        if wanted[state] and not known:
            array.add_line(indent="", add_comma=False)
