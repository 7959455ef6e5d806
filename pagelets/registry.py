"""Methods and fields of Documents by name, as a crawl, a job or a `Site` is given them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Self

from pagelets.document import FIELDS, ON_REQUEST, WITH_FIELDS, Document
from pagelets.fields import REPLACEABLE, TAKEN, DocumentField, imported
from pagelets.installed import installed
from pagelets.methods import METHODS, PARTING, VOTE, VOTE_PATH, AddedFactory, Factory, must_learn
from pagelets.methods.base import Method, MethodError, UnknownMethod
from pagelets.reading.fields import Extraction, WrongField, check_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pagelets.reading.fields.description import ExtractedField

METHOD_GROUP: Final = "pagelets.methods"
"""The group of entry points in which installed packages name classes of methods."""
FIELD_GROUP: Final = "pagelets.fields"
"""The same for functions that compute fields."""

_imported = lru_cache(imported)


@dataclass(slots=True, frozen=True)
class Registry:
    """Methods and fields by name: ours, those that were added, and for other names those of installed
    packages. A value: what one crawl has added, no other one knows.

    Args:
        added: makes the methods beside ours.
        fields: those that Documents have beside ours.
        extracted: those that are taken from pages by selectors.

    """

    added: Mapping[str, Factory] = field(default_factory=dict)
    fields: Mapping[str, DocumentField] = field(default_factory=dict)
    extracted: Mapping[str, ExtractedField] = field(default_factory=dict)

    def with_methods(self, paths: Mapping[str, str]) -> Self:
        """Returns one that knows these methods besides: name -> import path of the class, which is imported
        when its method is asked for. Raises ValueError if a name is one of ours.
        """
        for name in paths:
            if name in METHODS:
                raise ValueError(f"{name!r} is a method of ours; give yours another name")
            if name.startswith(VOTE) or PARTING.search(name):
                raise ValueError(
                    f"{name!r} is the name of a vote or a list of names; give yours another name"
                )
        added = {name: AddedFactory(":".join(path.rsplit(".", 1))) for name, path in paths.items()}
        return replace(self, added={**self.added, **added})

    def with_fields(self, paths: Mapping[str, str]) -> Self:
        """Returns one that knows these fields besides: name -> import path of the function. Raises ValueError
        if a name is one of ours, or a function does not say its type.
        """
        for name in paths:
            if name in Document.__annotations__ or not name.isidentifier():
                raise ValueError(f"{name!r} is a field of ours, or no name; give yours another one")
            if name in TAKEN:
                raise ValueError(f"{name!r} is a column of our tables and indexes; give yours another name")
        added = {name: imported(name, path) for name, path in paths.items()}
        return replace(self, fields={**self.fields, **added})

    def with_extraction(self, extraction: Extraction) -> Self:
        """Returns one that knows a site's fields besides. Raises WrongField if a name is taken."""
        for name in extraction.fields:
            self.check_new_field(name)
        return replace(self, extracted=extraction.fields)

    def check_new_field(self, name: str) -> str:
        """Returns the name of a site's field. Raises WrongField if another one has it."""
        known = {*Document.__annotations__, *self.fields} - REPLACEABLE
        if name.lower() in map(str.lower, known):
            raise WrongField(f"{name!r} is a field already; give yours another name")
        if name in TAKEN:
            raise WrongField(f"{name!r} is a column of our tables and indexes; give yours another name")
        return check_name(name)

    @property
    def methods(self) -> Mapping[str, Factory]:
        """The methods of ours and those that were added, without votes and those of installed packages."""
        return {**METHODS, **self.added}

    @property
    def field_names(self) -> tuple[str, ...]:
        """The fields that a Document has unless others are asked for: ours, and those that were added."""
        names = (*FIELDS, *(WITH_FIELDS if self.extracted else ()), *self.extracted, *self.fields)
        return tuple(dict.fromkeys(names))

    def known_methods(self) -> list[str]:
        """Returns the names of all methods, also those of installed packages."""
        return list(dict.fromkeys([*self.methods, *installed(METHOD_GROUP)]))

    def known_fields(self) -> list[str]:
        """Returns the names of all fields that a Document may have."""
        return list(dict.fromkeys([*self.field_names, *installed(FIELD_GROUP), *WITH_FIELDS, *ON_REQUEST]))

    def factory(self, name: str) -> Factory:
        """Returns what makes the method of a name, which may be composed.

        Raises UnknownMethod if there is no such method or voter, and MethodError if these cannot vote.
        """
        if name.startswith(VOTE):
            return self._vote(name)
        if maker := METHODS.get(name) or self.added.get(name):
            return maker
        if path := installed(METHOD_GROUP).get(name):
            return AddedFactory(path)
        raise UnknownMethod(name)

    def _vote(self, name: str) -> Factory:
        voters = [voter.strip() for voter in PARTING.split(name.removeprefix(VOTE))]
        factories = {}
        for voter in voters:
            if not voter or voter.startswith(VOTE):
                raise MethodError(f"{name!r}: {voter!r} is no voter; write vote:NAME,NAME,NAME")
            maker = factories[voter] = self.factory(voter)
            if maker.settings:
                raise MethodError(
                    f"{name!r}: {voter!r} finds templates with {', '.join(maker.settings)} of its own, which "
                    f"are a whole site's; write {maker.of!r}, which judges alike with those of the site"
                )
        return Factory(VOTE_PATH, {"names": voters, "factories": factories})

    def version_of(self, name: str) -> str:
        """Returns the name of a method with its version: what judges by another one may judge otherwise.

        Raises UnknownMethod if there is no such method, and MethodError if it lacks what it needs.
        """
        return f"{name} {self.factory(name)().version}".rstrip()

    def page_method(self, name: str) -> Method:
        """Returns the method of a name, which judges pages as they come.

        Raises UnknownMethod if there is no such method, and MethodError if it has to learn of their site
        first.
        """
        method = self.factory(name)()
        if must_learn(method):
            raise MethodError(f"{name} has to learn of a site first; crawl it with this method")
        return method

    def fields_for(self, names: Collection[str]) -> list[DocumentField]:
        """Returns the fields that were added, and those of installed packages that are among these names.

        Raises ValueError if one of these has no function that says its type.
        """
        added = {**self.extracted, **self.fields}
        others = [name for name in names if name not in Document.__annotations__ and name not in added]
        paths = installed(FIELD_GROUP) if others else {}
        return [
            *added.values(),
            *(_imported(name, paths[name].replace(":", ".")) for name in sorted(others) if name in paths),
        ]

    def has_field(self, name: str) -> bool:
        """Returns True if a Document may have a field. Raises as `fields_for`."""
        return bool(self.ordered([name]))

    def ordered(self, names: Collection[str]) -> list[str]:
        """Returns those of the names that fields have, in the order of a Document. Raises as `fields_for`."""
        added = [entry.name for entry in self.fields_for(names)]
        ours = (name for name in Document.__annotations__ if name not in ON_REQUEST)
        known = dict.fromkeys((*ours, *added, *ON_REQUEST))
        return [name for name in known if name in names]

    def check_fields(self, names: Iterable[str]) -> None:
        """Raises ValueError for a name that no field has."""
        if unknown := {name for name in names if not self.has_field(name)}:
            raise ValueError(
                f"no such field: {', '.join(sorted(unknown))}; there are {', '.join(self.known_fields())}"
            )


OURS: Final = Registry()
"""Ours alone."""
