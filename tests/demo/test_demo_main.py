"""The pieces of `python -m demo`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from urllib.parse import urlsplit
from urllib.request import urlopen

from demo.__main__ import PROJECT, command, open_site, run
from demo.server import serve


def test_command():
    assert command("http://127.0.0.1:8765", ["-s", "PAGELET_K=4"]) == [
        *[sys.executable, "-m", "scrapy", "crawl", "site"],
        *["-a", "url=http://127.0.0.1:8765/", "-a", "site=demo"],
        *["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "DOWNLOAD_DELAY=0"],
        *["-s", 'EXTRACT={"price": {"json_ld": "offers.price", "type": "number"}}'],
        *["-s", "PAGELET_K=4"],
    ]


def test_the_next_port_where_the_port_is_taken(capsys):
    with serve() as taken, ExitStack() as stack:
        port = urlsplit(taken).port
        base = open_site(stack, port)
        assert port < urlsplit(base).port < port + 20
        with urlopen(f"{base}/robots.txt", timeout=5) as response:
            assert response.status == 200
    assert f"port {port} is taken: the demo site is at {base}/" in capsys.readouterr().err


def test_no_two_ports_share_a_store():
    assert "site=demo-8766" in command("http://127.0.0.1:8766", [])


def test_run_passes_the_exit_code_and_works_in_the_project():
    assert (
        run([sys.executable, "-c", "import os, sys; sys.exit(5 if os.path.exists('scrapy.cfg') else 1)"]) == 5
    )
    assert (PROJECT / "scrapy.cfg").exists()


def test_run_says_of_a_signal_what_a_shell_says():
    assert run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]) == 137


def test_ctrl_c_lets_the_child_finish():
    child = "import time; time.sleep(.6); raise SystemExit(4)"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    assert run([sys.executable, "-c", child]) == 4
    timer.join()


def test_termination_is_handed_on():
    before = signal.getsignal(signal.SIGTERM)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    assert run([sys.executable, "-c", "import time; time.sleep(30)"]) == 128 + signal.SIGTERM
    timer.join()
    assert signal.getsignal(signal.SIGTERM) == before


def test_module_serves_until_ctrl_c():
    with subprocess.Popen(
        [sys.executable, "-m", "demo.server", "--port", "0"], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            base = process.stdout.readline().split()[0]
            with urlopen(base, timeout=5) as response:
                assert response.status == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=5) == 0
        finally:
            process.kill()
