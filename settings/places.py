"""Places on the disk, also of a project in the egg that Scrapyd runs, and the program that runs there."""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from settings.errors import relative

_CODE: Final = Path(__file__).resolve().parents[1]
SITES: Final = _CODE / "settings" / "sites"
"""Where the site files are, unless the setting ``SITES_DIR`` says otherwise."""
OUR_COMMANDS: Final = sorted(path.stem for path in (_CODE / "crawler" / "commands").glob("[!_]*.py"))
_HINT: Final = re.compile(rf"(?<![\w./-])(?:scrapy(?= (?:{'|'.join(OUR_COMMANDS)})\b)|pip(?= install\b))")


def project_folder(code: Path) -> Path:
    """Returns the folder that relative places, such as DATA_DIR, begin at: the one of the project's code; of
    an egg, which has no room for files, the current one, where Scrapyd has its own eggs, logs and items.
    """
    return code if code.is_dir() else Path.cwd()


@cache
def unpacked(egg: Path, folder: str) -> Path | None:
    """Returns a folder with the files of one of an egg's, removed at the end of the process, or None."""
    if not zipfile.is_zipfile(egg):
        return None
    with zipfile.ZipFile(egg) as file:
        names = [name for name in file.namelist() if PurePosixPath(name).parent == PurePosixPath(folder)]
        if not names:
            return None
        place = tempfile.mkdtemp(prefix="pagelets-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        file.extractall(place, names)
    return Path(place, folder)


PROJECT: Final = project_folder(_CODE)
"""Relative places, such as DATA_DIR, begin here, so that commands work in any folder."""


def data_dir(settings: Mapping[str, object]) -> Path:
    """Returns the folder of the stores."""
    return PROJECT / str(settings.get("DATA_DIR") or "data")


def sites_dir(settings: Mapping[str, object]) -> Path:
    """Returns the folder of the site files. Those packed with the project are read from there."""
    given = str(settings.get("SITES_DIR") or SITES)
    return unpacked(_CODE, given) or PROJECT / given


def site_path(site: str, settings: Mapping[str, object]) -> Path:
    """Returns where the file of a ``site`` is, or would be, by the ``settings``."""
    return sites_dir(settings) / f"{site}.toml"


def is_scrapy() -> bool:
    """Returns True if the process is a command of ``scrapy`` or ``python -m scrapy``, and nothing else."""
    program = Path(sys.argv[0])
    return program.stem == "scrapy" or program.parts[-2:] == ("scrapy", "__main__.py")


def commands_module() -> str:
    """Returns the module in which Scrapy looks for commands: the command's own, if the process runs one of
    ours. Scrapy imports all of the module to find a command, which is half of a command's start.
    """
    name = next((given for given in sys.argv[1:] if not given.startswith("-")), "")
    return f"crawler.commands.{name}" if is_scrapy() and name in OUR_COMMANDS else "crawler.commands"


def as_typed(text: str) -> str:
    """A text in which ``scrapy COMMAND`` and ``pip install`` stand as they can be typed from the current
    folder: ``.venv/bin/scrapy COMMAND`` where the shell would find another scrapy, or none.
    """
    return _HINT.sub(lambda match: _typed(match[0]), text)


def _typed(name: str) -> str:
    program = Path(sys.executable).parent / name
    on_path = shutil.which(name)
    if not program.exists():
        return f"{Path(sys.executable).name} -m {name}"
    return name if on_path is not None and Path(on_path).samefile(program) else str(relative(program))
