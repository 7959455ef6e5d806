"""No secret is written or printed: each that the schema knows is planted, and looked for in what follows."""

from __future__ import annotations

import base64
import json
import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from crawler.configuration.plan import check_file, plan_site
from settings.errors import ConfigurationError
from settings.secrets import holds_secret, secrets_in
from settings.tables import SCHEMA
from store.site import Store
from tests import forked
from tests.crawler.configuration.test_plan import URL
from tests.crawler.configuration.test_plan import settings as of_the_project
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

KEYS = frozenset(SCHEMA.keys)
SECRETS = frozenset(
    key
    for key in KEYS
    if holds_secret(tuple(key.split("."))) and not any(other.startswith(f"{key}.") for other in KEYS)
)
"""Keys of a site file that are secrets."""
FORMS = {
    # No host has such a name, so that nobody tries again.
    "notify.webhook": "http://a..b/{}",
    "postgresql.dsn": "postgresql://reader:{}@127.0.0.1:9/name",
}
"""What a secret is part of where not any text is one."""
APART = ({"elasticsearch.api_key"}, {"elasticsearch.user", "elasticsearch.password"})
"""Keys that are not given together."""
ELSEWHERE = {
    "AWS_SECRET_ACCESS_KEY": "{}",
    "MAIL_PASS": "{}",
    "MYEXT_TOKEN": "{}",
    "FEEDS": '{{"ftp://reader:{}@127.0.0.1:9/feed.jsonl": {{"format": "jsonlines"}}}}',
}
"""Settings of Scrapy and of extensions that hold secrets."""


class Planted:
    """Secrets in the form that a site file has them: each is a text that stands nowhere else."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.variables: dict[str, str] = {}

    def new(self, form: str = "{}") -> str:
        self.texts.append(f"hush{len(self.texts)}Q7xz{os.urandom(4).hex()}")
        return form.format(self.texts[-1])

    def value(self, key: str, *, by_variable: bool) -> Any:
        """A value for a key: as its type has it, of one secret or of several."""
        value = self._one(FORMS.get(key, "{}"), by_variable)
        return {"Cookie": value} if key == "headers" else value

    def _one(self, form: str, by_variable: bool) -> Any:
        if not by_variable:
            return self.new(form)
        name = f"PLANTED_{len(self.variables)}"
        self.variables[name] = self.new(form)
        return {"env": name}

    def found(self, *texts: str | bytes) -> list[str]:
        """The secrets that stand in some texts, as they are or as basic authentication has them."""
        whole = b"\n".join(text.encode() if isinstance(text, str) else text for text in texts)
        return [text for text in self.texts if any(form in whole for form in _forms(text.encode()))]


def _forms(secret: bytes) -> list[bytes]:
    # Of base64 what does not hang on what stands around the secret.
    return [secret, *(base64.b64encode(b"x" * before + secret)[4:-4] for before in range(3))]


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value)


def written(folder: Path) -> list[bytes]:
    """All that is in the files of a folder, and in what is packed in them."""
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for path in folder.rglob("*.parquet"):
        texts.append(repr(duckdb.sql(f"SELECT * FROM '{path}'").fetchall()).encode())
    for path in folder.rglob("store.sqlite"):
        with closing(Store.open(path.parent)) as store:
            pages = [one for (one,) in store.connection.execute("SELECT page FROM bodies")]
            assert pages
            texts += [repr(store.bodies.get(one)).encode() for one in pages]
            tables = [name for (name,) in store.connection.execute("SELECT name FROM sqlite_master")]
            assert "runs" in tables
            texts.append("\n".join(store.connection.iterdump()).encode("utf-8", "replace"))
    return texts


def test_no_secret_is_written_or_printed(tmp_path, scrapy, monkeypatch):
    data, sites, metrics = (tmp_path / name for name in ("data", "sites", "metrics"))
    for folder in (sites, metrics):
        folder.mkdir()
    planted = Planted()
    during: list[bytes] = []

    def home(path: str) -> Answer:
        during.extend(one.read_bytes() for one in data.glob("*.lock"))
        return Answer(page("Home", "/1"), headers={"Set-Cookie": f"session={planted.new()}"})

    sinks = ["tantivy", "operations", "postgresql", "opensearch", "elasticsearch"]
    options = [
        *(
            "-L",
            "DEBUG",
            "-s",
            f"DATA_DIR={data}",
            "-s",
            f"SITES_DIR={sites}",
            "-s",
            f"METRICS_DIR={metrics}",
        ),
        *("-s", "SINK_TIMEOUT=0.5", "-s", "AUTOTHROTTLE_ENABLED=0"),
    ]
    with served({"/": home, "/1": page("One")}) as site:
        for name, apart in zip(("variables", "texts"), APART, strict=True):
            lines = [
                f'url = ["{site.base}/", "https://127.0.0.1:9/"]',
                f"sinks = {json.dumps(sinks)}",
                'method = "templates"',
            ]
            told = f"cat > {metrics}/{name}.json; env | grep PAGELETS_ >> {metrics}/{name}.json"
            lines += [f"notify.command = ['sh', '-c', '{told}']", "notify.outcomes = ['undelivered']"]
            for server in ("opensearch", "elasticsearch"):
                lines.append(f'{server}.hosts = ["http://127.0.0.1:9"]')
            for key in sorted(SECRETS - apart):
                lines.append(f"{key} = {toml(planted.value(key, by_variable=name == 'variables'))}")
            lines.append("[settings]\nRETRY_ENABLED = false")
            lines += [
                f"{one} = {toml(planted.new(form))}" for one, form in ELSEWHERE.items() if one != "FEEDS"
            ]
            (sites / f"{name}.toml").write_text("\n".join(lines), encoding="utf-8")
        environ = {**os.environ, **planted.variables, "https_proxy": planted.new("http://me:{}@127.0.0.1:9")}
        feeds = ("-s", f"FEEDS={ELSEWHERE['FEEDS'].format(planted.new())}")
        crawls = [
            forked.run(["crawl", "site", "-a", f"site={name}", *options, *feeds], env=environ)
            for name in ("variables", "texts")
        ]
    assert [done.returncode for done in crawls] == [7, 7], crawls[0].stderr
    texts = [done.stdout + done.stderr for done in crawls]
    for said in (
        *("Sink postgresql: ", "Sink opensearch: ", "Sink elasticsearch: ", "NOTIFY_WEBHOOK: "),
        "Overridden settings",
    ):
        assert all(said in text for text in texts), said
    for name, value in planted.variables.items():
        monkeypatch.setenv(name, value)
    for name, feeding in (("variables", ("index", "--check")), ("texts", ("redeliver", "--json"))):
        fed = feeding[0], name, feeding[1]
        for command in (
            fed,
            ("sites", "--show", name),
            ("sites", "--show", name, "--json"),
            ("runs", name, "--json"),
        ):
            done = scrapy(*command, *options[2:])
            texts.append(done.out + done.err)
    assert all(f"{name}.json" in [path.name for path in metrics.iterdir()] for name in ("variables", "texts"))
    assert during
    assert any(b"since " in text for text in during)
    assert planted.found(*texts, *during, *written(data), *written(metrics)) == []
    assert {path.stat().st_mode & 0o777 for path in data.glob("*.lock")} == {0o600}


def test_no_message_tells_a_secret_of_the_wrong_kind(tmp_path):
    planted = Planted()
    said: list[str] = []
    for key in sorted(SECRETS):
        table, _, name = key.rpartition(".")
        whole = key if key in SCHEMA.setters else table
        setting = SCHEMA.setters[whole].setting
        for lines in (
            *(f"{key} = [{toml(planted.new())}]", f"{key} = {{ env = {toml(planted.new())}, b = 1 }}"),
            f"{key}.further = {toml({'deep': [planted.new()]})}",
            f"{table or key} = {toml(planted.new())}",
            f"[settings]\n{setting} = [{toml(planted.new())}]",
            f"[settings]\n{setting} = {{ a = {{ b = {toml(planted.new())} }} }}",
        ):
            path = tmp_path / f"{len(said)}.toml"
            path.write_text(f"url = 'https://example.org/'\n{lines}\n", encoding="utf-8")
            problems = check_file(path, of_the_project())
            assert problems, lines
            said += map(str, problems)
        for value in (
            planted.new("[[{}"),
            planted.new('{{"X-A": ["{}"]}}'),
            [planted.new()],
            {"a": [planted.new()]},
        ):
            with pytest.raises(ConfigurationError) as raised:
                plan_site({"url": URL}, of_the_project(SINKS="postgresql", **{setting: value}))
            said.append(str(raised.value))
            if whole != key:
                with pytest.raises(ConfigurationError) as raised:
                    plan_site({"url": URL}, of_the_project(SINKS="postgresql", **{setting: {name: value}}))
                said.append(str(raised.value))
    address = "https://me:{}@example.org/"
    for arguments, values in (
        *(({"url": planted.new(address)}, {}), ({"url": planted.new("https://me:a@{}@example.org/")}, {})),
        ({"urll": planted.new()}, {}),
        ({"url": URL}, {"SITEMAPS": planted.new(address)}),
        ({"url": URL}, {"SITEMAPS": [planted.new(address)]}),
        ({"url": URL}, {"OPENSEARCH": {"hosts": [planted.new(address)]}}),
    ):
        with pytest.raises(ConfigurationError) as raised:
            plan_site(arguments, of_the_project(**values))
        said.append(str(raised.value))
    assert planted.found(*said) == []


def test_a_component_is_no_secret_whatever_its_name() -> None:
    assert secrets_in("ITEM_PIPELINES", '{"mine.NoPasswords": 50, "mine.TokenCount": 250}') == []
    assert secrets_in("MINE", {"password": 50, "a.password": "hush"}) == [50, "hush"]
