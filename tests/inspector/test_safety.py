from __future__ import annotations

import socket

import pytest

from tests.inspector import sites
from tests.inspector.conftest import TOKEN

VIEWS = (
    "/",
    "/site",
    "/pages",
    "/templates",
    "/classes",
    "/runs",
    "/page",
    "/frame",
    "/job",
    "/static/page.js",
    "/no",
)


@pytest.mark.parametrize("path", VIEWS)
def test_each_answer_has_strict_headers(served, path):
    url = f"{sites.BASE}/oak.html"
    for asked in (
        f"/{TOKEN}{path}",
        f"/{TOKEN}{path}?site=shed&url={url}",
        path,
        f"/{TOKEN}{path}?site=..&url=%00",
    ):
        _, headers, _ = served.ask(asked)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_no_view_runs_scripts_but_the_inspectors_own(served):
    policy = served.ask(f"/{TOKEN}/")[1]["content-security-policy"]
    assert "script-src 'self';" in policy
    frame = served.ask(f"/{TOKEN}/frame?site=shed&url={sites.BASE}/oak.html")[1]["content-security-policy"]
    assert "script-src" not in frame
    assert frame.startswith(
        "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src 'none'"
    )


@pytest.mark.parametrize("token", ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "%00", "%e9", "%C3%A9"])
def test_without_the_token_nothing_is_told(served, token):
    status, _, text = served.ask(f"/{token}/pages?site=shed")
    assert status == 403
    assert "shed" not in text
    assert TOKEN not in text
    assert "scrapy inspect" in text


@pytest.mark.parametrize("host", ["shed.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""])
def test_another_host_is_refused(served, host):
    status, _, text = served.ask(f"/{TOKEN}/", Host=host)
    assert status in (400, 421)
    assert TOKEN not in text


@pytest.mark.parametrize("origin", ["https://shed.example", "null", "http://127.0.0.1:1"])
def test_another_origin_is_refused(served, origin):
    assert served.ask(f"/{TOKEN}/", Origin=origin)[0] == 403
    assert served.ask(f"/{TOKEN}/teach/undo", method="POST", body="{}", Origin=origin)[0] == 403


def test_a_change_needs_the_origin_and_is_never_get(served):
    changes = ("/teach/preview", "/teach/apply", "/teach/undo", "/teach/next", "/job/cancel")
    changes += ("/try", "/compare", "/select", "/decide")
    for path in changes:
        assert served.ask(f"/{TOKEN}{path}", method="POST", body="{}")[0] == 403
        assert served.ask(f"/{TOKEN}{path}")[0] == 405
        assert served.ask(path, method="POST", body="{}", Origin=f"http://127.0.0.1:{served.port}")[0] == 403
        assert served.post(path, {})[0] == 400
    assert served.ask(f"/{TOKEN}/", method="DELETE")[0] == 403


@pytest.mark.parametrize(
    "site", ["..", "../shed", "/etc", "shed/..", ".shed.fresh", "shed' OR '1", "a\0b", "x" * 5000]
)
def test_a_site_is_one_of_those_that_have_a_store(served, site):
    for path in (
        "/site",
        "/pages",
        "/page",
        "/frame",
        "/templates",
        "/classes",
        "/runs",
        "/alike",
        "/search",
    ):
        # Each of them looks for the site among those that there are.
        assert "error" in served.json(path, site=site, url=sites.BASE, words="x")
    assert served.post("/teach/undo", {"site": site, "file": ""})[0] == 400


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd"]
)
def test_no_path_reaches_the_file_system(served, path):
    status, _, text = served.ask(f"/{TOKEN}{path}")
    assert status == 404
    assert "import" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        {"sort": "url; DROP TABLE pages"},
        {"start": "-1"},
        {"start": "9" * 40},
        {"start": "٣"},
        {"least": "nan"},
        {"most": "1; --"},
    ],
)
def test_a_wrong_argument_is_refused_in_words(served, arguments):
    assert "give" in served.json("/pages", site="shed", **arguments)["error"]


@pytest.mark.parametrize(
    "words", ["%", "'", '"; DROP TABLE pages; --', "_", "\\", "\udcff".encode("utf-8", "replace").decode()]
)
def test_what_is_searched_for_is_bound(served, words):
    assert served.json("/pages", site="shed", words=words)["total"] == 0
    assert served.json("/pages", site="shed", state=words, flag=words)["total"] == 0


@pytest.mark.parametrize(
    "body",
    ["", "[]", "{", "null", "[" * 100_000, '{"site": 1}', '{"site": "shed", "file": "", "pages": {"x": {}}}'],
)
def test_a_wrong_change_is_refused_in_words(served, body):
    origin = f"http://127.0.0.1:{served.port}"
    status, _, text = served.ask(f"/{TOKEN}/teach/preview", method="POST", body=body, Origin=origin)
    assert status == 400
    assert "Traceback" not in text


def test_a_request_that_breaks_off_is_no_failure(served, capsys):
    origin = f"http://127.0.0.1:{served.port}"
    with socket.create_connection(("127.0.0.1", served.port)) as asking:
        head = f"POST /{TOKEN}/try HTTP/1.1\r\nHost: {origin[7:]}\r\nOrigin: {origin}\r\nContent-Length: 9"
        asking.sendall(f"{head}\r\n\r\n{{".encode())
    # The server has seen the end of that by its next answer but one.
    for _ in range(3):
        assert served.json("/pages", site="shed")["site"] == "shed"
    assert capsys.readouterr().err == ""


def test_a_request_that_is_too_large_is_refused(served):
    origin = f"http://127.0.0.1:{served.port}"
    status, _, text = served.ask(
        f"/{TOKEN}/teach/preview", method="POST", body=" " * 5_000_000, Origin=origin
    )
    assert status == 413
    assert "too large" in text
