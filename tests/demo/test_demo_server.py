"""What the demo server answers."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from demo.server import main, serve
from demo.site import pages


@pytest.fixture(scope="module")
def base():
    with serve() as url:
        yield url


@pytest.fixture
def ask(base):
    with closing(http.client.HTTPConnection(urlsplit(base).netloc, timeout=5)) as connection:

        def request(path, method="GET", **headers):
            connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            response = connection.getresponse()
            return response, response.read()

        yield request


def test_page(base, ask):
    response, body = ask("/about/")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert body == pages(base)["/about/"].body


def test_query_changes_nothing(ask):
    assert ask("/about/?ref=home")[1] == ask("/about/")[1]


def test_every_path_is_served_as_said(base, ask):
    for path, page in pages(base).items():
        response, body = ask(path)
        assert (response.status, response.headers["Content-Type"], body) == (
            page.status,
            page.content_type,
            page.body,
        )


def test_head_has_the_headers_of_get_and_no_body(ask):
    got, body = ask("/shop/")
    head, nothing = ask("/shop/", "HEAD")
    assert nothing == b""
    assert head.headers["Content-Length"] == str(len(body))
    for name in ("ETag", "Last-Modified", "Content-Type"):
        assert head.headers[name] == got.headers[name]


def test_validators_give_304(ask):
    response, _ = ask("/shop/")
    tag, modified = response.headers["ETag"], response.headers["Last-Modified"]
    for headers in (
        {"If_None_Match": tag},
        {"If_None_Match": f'"other", W/{tag}'},
        {"If_None_Match": "*"},
        {"If_Modified_Since": modified},
    ):
        answer, body = ask("/shop/", **headers)
        assert (answer.status, body, answer.headers["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize(
    "headers",
    [
        {"If_None_Match": '"other"'},
        {"If_None_Match": '"other"', "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        {"If_Modified_Since": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"If_Modified_Since": "yesterday"},
        {"If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 -0000"},
    ],
)
def test_other_validators_give_the_page(ask, headers):
    assert ask("/shop/", **headers)[0].status == 200


def test_redirect(base, ask):
    response, _ = ask("/blog/")
    assert (response.status, response.headers["Location"]) == (301, f"{base}/magazine/")


@pytest.mark.parametrize("path", ["/nowhere", "/about", "/../demo/site.py", "/%00", "/[", "*"])
def test_not_found(ask, path):
    assert ask(path)[0].status == 404


def test_absolute_urls_use_the_host_header(ask):
    _, body = ask("/robots.txt", Host="demo.example:81")
    assert b"Sitemap: http://demo.example:81/sitemap.xml" in body


@pytest.mark.parametrize("host", ['"><script>', "a b", "a/b", "x" * 300, "demo.example:port"])
def test_malformed_host(ask, host):
    response, body = ask("/", Host=host)
    assert response.status == 400
    assert host.encode() not in body


def test_host_may_be_missing_in_http_1_0(base):
    url = urlsplit(base)
    with socket.create_connection((url.hostname, url.port), timeout=5) as client:
        client.sendall(b"GET /robots.txt HTTP/1.0\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert f"Sitemap: {base}/sitemap.xml".encode() in answer


def test_other_methods_are_refused(ask):
    assert ask("/cart/", "POST")[0].status == 501


def test_client_that_hangs_up_is_not_reported(base, capfd):
    url = urlsplit(base)
    for _ in range(3):
        with socket.create_connection((url.hostname, url.port), timeout=5) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
    with closing(http.client.HTTPConnection(url.netloc, timeout=5)) as connection:
        connection.request("GET", "/")
        assert connection.getresponse().read()
    assert capfd.readouterr() == ("", "")


def test_server_ends_with_its_context():
    with serve() as url:
        port = urlsplit(url).port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_taken_port():
    with serve() as url, pytest.raises(OSError, match="in use"), serve(port=urlsplit(url).port):
        pass


def test_command_names_a_port_it_cannot_have(capsys):
    with serve() as url:
        port = urlsplit(url).port
        assert main(["--port", str(port)]) == 1
    assert f"cannot serve on 127.0.0.1:{port}" in capsys.readouterr().err
    assert main(["--port", "99999"]) == 1
