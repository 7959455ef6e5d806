"""Changes to the text of a site file, whose comments and layout stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from pagelets.judging.by_url import KINDS
from pagelets.overrides import CHOICES, Selectors, WrongSelector
from settings.errors import ConfigurationError, UnknownName

Side: TypeAlias = Literal["keep", "drop"]
SIDES: Final[tuple[Side, Side]] = ("keep", "drop")
TEMPLATES: Final = "templates"
"""The table of a site file that holds the lists of templates, which are named as the states are."""
STATES: Final = ("pinned", "rejected")
FIELDS: Final = "extract"
PAGES: Final = "pages"
MATCH: Final = "match"
TAUGHT: Final = "taught"
_OF_WEIGHTS: Final = "log odds; delete a line to forget it"


def with_selector(source: str, side: Side, selector: str) -> str:
    """Returns a site file with one more selector of what is kept or dropped.

    Args:
        source: the text of the file.
        side: the key that it is added to.
        selector: the selector; taken from the other key if it stands there.

    Raises:
        ConfigurationError: the selector is wrong, or the file is laid out in a way that is not understood.

    """
    try:
        Selectors(keep=(selector,))
    except WrongSelector as error:
        raise ConfigurationError(str(error)) from error

    def edit(document: Any) -> None:
        for name in SIDES:
            while name != side and selector in document.get(name, ()):
                document[name].remove(selector)
        if side not in document:
            _set_first(document, side, [selector])
        elif not isinstance(listed := document[side], list) or selector not in listed:
            # Texts and tables may have it in them, and take none.
            listed.append(selector)

    return _changed(source, f"the key '{side}'", edit)


def check_choices(choices: Mapping[str, str]) -> None:
    """Raises UnknownName if there is no such kind of blocks, or no such choice for it."""
    for kind, choice in choices.items():
        if kind not in KINDS:
            raise UnknownName("kind", kind, KINDS)
        if choice not in CHOICES:
            raise UnknownName(kind, choice, CHOICES)


def with_choices(source: str, choices: Mapping[str, str]) -> str:
    """Returns a site file with other choices for kinds of blocks, such as bylines.

    Raises:
        UnknownName: there is no such kind, or no such choice.
        ConfigurationError: the file is laid out in a way that is not understood.

    """
    check_choices(choices)

    def edit(document: Any) -> None:
        for kind, choice in choices.items():
            _set_first(document, kind, choice)

    return _changed(source, " and ".join(f"the key '{kind}'" for kind in choices), edit)


def lists(source: str) -> dict[str, list[str]]:
    """State -> names of the templates that a site file lists. Raises ConfigurationError."""
    try:
        values: Any = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{error}; see that it is TOML") from error
    table = values.get(TEMPLATES, {})
    listed: dict[str, list[str]] = {}
    for state in STATES:
        names = table.get(state, []) if isinstance(table, dict) else None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ConfigurationError(f"key '{TEMPLATES}.{state}': give a list of templates' names")
        listed[state] = names
    return listed


def with_decisions(source: str, states: Mapping[str, str], samples: Mapping[str, str]) -> str:
    """Returns a site file with new decisions on templates in place of those that it lists; equal entries are
    not touched.

    Args:
        source: the file's text.
        states: the state of each template by name.
        samples: one line of text of templates, which becomes a comment.

    Raises:
        ConfigurationError: the file cannot be changed.

    """
    listed = lists(source)
    wanted = {state: {name for name in states if states[name] == state} for state in STATES}
    if all({*map(str.lower, listed[state])} == wanted[state] for state in STATES):
        return source

    def edit(document: Any) -> None:
        table = _table_in(document, TEMPLATES)
        for state in STATES:
            if wanted[state] and state not in table:
                table[state] = tomlkit.array()
            names = table.get(state, [])
            for place in reversed(range(len(names))):
                if names[place].lower() not in wanted[state]:
                    del names[place]
            known = {name.lower() for name in names}
            new = sorted(wanted[state] - known)
            if not isinstance(names, Array):
                names += new
                continue
            for name in new:
                names.add_line(name, comment=samples.get(name) or None)
            if new and not known:
                names.add_line(indent="", add_comma=False)

    return _changed(source, f"[{TEMPLATES}]", edit)


def with_field(source: str, name: str, given: Mapping[str, Any], match: str = "") -> str:
    """Returns a site file with a field in ``[extract]``, in place of one of that name.

    Args:
        source: the text of the file.
        name: the name of the field.
        given: its description.
        match: the part of URLs that the pages of the field have, empty for all pages; then it goes to the
            table of ``[[extract.pages]]`` with that.

    Raises:
        ConfigurationError: the file is laid out in a way that is not understood.

    """

    def edit(document: Any) -> None:
        table = _table_in(document, FIELDS)
        (_pages_in(table, match) if match else table)[name] = _item(given)

    return _changed(source, f"[{FIELDS}]", edit)


def field_line(name: str, given: Mapping[str, Any], match: str = "") -> str:
    """Returns the line of ``[extract]`` that describes a field, or with ``match`` its table.

    Args:
        name: the name of the field.
        given: its description.
        match: as in `with_field`.

    """
    line = f"{name} = {_item(given).as_string()}"
    return f"[[{FIELDS}.{PAGES}]]\n{MATCH} = {tomlkit.item(match).as_string()}\n{line}" if match else line


def fields_with(
    fields: Mapping[str, Any], name: str, given: Mapping[str, Any], match: str = ""
) -> dict[str, Any]:
    """Returns the fields of a site with one more.

    Args:
        fields: as ``[extract]`` describes them.
        name: the name of the field.
        given: its description.
        match: as in `with_field`.

    """
    if not match:
        return {**fields, name: given}
    return {**fields, PAGES: [*fields.get(PAGES, ()), {MATCH: match, name: given}]}


def with_taught(source: str, weights: Mapping[str, float]) -> str:
    """Returns a site file with these taught weights in place of those that it has.

    Raises ConfigurationError where the file is no TOML, or laid out in a way that is not understood.
    """

    def edit(document: Any) -> None:
        if not weights:
            document.pop(TAUGHT, None)
            return
        table = _table_in(document, TAUGHT, _OF_WEIGHTS)
        for name in [name for name in table if name not in weights]:
            del table[name]
        for name, weight in weights.items():
            if table.get(name) != weight:
                table[name] = float(weight)

    written = _changed(source, f"[{TAUGHT}]", edit)
    if weights or written == source:
        return written
    # The empty line before the table came with it, and goes with it.
    return re.sub(r"(\r?\n)(\r?\n)+\Z", r"\1", written)


def _changed(source: str, where: str, edit: Callable[[Any], None]) -> str:
    """Returns the text of a site file with a change.

    Args:
        source: the text.
        where: the part that is changed, for an error.
        edit: makes the change in a parsed file. It is made in the plain values too: the text that is written
            has to say the same.

    Raises:
        ConfigurationError: the file is no TOML, or laid out in a way that is not understood.

    """
    end = "\r\n" if 0 < source.count("\n") == source.count("\r\n") else "\n"
    source = source.replace(end, "\n")
    try:
        expected = tomllib.loads(source)
        document = tomlkit.parse(source if source.strip() else "")
        for values in (document, expected):
            edit(values)
        written = tomlkit.dumps(document)
        after = tomllib.loads(written)
    except (tomllib.TOMLDecodeError, TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{error}; write {where} by hand") from error
    if after != expected:
        raise ConfigurationError(f"{where} is laid out in a way that is not understood; write it by hand")
    return written.replace("\n", end)


def _table_in(document: Any, name: str, comment: str = "") -> Any:
    """Returns a table of a parsed file; adds it at the end if it is missing.

    Args:
        document: the parsed file.
        name: of the table.
        comment: behind the header of a table that is added.

    """
    if name not in document:
        table = tomlkit.table()
        if comment:
            table.comment(comment)
        if isinstance(document, tomlkit.TOMLDocument):
            source = tomlkit.dumps(document)
            if source.strip() and not source.endswith("\n\n"):
                document.add(tomlkit.nl())
        document[name] = table
    return document[name]


def _set_first(document: Any, key: str, value: Any) -> None:
    """Sets a key; a new one goes to the top: behind a table it would belong to that.

    Args:
        document: the parsed file.
        key: the key, of no table.
        value: its value.

    """
    if key in document or not isinstance(document, tomlkit.TOMLDocument):
        document[key] = value
        return
    first = tomlkit.parse(f"{key} = {tomlkit.item(value).as_string()}\n")
    document.body[:0] = first.body


def _pages_in(table: Any, match: str) -> Any:
    """The fields of the pages whose URLs match, in the table of fields of a parsed file."""
    if PAGES not in table:
        table[PAGES] = tomlkit.aot()
    for own in table[PAGES]:
        if own.get(MATCH) == match:
            return own
    own = tomlkit.table()
    own[MATCH] = match
    table[PAGES].append(own)
    return table[PAGES][-1]


def _item(given: Mapping[str, Any]) -> Any:
    """A description as people write it: a CSS selector alone is a text."""
    if given.keys() == {"css"}:
        return tomlkit.item(given["css"])
    table = tomlkit.inline_table()
    table.update(given)
    return table
