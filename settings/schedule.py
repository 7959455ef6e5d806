"""Schedules of sites: cron's expressions, read in a time zone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from settings.values import nearest

NICKNAMES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
"""crontab(5)'s names of expressions, but @reboot, which names no time."""
_DAILY: Final = ("day", "everyday", "night", "nightly")
"""What people write who mean ``@daily``, which is not the nearest name."""
LOCALTIME: Final = Path("/etc/localtime")
_PARTS: Final = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day of the month": "1 to 31, or L for the last",
    "month": "1 to 12, or JAN to DEC",
    "day of the week": "0 to 7, or SUN to SAT",
}
_EXAMPLE: Final = "'0 2 * * *', every night at two"
_LONGEST: Final = 200
_BEFORE: Final = datetime(2001, 1, 1, tzinfo=UTC)
_SHIFT: Final = timedelta(hours=3)
"""More than any clock is set forward or back for daylight saving: times are looked for from so far off."""


def expression(value: str) -> str:
    """A schedule in its normal form: five parts with a space between them, a nickname in lower case, or an
    empty text for none. Raises ValueError, which names the part that is wrong.
    """
    text = " ".join(value.split())
    if not text:
        return ""
    if len(text) > _LONGEST:
        raise ValueError(f"is too long; write an expression such as {_EXAMPLE}")
    if text.startswith("@") and text.lower() in NICKNAMES:
        return text.lower()
    if text[0] == "@" or text.isalpha():
        word = text.lower().removeprefix("@")
        mend = "did you mean '@daily'?" if word in _DAILY else nearest(f"@{word}", NICKNAMES)
        raise ValueError(f"unknown name of a schedule; {mend}")
    parts = text.split()
    if len(parts) != len(_PARTS):
        count = f"{len(parts)} {'part' if len(parts) == 1 else 'parts'}"
        raise ValueError(f"has {count} and not five ({', '.join(_PARTS)}); write one such as {_EXAMPLE}")
    for place, (part, (name, known)) in enumerate(zip(parts, _PARTS.items(), strict=True)):
        if not _comes("* " * place + part + " *" * (len(_PARTS) - place - 1)):
            raise ValueError(f"has a wrong {name}, {part!r}; give {known}, as in {_EXAMPLE}")
    if not _comes(text):
        raise ValueError(f"names a time that never comes; write one such as {_EXAMPLE}")
    return text


def _comes(text: str) -> bool:
    try:
        return next(CronSim(text, _BEFORE), None) is not None
    except CronSimError:
        return False


def zone_name(value: str) -> str:
    """The name of a time zone of IANA's, or an empty text for the machine's own. Raises ValueError."""
    if value:
        _zone(value)
    return value


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # Names lead to files: a folder or another file is an OSError or ValueError.
        known = sorted(available_timezones())
        cities = {zone_id.rpartition("/")[2].casefold(): zone_id for zone_id in known}
        same = {**cities, **{zone_id.casefold(): zone_id for zone_id in known}}
        meant = same.get(name.replace(" ", "_").casefold()) or "".join(get_close_matches(name, known, 1))
        mend = f"did you mean {meant!r}?" if meant else "give a name such as 'Europe/Berlin' or 'UTC'"
        raise ValueError(f"is no time zone; {mend}") from None


def zone(name: str) -> tzinfo:
    """Returns the time zone of a checked name, of an empty one the machine's own. Raises ValueError."""
    return _zone(name) if name else local_zone(os.environ)


def local_zone(environ: Mapping[str, str], localtime: Path = LOCALTIME) -> tzinfo:
    """The machine's time zone: that of the environment variable TZ, a name or a file such as
    ``:/etc/localtime``, else that of /etc/localtime, else UTC. Raises ValueError where TZ has neither a time
    zone of IANA's nor a file, such as ``CET-1CEST``.
    """
    if name := environ.get("TZ", "").removeprefix(":"):
        try:
            return _of_file(Path(name)) if name.startswith("/") else _zone(name)
        except (OSError, ValueError) as error:
            raise ValueError(f"the environment variable TZ={name}: {error}") from None
    return _of_file(localtime) if localtime.exists() else UTC


def _of_file(path: Path) -> ZoneInfo:
    with path.open("rb") as file:
        # It may be a link into the database of zones, and then has a name.
        return ZoneInfo.from_file(file, key=str(path.resolve()).rpartition("/zoneinfo/")[2])


def latest(schedule: str, at: tzinfo, now: datetime) -> datetime | None:
    """Returns the last time of a ``schedule`` in the zone ``at`` that is not after ``now``, in UTC; None if
    50 years had none.

    As Debian's cron has it: a time that the clock skips comes right after the gap, and one that the clock
    shows twice comes the first time; where minute or hour begin with ``*``, the clock is followed as it is.
    """
    return next((time for time in _times(schedule, now + _SHIFT, at, reverse=True) if time <= now), None)


def following(schedule: str, at: tzinfo, now: datetime) -> datetime | None:
    """Returns the first time of a ``schedule`` in the zone ``at`` after ``now``, in UTC, or None."""
    return next((time for time in _times(schedule, now - _SHIFT, at) if time > now), None)


def _times(schedule: str, start: datetime, at: tzinfo, *, reverse: bool = False) -> Iterator[datetime]:
    """Yields scheduled times; on a day when the clock is set back, they do not come in order."""
    times = CronSim(NICKNAMES.get(schedule, schedule), start.astimezone(at), reverse=reverse)
    return (time.astimezone(UTC) for time in times)
