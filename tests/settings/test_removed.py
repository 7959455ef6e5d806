"""What was removed is named where it is still asked for, with what replaces it."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from crawler.configuration.checks import check_settings
from crawler.configuration.plan import plan_archive, plan_site
from search.backends import BACKENDS, sink_of
from settings import base
from settings.errors import REMOVED, ConfigurationError, WrongSiteFile
from settings.site import load
from settings.tables import SCHEMA

SAMPLES = {"fts5": "{}"}
"""Values in TOML of keys that are tables; of the others any will do."""


def project(**settings: object) -> Settings:
    made = Settings()
    made.setmodule("settings.base", priority="project")
    made.update(settings, priority="cmdline")
    return made


def of(kind: str) -> dict[str, str]:
    return {name: instead for (one, name), instead in REMOVED.items() if one == kind}


def test_nothing_that_was_removed_is_there() -> None:
    assert {kind for kind, _ in REMOVED} <= {
        "setting",
        "key",
        "sink",
        "spider argument",
        "text search configuration",
    }
    assert not of("setting").keys() & {*SCHEMA.fields, *vars(base)}
    assert not of("key").keys() & set(SCHEMA.keys)
    assert not of("sink").keys() & BACKENDS.keys()


def test_a_removed_setting_is_refused_wherever_it_is_set(tmp_path) -> None:
    for name, instead in of("setting").items():
        with pytest.raises(ConfigurationError) as refused:
            check_settings(project(**{name: "1"}))
        assert str(refused.value) == f"{name} was removed; {instead}"
        path = tmp_path / "stones.toml"
        path.write_text(f'url = "https://stones.example/"\n[settings]\n{name} = 1\n')
        with pytest.raises(WrongSiteFile) as wrong:
            load(tmp_path / "stones.toml")
        assert str(wrong.value) == f"{path}:3: key 'settings.{name}': was removed; {instead}"


def test_a_removed_key_of_a_site_file_is_refused(tmp_path) -> None:
    for key, instead in of("key").items():
        *tables, name = key.split(".")
        header = {(): "", ("overrides",): '[[overrides]]\ntype = "ends"\npattern = "x"\n'}.get(tuple(tables))
        header = f"[{'.'.join(tables)}]\n" if header is None else header
        (tmp_path / "stones.toml").write_text(
            f'url = "https://stones.example/"\n{header}{name} = {SAMPLES.get(key, "0.5")}\n'
        )
        with pytest.raises(WrongSiteFile) as wrong:
            load(tmp_path / "stones.toml")
        (problem,) = wrong.value.problems
        assert problem.text == f"was removed; {instead}"
        assert problem.key.replace("[0]", "") == key


def test_a_removed_sink_is_refused_before_any_request() -> None:
    for name, instead in of("sink").items():
        with pytest.raises(ConfigurationError, match=f"sink {name!r} was removed; {instead}"):
            sink_of(name, "stones", project())
        with pytest.raises(ConfigurationError, match=f"sink {name!r} was removed"):
            plan_site({"url": "https://stones.example/"}, project(SINKS=name))


def test_a_removed_configuration_of_postgresql_is_refused_before_any_request(tmp_path) -> None:
    given = {"SINKS": "postgresql", "POSTGRESQL": {"dsn": "host=x", "language": "auto"}}
    with pytest.raises(ConfigurationError, match=r"POSTGRESQL\.language: 'auto' was removed; name one of"):
        plan_site({"url": "https://stones.example/"}, project(**given))
    (tmp_path / "stones.toml").write_text(
        'url = "https://stones.example/"\nsinks = ["postgresql"]\n'
        '[postgresql]\ndsn = "host=x"\nlanguage = "auto"\n'
    )
    with pytest.raises(
        ConfigurationError, match=r"stones\.toml:5: key 'postgresql\.language': .*was removed; name"
    ):
        plan_site({"site": "stones"}, project(SITES_DIR=str(tmp_path)))


def test_a_removed_spider_argument_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(REMOVED, ("spider argument", "colour"), "give -a fields=NAME")
    for plan, given in (
        (plan_site, {"url": "https://stones.example/"}),
        (plan_archive, {"path": str(tmp_path)}),
    ):
        with pytest.raises(ConfigurationError, match="spider argument 'colour' was removed; give -a fields"):
            plan({**given, "colour": "red"}, project())
