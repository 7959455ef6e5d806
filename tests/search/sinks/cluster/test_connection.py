"""How the sinks of OpenSearch and Elasticsearch find their servers, and what they tell of it."""

from __future__ import annotations

import base64
import logging
import ssl
import traceback
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from search.sink import Place, SinkDown
from search.sinks.cluster.connection import Access
from search.sinks.elasticsearch import ElasticsearchSink
from settings.errors import ConfigurationError, WrongSetting
from tests.search.sinks.cluster.conftest import BACKENDS
from tests.searchserver import Fault, SearchServer, Wrong, search_server

if TYPE_CHECKING:
    from pathlib import Path

    from search.sinks.cluster.server import SearchServerSink

PASSWORD = "s3cret-päßwörd-密码:x"


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> type[SearchServerSink]:
    return BACKENDS[request.param]


def sink_at(server: SearchServer, folder: Path, **options: Any) -> SearchServerSink:
    return BACKENDS[server.flavour](Place("example", folder, {"hosts": [server.base], **options}, 1.0))


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_a_user_is_known_by_the_password(
    server: SearchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.known = {basic("crawler", PASSWORD)}
    monkeypatch.setenv("SEARCH_PASSWORD", PASSWORD)
    for password in (PASSWORD, {"env": "SEARCH_PASSWORD"}):
        with closing(sink_at(server, tmp_path, user="crawler", password=password)) as sink:
            assert sink.open()


def test_no_secret_is_told(server: SearchServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("opensearch", "elasticsearch", "elastic_transport", "urllib3"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.known = {basic("crawler", "another")}
    sink = sink_at(server, tmp_path, user="crawler", password=PASSWORD)
    with closing(sink), pytest.raises(SinkDown, match="does not know the user") as raised:
        sink.open()
    server.known = {basic("crawler", PASSWORD)}
    with closing(sink):
        sink.open()
        said = [repr(sink), repr(sink.place), caplog.text]
    told = "\n".join([*said, *traceback.format_exception(raised.value)])
    assert "site-example" in told
    for secret in (PASSWORD, "s3cret", basic("crawler", PASSWORD), basic("crawler", PASSWORD)[6:]):
        assert secret not in told


def test_the_clients_tell_no_request_unless_they_are_asked_to(
    server: SearchServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("opensearch", "elasticsearch", "elastic_transport"):
        caplog.set_level(logging.NOTSET, logger=name)
    with closing(sink_at(server, tmp_path)) as sink:
        sink.open()
        server.faults.append(Fault("", wrong=Wrong(500, "oops", "")))
        with pytest.raises(SinkDown):
            sink.open()
    with closing(sink_at(server, tmp_path, hosts=["http://127.0.0.1:1"])) as sink, pytest.raises(SinkDown):
        sink.open()
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("host", "where"),
    [
        ("http://localhost", "http://localhost:80"),
        ("https://SEARCH.example.org/", "https://search.example.org:443"),
        ("http://[::1]:9200/path/", "http://[::1]:9200/path"),
    ],
)
def test_an_address_without_a_port_is_that_of_its_scheme(host: str, where: str) -> None:
    assert Access.of("opensearch", {"hosts": [host]}, 1.0).hosts == (where,)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"hosts": []}, r"hosts: is missing; give the URL"),
    ({"hosts": ["http://me:secret@127.0.0.1:9200"]}, "hosts: give addresses such as"),
    ({"hosts": ["127.0.0.1:9200"]}, "hosts: give addresses such as"),
    ({"hosts": ["http://127.0.0.1:99999"]}, "hosts: give addresses such as"),
    ({"hosts": ["http://[::1"]}, "hosts: give addresses such as"),
    ({"hosts": ["http://127.0.0.1:9200", "https://127.0.0.1:9201"]}, "hosts: are of http and of https"),
    ({"prefix": "Site-"}, "prefix: 'Site-': use at most 50 lower-case letters"),
    ({"prefix": "-site"}, "prefix: '-site': use"),
    ({"prefix": ""}, "prefix: '': use"),
    ({"user": "me"}, "user: user and password belong together"),
    ({"password": "secret"}, "password: user and password belong together"),
    ({"user": "m:e", "password": "secret"}, "user: has a colon in it"),
    ({"user": "me", "password": {"env": "NOT_SET_ANYWHERE"}}, "password: the environment variable NOT_SET"),
    ({"ca_certs": "/nowhere/ca.pem"}, "ca_certs: '/nowhere/ca.pem': there is no such file"),
]


def test_wrong_options_are_named_before_anything_is_asked(
    backend: type[SearchServerSink], tmp_path: Path
) -> None:
    wrong = WRONG
    if backend is ElasticsearchSink:
        wrong = [
            *WRONG,
            (
                {"api_key": "secret", "user": "me", "password": "p"},
                "api_key: is given beside user and password",
            ),
            ({"api_key": "secret\n"}, "api_key: is no encoded key"),
            ({"api_key": "sécret"}, "api_key: is no encoded key"),
        ]
    for options, said in wrong:
        with pytest.raises(WrongSetting, match=rf"^{backend.section.upper()}\.{said}") as raised:
            backend(Place("example", tmp_path, {"hosts": ["http://127.0.0.1:9200"], **options}))
        assert "\n" not in str(raised.value)
        assert "cret" not in str(raised.value)


def test_a_package_that_is_not_installed_is_named(backend: type[SearchServerSink], tmp_path: Path) -> None:
    class Without(backend):  # type: ignore[valid-type, misc]
        package = "a_package_that_is_not_installed"

    with pytest.raises(
        ConfigurationError, match=r"is not installed; run pip install -r requirements-sinks\.txt"
    ):
        Without(Place("example", tmp_path, {"hosts": ["http://127.0.0.1:9200"]}))


def test_nothing_is_asked_before_it_is_opened_and_closing_twice_is_fine(
    server: SearchServer, tmp_path: Path
) -> None:
    sink = sink_at(server, tmp_path)
    sink.close()
    sink.close()
    assert server.asked == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine's, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "search.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("certificate")
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "ca.pem", folder / "key.pem"


def test_a_certificate_is_trusted_where_it_is_given(
    backend: type[SearchServerSink], certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with search_server(backend.section, context) as server:
        with closing(sink_at(server, tmp_path, ca_certs=str(certificate[0]))) as sink:
            assert sink.open()
        with (
            closing(sink_at(server, tmp_path)) as sink,
            pytest.raises(SinkDown, match=r"certificate that is not trusted \(.*; see ca_certs in"),
        ):
            sink.open()


def test_a_server_that_does_not_encrypt_has_no_certificate(server: SearchServer, tmp_path: Path) -> None:
    hosts = [server.base.replace("http:", "https:")]
    with (
        closing(sink_at(server, tmp_path, hosts=hosts)) as sink,
        pytest.raises(SinkDown, match=r"cannot be reached \(.*; start it, or see hosts in"),
    ):
        sink.open()


def test_a_file_of_certificates_does_no_harm_without_encryption(
    server: SearchServer, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    with closing(sink_at(server, tmp_path, ca_certs=str(certificate[0]))) as sink:
        assert sink.open()
