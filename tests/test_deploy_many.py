"""The files in deploy/ for many machines: an image, Kubernetes, Slurm."""

from __future__ import annotations

import argparse
import fcntl
import importlib
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from scrapy.settings import Settings

from tests.crawls import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = PROJECT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def objects(name: str) -> dict[str, Any]:
    """The objects of a file by kind."""
    with (DEPLOY / name).open(encoding="utf-8") as file:
        return {one["kind"]: one for one in yaml.safe_load_all(file)}


def arguments(words: list[str]) -> argparse.Namespace:
    """What ``scrapy run-due`` makes of its arguments; ends the test where it does not take them."""
    assert words[0] == "run-due"
    parser = argparse.ArgumentParser()
    command = importlib.import_module("crawler.commands.run-due").Command()
    command.settings = Settings()
    command.add_options(parser)
    return parser.parse_args(words[1:])


def image_arguments() -> list[str]:
    (found,) = re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)
    words: list[str] = yaml.safe_load(found)
    return words


def test_the_image_is_built_without_secrets_and_runs_without_rights():
    assert re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE) == ["BASE"]
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert "METRICS_DIR=/metrics" in arguments(image_arguments()).set
    assert "crawler.monitoring.health" in DOCKERFILE


def test_the_image_has_what_the_project_is_packed_of():
    (packed,) = re.findall(r'^PROJECT = "(.+)"\.split\(\)', (PROJECT / "setup.py").read_text(), re.MULTILINE)
    lines = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "*"
    assert {*packed.split(), "native", "scrapy.cfg"} <= {line[1:] for line in lines if line.startswith("!")}


def pod(name: str) -> tuple[int, dict[str, Any]]:
    """How many pods a file asks for, and what each is."""
    found = objects(name)
    if "CronJob" in found:
        job = found["CronJob"]["spec"]["jobTemplate"]["spec"]
        assert (job["completionMode"], job["completions"]) == ("Indexed", job["parallelism"])
        # With `backoffLimit` the first pod that fails ends those of the other shards.
        assert "backoffLimit" not in job
        assert job["backoffLimitPerIndex"] == 0
        assert found["CronJob"]["spec"]["concurrencyPolicy"] == "Forbid"
        return job["completions"], job["template"]["spec"]
    spec = found["StatefulSet"]["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    return spec["replicas"], spec["template"]["spec"]


@pytest.mark.parametrize("name", ["kubernetes-cronjob.yml", "kubernetes-statefulset.yml"])
def test_the_pods_crawl_a_shard_each_without_rights(name):
    pods, spec = pod(name)
    (container,) = spec["containers"]
    words = container["args"]
    if "command" in container:
        words = re.search(r"scrapy (run-due .+?) &", container["args"][0])[1].split()
    given = arguments(words)
    assert given.shard == str(pods)
    assert "METRICS_DIR=/metrics" in given.set
    assert "JOB_COMPLETION_INDEX" in [variable["name"] for variable in container["env"]]
    assert (spec["securityContext"]["runAsNonRoot"], spec["securityContext"]["runAsUser"]) == (True, 10001)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert set(mounts) == {"/data", "/metrics", "/tmp"}
    volumes = {volume["name"] for volume in spec["volumes"]}
    claims = objects(name).get("StatefulSet", {}).get("spec", {}).get("volumeClaimTemplates", [])
    assert {mount["name"] for mount in mounts.values()} <= volumes | {
        claim["metadata"]["name"] for claim in claims
    }


# Beside what the command does, a trace of where it was told to keep its stores.
SCRAPY = f'touch "$PAGELETS_DATA_DIR/night"\ncd "{PROJECT}" && exec {sys.executable} -m scrapy "$@"\n'
# A call whose crawls take a while to deliver once it is told to end.
SLOW = """
trap 'told=1' TERM
echo begun
while [ -z "$told" ]; do sleep 0.02; done
echo told
sleep 0.5
touch "$PAGELETS_DATA_DIR/delivered"
exit 4
"""


def task(tmp_path: Path, more: dict[str, str], program_text: str = SCRAPY) -> dict[str, Any]:
    """How the batch script is run as a task of an array."""
    project = tmp_path / "project"
    if not project.exists():
        (project / ".venv" / "bin").mkdir(parents=True)
        program = project / ".venv" / "bin" / "scrapy"
        program.write_text(f"#!/bin/sh\n{program_text}", encoding="utf-8")
        program.chmod(0o755)
        (tmp_path / "sites").mkdir()
        (tmp_path / "sites" / "a.toml").write_text("url = 1\n", encoding="utf-8")
        (tmp_path / "tmp").mkdir()
    numbers = {"SLURM_JOB_ID": "71", "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "5"}
    given = {
        "PAGELETS_PROJECT": str(project),
        "PAGELETS_KEPT": str(tmp_path / "kept"),
        "PAGELETS_SITES_DIR": str(tmp_path / "sites"),
        "PAGELETS_SHARDS": "1",
        "TMPDIR": str(tmp_path / "tmp"),
    }
    return {
        "args": ["bash", str(DEPLOY / "pagelets.sbatch")],
        "env": os.environ | numbers | {"SLURM_ARRAY_TASK_COUNT": "1"} | given | more,
        "text": True,
    }


def slurm(tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs the batch script with the scrapy of these tests."""
    return subprocess.run(**task(tmp_path, more), capture_output=True, timeout=120, check=False)


def test_a_task_of_slurm_fetches_the_stores_of_its_shard_and_brings_them_home(tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "shard-0"
    (kept.with_name("shard-0.70") / "before").mkdir(parents=True)
    kept.symlink_to("shard-0.70")
    # A site file is wrong; what became of the others is brought home all the same.
    done = slurm(tmp_path)
    assert done.returncode == 2
    assert "a.toml:1: key 'url'" in done.stderr
    assert kept.readlink().name == "shard-0.71.0"
    assert {path.name for path in kept.iterdir()} == {"before", "night"}
    assert sorted(path.name for path in kept.parent.iterdir()) == ["shard-0", "shard-0.71.0", "shard-0.lock"]
    assert not list((tmp_path / "tmp").glob("pagelets-*"))

    with kept.with_name("shard-0.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = slurm(tmp_path)
    assert (refused.returncode, refused.stdout) == (6, "")
    assert "another task crawls this shard" in refused.stderr
    alone = slurm(tmp_path, PAGELETS_SHARDS="4")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "give the array 4 tasks" in alone.stderr


def test_a_task_that_is_told_twice_to_end_brings_home_what_its_crawls_have_ended_with(tmp_path: Path) -> None:
    # What an earlier try of the same job had begun to bring home when its node failed.
    torn = tmp_path / "kept" / "shard-0.71.0"
    (torn / "torn").mkdir(parents=True)
    with subprocess.Popen(**task(tmp_path, {}, SLOW), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        for line in ("begun\n", "told\n"):
            assert running.stdout.readline() == line
            running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 4
    kept = tmp_path / "kept" / "shard-0"
    assert [path.name for path in kept.iterdir()] == ["delivered"]
