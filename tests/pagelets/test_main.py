"""The command `pagelets`."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import zlib

import pytest

from pagelets.__main__ import main
from tests.crawls import PROJECT

PAGE = "<html lang=de><title>Brot</title><body><h1>Brot</h1><p>Mehl, <a href=/salz>Salz</a> und Zeit.</p>"
URL = "https://example.org/brot"


def record(url, html, head="HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"):
    block = f"{head}\r\n".encode() + (html if isinstance(html, bytes) else html.encode())
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n"
    return gzip.compress(f"WARC/1.0\r\n{fields}\r\n".encode() + block + b"\r\n\r\n")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def archive(tmp_path):
    menu = "".join(f"<a href=/{number}>Seite {number}</a> " for number in range(4))
    pages = [record(f"https://example.org/{n}", f"<div>{menu}</div><p>Nur auf {n}.") for n in range(4)]
    others = [
        record("https://example.org/gone", "<p>Nichts.", "HTTP/1.1 404 Not Found\r\n"),
        record("https://example.org/data", "{}", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"),
    ]
    path = tmp_path / "seiten.warc.gz"
    path.write_bytes(b"".join([*pages, *others]))
    return path


def test_a_page_is_printed_as_markdown_unless_another_format_is_asked_for(page, capsys):
    assert main([str(page), "--url", URL, "--method", "all-text"]) == 0
    assert capsys.readouterr().out == "# Brot\n\nMehl, [Salz](https://example.org/salz) und Zeit.\n"
    assert main([str(page), "--format", "text"]) == 0
    assert capsys.readouterr().out.endswith("Mehl, Salz und Zeit.\n")
    assert main([str(page), "--url", URL, "--format", "document"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Brot"


def test_a_package_that_archives_need_is_named(archive, monkeypatch, capsys):
    def lacking(given):
        raise ModuleNotFoundError("No module named 'warcio'", name="warcio")

    monkeypatch.setattr("pagelets.__main__._site", lacking)
    assert main([str(archive)]) == 2
    assert capsys.readouterr().err == "pagelets: archives need warcio: pip install 'site-pagelets[site]'\n"


def test_a_page_comes_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PAGE.encode())))
    assert main(["-", "--url", URL, "--format", "text"]) == 0
    assert "Mehl" in capsys.readouterr().out


def test_archives_give_the_documents_of_their_pages(archive, tmp_path, capsys):
    output = tmp_path / "documents.jsonl"
    assert main([str(archive), "-o", str(output), "--method", "templates"]) == 0
    documents = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [document["text"] for document in documents] == [f"Nur auf {number}." for number in range(4)]
    assert {document["site"] for document in documents} == {"seiten"}
    assert capsys.readouterr() == ("", "")


def test_a_folder_of_pages_has_an_address(page, capsys):
    assert main([str(page.parent), "--url", "https://example.org/docs"]) == 0
    assert json.loads(capsys.readouterr().out)["url"] == "https://example.org/docs/page.html"


def test_what_cannot_be_unpacked_is_skipped_and_told(tmp_path, capsys):
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n"
    path = tmp_path / "one.warc.gz"
    path.write_bytes(record("https://example.org/1", "no such data", head) + record(URL, PAGE))
    assert main([str(path)]) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["url"] for line in said.out.splitlines()] == [URL]
    assert said.err.startswith("pagelets: https://example.org/1: its deflate data cannot be read")


def test_what_breaks_off_is_flagged(tmp_path, capsys):
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n"
    path, packed = tmp_path / "two.warc.gz", zlib.compress((PAGE * 9).encode())
    path.write_bytes(record(f"{URL}/1", packed[:-9], head) + record(f"{URL}/2", packed, head))
    assert main([str(path)]) == 0
    flags = [json.loads(line)["stats"]["flags"] for line in capsys.readouterr().out.splitlines()]
    assert flags == [["truncated"], []]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{folder}/none.html"], "none.html: No such file"),
        (["{folder}/none.warc.gz"], "none.warc.gz: no such file or directory; check the path"),
        (["{page}", "{page}"], "2 pages: give one"),
        (["{page}", "{folder}"], "page.html: no archive"),
        (["{folder}", "--format", "text"], "--format text goes with one page"),
        (["{page}", "--url", "example.org"], "url='example.org': no address of a page"),
        (["{page}", "--method", "magic"], "method='magic': there are all-text"),
        (["{page}", "-o", "{folder}/none/out.md"], "none: no such folder"),
        (["https://example.org/"], "https://example.org/ is no file; fetch it"),
        (["https://example.org/a.warc.gz"], "is no file; fetch it"),
        (["{page}", "--format", "pdf"], "argument --format: invalid choice: 'pdf'"),
        ([], "the following arguments are required: PATH"),
        ([""], "PATH is empty"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(page, arguments, said, capsys):
    given = [one.format(page=page, folder=page.parent) for one in arguments]
    try:
        code = main(given)
    except SystemExit as exit_:
        code = exit_.code
    told = capsys.readouterr()
    assert (code, told.out) == (2, "")
    assert told.err.startswith("pagelets: ")
    assert said in told.err
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "kind"), [(b"filedesc://x.arc 0.0.0.0 2002", "an ARC"), (b"\x1f\x8b\x08", "a gzip")]
)
def test_an_archive_of_another_kind_is_named(content, kind, tmp_path, capsys):
    path = tmp_path / "x.arc"
    path.write_bytes(content)
    assert main([str(path)]) == 2
    told = capsys.readouterr().err
    assert told == (
        f"pagelets: {path} is {kind} archive; give the HTML of a page, or files named .warc or .warc.gz\n"
    )


def test_the_output_minus_is_the_standard_output(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main([str(page)])
    printed = capsys.readouterr().out
    main([str(page), "-o", "-"])
    assert capsys.readouterr().out == printed
    assert not (tmp_path / "-").exists()


def test_a_file_that_fails_halfway_is_not_there(page, tmp_path):
    output = tmp_path / "out.md"
    output.write_text("before")
    assert main([str(tmp_path), "--url", "example.org", "-o", str(output)]) == 2
    assert output.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.md", "page.html"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_end_from_outside_leaves_one_line_and_no_file(archive, tmp_path, monkeypatch, capsys, sent):
    def stopped(*_):
        signal.raise_signal(sent)

    monkeypatch.setattr("pagelets.Site.documents", stopped)
    out = tmp_path / "documents.jsonl"
    assert main([str(archive), "-o", str(out)]) == 130
    assert capsys.readouterr().err == "pagelets: interrupted\n"
    assert not list(tmp_path.glob("*documents*"))


def test_a_pipe_is_written_to_and_a_link_followed(page, tmp_path):
    pipe, target, link = (tmp_path / name for name in ("pipe", "target.md", "link.md"))
    os.mkfifo(pipe)
    link.symlink_to(target)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for output in (pipe, link):
        assert main([str(page), "--format", "text", "-o", str(output)]) == 0
    assert os.read(reader, 100).decode() == target.read_text() != ""
    os.close(reader)
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_who_reads_no_more_is_no_error(page):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "pagelets", str(page), "--format", "text", "--method", "all-text"],
            cwd=PROJECT, stdout=closed, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "stream", "code", "said"),
    [
        ("-", "<&-", 2, "pagelets: the standard input is closed; give a file\n"),
        ("page.html", ">&-", 2, "pagelets: the standard output is closed; give -o FILE\n"),
        ("page.html -o out.md", ">&-", 0, ""),
    ],
)
def test_a_stream_that_is_closed_is_said_in_one_line(page, arguments, stream, code, said):
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m pagelets --method all-text {arguments} {stream}', sys.executable],
        cwd=page.parent, env={**os.environ, "PYTHONPATH": str(PROJECT)}, stderr=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (code, said)
