"""The documentation of Ferrule, a program that collects the readings of field loggers."""

from __future__ import annotations

from typing import NamedTuple


class Chapter(NamedTuple):
    """A page of running text; ``group`` is its page type."""

    name: str
    section: str
    title: str
    body: str
    group: str = "documentation"


class Function(NamedTuple):
    """An entry of the API: parameters and errors are pairs of a name and an explanation."""

    name: str
    signature: str
    summary: str
    parameters: list[tuple[str, str, str]]
    returns: str
    raises: list[tuple[str, str]]


INTRODUCTION = """
Ferrule fetches readings from data loggers that stand in fields, rivers and cellars, checks them, and
appends them to plain files, one a station and month. It runs from cron on small computers, keeps no
database, and never deletes a reading.

## At a glance

```
$ ferrule fetch weir-north
weir-north: 144 readings, 2026-03-01 00:00 to 2026-03-01 23:50
$ ferrule check weir-north --since 2026-03-01
weir-north: 143 good, 1 suspect (temperature jumped by 11.2 in 10 minutes)
```

## Why another collector?

Most collectors put readings into a database and expect it to be there next year. Stations outlive
databases. A file of text that is dated and named after its station can be read by whoever inherits the
project, with nothing but a text editor.

## Where to go next

- New here? Start with [Installation](installation.html) and then the [Quick start](quickstart.html).
- Moving from scripts of your own? See the [Recipes](recipes.html).
- Something does not work? Most likely it is in [Troubleshooting](troubleshooting.html).
"""

CHAPTERS = [
    Chapter(
        "installation",
        "Getting started",
        "Installation",
        """
Ferrule needs Python 3.10 or newer and, for loggers on a serial line, permission to open the port.

## From the package index

```
$ python3 -m venv ~/ferrule
$ ~/ferrule/bin/pip install ferrule
$ ~/ferrule/bin/ferrule --version
ferrule 4.2.1
```

## On a small computer

Packages for boards with ARM processors are built with every release. They contain no compiled parts, so
that the same file serves all of them. Installation takes about forty seconds on a board with 512 MB of
memory.

> The first import compiles the modules. If the file system is mounted read-only, run `ferrule
> --version` once while it is writable, or every start will take three seconds longer.

## Serial ports

On most systems, ports belong to the group `dialout`. Add the user that runs Ferrule to it, and log in
again:

```
$ sudo usermod --append --groups dialout collector
```

## Upgrading from 3.x

Version 4 reads the files of version 3 but writes another header. Run `ferrule migrate DIRECTORY` once;
it writes new files beside the old ones and compares them before it says that it has finished. See the
[Changelog](changelog.html) for what else has changed.
""",
    ),
    Chapter(
        "quickstart",
        "Getting started",
        "Quick start",
        """
This chapter takes you from nothing to a file of readings in about ten minutes. You need a logger, its
cable, and a directory that you can write to.

## Describe the station

Make a file `stations.toml`:

```
[weir-north]
driver = "hydro9"
port = "/dev/ttyUSB0"
interval = "10 min"

[weir-north.channels]
1 = { name = "level", unit = "m" }
2 = { name = "temperature", unit = "degC" }
```

The name in brackets becomes the name of the file, so choose one that you will still like in ten years.
It may have letters, digits and hyphens.

## Fetch

```
$ ferrule fetch weir-north
weir-north: 4320 readings, 2026-02-01 00:00 to 2026-03-02 23:50
```

The first call reads everything that the logger remembers. Later calls read what is new. If a call is
interrupted, the next one continues where the file ends.

## Look at the result

```
$ head -5 data/weir-north-2026-02.txt
# station weir-north, ferrule 4.2.1
# time level/m temperature/degC
2026-02-01T00:00Z 0.812 4.1
2026-02-01T00:10Z 0.812 4.1
2026-02-01T00:20Z 0.811 4.0
```

Times are always in UTC. A reading that the logger marks as missing is written as a single hyphen.

## Do it every night

```
17 2 * * *  collector  /home/collector/ferrule/bin/ferrule fetch --all --quiet
```

With `--quiet` Ferrule prints nothing unless something is wrong, so that cron sends mail only then.
""",
    ),
    Chapter(
        "configuration",
        "Using Ferrule",
        "Configuration",
        """
All configuration is in one file, `stations.toml`, in the working directory or where the environment
variable `FERRULE_STATIONS` says. Each station is a table. The table `[defaults]` holds values for all
stations.

## Keys of a station

| Key | Type | Default | Meaning |
| `driver` | string | none | How to talk to the logger; see the list of drivers below. |
| `port` | string | none | Serial port, or `tcp://host:number` for loggers behind a modem. |
| `interval` | duration | `"10 min"` | Distance between readings. Gaps are found by it. |
| `timezone` | string | `"UTC"` | The zone that the logger's own clock keeps. |
| `clock` | string | `"warn"` | What to do when that clock is wrong: `warn`, `set` or `ignore`. |
| `retries` | integer | `3` | How often a block with a wrong checksum is asked for again. |
| `directory` | path | `"data"` | Where the files are written. |

## Channels

The table `channels` names what the logger numbers. A channel that is not named is not fetched. Each has
a `name`, a `unit`, and may have limits:

```
[weir-north.channels]
1 = { name = "level", unit = "m", low = -0.2, high = 6.0 }
2 = { name = "temperature", unit = "degC", jump = 5.0 }
```

Readings outside of `low` and `high`, and steps greater than `jump`, are marked as suspect. They are
never left out.

## Drivers

| Driver | Loggers | Connection |
| `hydro9` | Hydro-9 series | serial, TCP |
| `marl` | Marl 200, Marl 400 | serial |
| `csvfile` | anything that writes CSV files | directory |
| `replay` | recorded sessions, for tests | file |

## Environment variables

`FERRULE_STATIONS` names the file of stations. `FERRULE_LOG` names a file to which every byte on the
line is written, which is useful in bug reports and fills small cards quickly.
""",
    ),
    Chapter(
        "formats",
        "Using Ferrule",
        "File format",
        """
A file holds the readings of one station in one calendar month, in UTC. It is UTF-8 text with Unix line
ends.

## Header

The first two lines begin with a number sign. The first names the station and the version that began the
file. The second names the columns, each with its unit after a slash. If channels change in the middle
of a month, a new header follows; readers have to expect headers anywhere.

## Lines

```
2026-02-01T00:00Z 0.812 4.1
2026-02-01T00:10Z 0.812 4.1?
2026-02-01T00:20Z - 4.0
```

Columns are separated by one space. A question mark marks a suspect value, a hyphen a missing one.
Values are written as the logger sent them: Ferrule does not round, and it does not add zeros.

## Guarantees

- A line, once written, is never changed.
- Times increase strictly. A second reading for a time that is there already goes to a file with the
  ending `.dup`.
- A file that was cut off, by a full disk or a lost battery, is repaired at the next call by removing
  its last, incomplete line.

## Reading the files elsewhere

In R, `read.table(file, na.strings = "-")` does, after the question marks have been removed. In a
spreadsheet choose the space as separator. For Python there is a function, see `ferrule.read()` in the
[API](api.html).
""",
    ),
    Chapter(
        "drivers",
        "Reference",
        "Writing a driver",
        """
A driver knows how to talk to one family of loggers, and nothing else: not where files are, not which
channels somebody wants, not what a sensible temperature is. Most drivers have fewer than two hundred
lines. If you own a logger that Ferrule does not know, and a description of its protocol, plan an
afternoon.

## What a driver has to do

A driver is a class with three methods. Ferrule opens the connection, makes an object of the class,
calls the methods in the order in which they stand here, and closes the connection whatever happens.

```
class Driver:
    name = "hydro9"

    def __init__(self, line, station):
        self.line = line
        self.station = station

    def identify(self):
        \"\"\"Returns the serial number of the logger, as text.\"\"\"

    def clock(self):
        \"\"\"Returns the time that the logger believes it is.\"\"\"

    def readings(self, since):
        \"\"\"Yields pairs of a time and a dict of values by channel, oldest first.\"\"\"
```

`line` has the methods `write(data)`, `read(count)` and `read_until(mark)`. Each of them raises
`Timeout` when nothing comes for the time that the station's table gives. Do not catch it: Ferrule tries
again from the last reading that was yielded, and gives up after as many tries as `retries` says.

## Times

Yield times without a zone, exactly as the logger tells them. Ferrule adds the zone of the station and
complains about hours that do not exist. A driver that is clever about summer time will be wrong on two
days of the year, and nobody will notice before the third year.

## Values

Yield values as text, with the digits that came over the line. `"0.810"` and `"0.81"` are different: the
first says that the sensor resolves millimetres. For a reading that the logger marks as missing, yield
`None`. Leave out channels that were not measured at that time.

## Checksums

Check every block before you yield anything from it, and raise `ChecksumError` if it is wrong. The helper
`ferrule.line.crc16` knows the polynomials that we have met so far:

| Name | Polynomial | Start | Used by |
| `modbus` | 0x8005 | 0xFFFF | Marl 400 |
| `ccitt` | 0x1021 | 0xFFFF | Hydro-9 |
| `xmodem` | 0x1021 | 0x0000 | older Marl 200 |

> Some loggers send the checksum with its bytes swapped when the battery is low. If a device fails only
> in winter, try that before anything else.

## Testing without a logger

Set `FERRULE_LOG=session.log` and talk to the device once, with whatever your driver can do already.
From then on the driver `replay` answers in its place, byte for byte and with the same pauses. All
drivers that come with Ferrule are tested in this way, and a driver is accepted only with at least three
recordings: one ordinary day, one with a gap, and one that ends in the middle of a block.

```
def test_a_block_that_breaks_off(replay):
    station = replay("broken.log", driver="hydro9")
    with pytest.raises(Timeout):
        list(station.readings(since=None))
```

## Registering

Name the class in the metadata of your package, under the group `ferrule.drivers`. After installation,
`ferrule --version --verbose` lists it. It is not necessary that drivers are part of Ferrule, and for
loggers of which there are only a few in the world it is better if they are not.
""",
    ),
    Chapter(
        "cli",
        "Reference",
        "Command line",
        """
```
ferrule [--stations FILE] [--quiet] COMMAND [STATION ...]
```

## ferrule fetch

Reads what is new from the stations named, or with `--all` from all of them.

| Option | Meaning |
| `--all` | All stations of the file, one after the other. |
| `--since TIME` | Read again from this time on; what is there already is compared, not written twice. |
| `--dry-run` | Talk to the logger, write nothing. |
| `--jobs N` | So many stations at the same time (default 1; stations on one port are never mixed). |

## ferrule check

Looks for gaps, suspect values and clocks that are wrong. It prints a line for each station, and with
`--verbose` one for each finding.

## ferrule clock

Shows the difference between the clock of a logger and that of the computer. With `--set` it sets the
logger's. Some loggers clear their memory when the clock is set; Ferrule fetches first and refuses if
that fails.

## ferrule migrate

Writes files of version 3 again in the format of version 4.

## Exit codes

| Code | Meaning |
| 0 | All went well. |
| 1 | A station could not be read; the others were. |
| 2 | The command line or the file of stations is wrong. Nothing was done. |
| 3 | Suspect values were found (`ferrule check` only). |
| 75 | Another Ferrule uses the port. Try later. |
""",
    ),
    Chapter(
        "recipes",
        "Using Ferrule",
        "Recipes",
        """
Short answers to what people ask most often. Each stands for itself.

## Fetch over a modem that sleeps

Many modems answer only in the first minutes of an hour. Let Ferrule begin early and try for long:

```
[defaults]
retries = 40
retry_pause = "15 s"
```

## Send a message when the level rises

```
$ ferrule tail weir-north --channel level --above 2.5 --exec ./alarm.sh
```

The program is called once for each crossing, not for each reading. It gets the station, time and value
as arguments.

## Put the files under version control

The files only grow, so that a commit a night stays small:

```
$ ferrule fetch --all && git -C data add . && git -C data commit --quiet --message "Readings"
```

## Merge the readings of two loggers at one place

Describe them as two stations and join them when reading. Merging at the time of fetching was removed in
version 4, because nobody could say afterwards which logger a value came from.

## Test a configuration without a logger

Record a session with `FERRULE_LOG=session.log`, then use the driver `replay` with `port =
"session.log"`. Everything behaves as on that day, including the errors.

## Daily means

```
$ ferrule export weir-north --every "1 day" --function mean > daily.csv
```

A day with fewer than nine tenths of its readings has no mean.
""",
        group="collection",
    ),
    Chapter(
        "troubleshooting",
        "Help",
        "Troubleshooting",
        """
## “Permission denied” when opening the port

The user is not in the group that owns the port. See [Serial ports](installation.html#serial-ports).
After the change you have to log in again; a running `cron` has to be restarted.

## Readings are one hour off

The logger keeps summer time. Set `timezone` to the zone in which it was programmed. If somebody
switches it by hand twice a year, there is no setting that helps; ask them to stop.

## Checksums fail at night only

Long cables pick up noise when pumps or heating start. Lower the speed of the line on the logger and
with `baud` in the station's table. A ferrite ring on the cable has helped several users.

## The file has a gap but the logger does not

Look for a file with the ending `.dup` next to it. If the clock of the logger was set back, later
readings have times that were there before, and Ferrule does not choose between them. `ferrule check
--verbose` shows where.

## Everything is slow

Reading 4,000 values over a line with 1,200 baud takes eleven minutes, whatever the program. Fetch more
often.

## Reporting a bug

Please add the output of `ferrule --version`, the table of the station, and the session recorded with
`FERRULE_LOG`. Remove passwords first: some modems send them in plain text.
""",
    ),
    Chapter(
        "changelog",
        "Help",
        "Changelog",
        """
## 4.2.1 (12 January 2026)

- Fixed: a station whose name ends with a digit was sorted before its neighbours.
- Fixed: `ferrule clock --set` waited for ever on a Marl 200 with an empty battery.

## 4.2 (3 November 2025)

- New: `--jobs` fetches several stations at the same time.
- New: limits and jumps for channels, see [Channels](configuration.html#channels).
- Changed: suspect values end with a question mark; up to now, they were listed in a file of their own.

## 4.1 (20 May 2025)

- New driver `replay`.
- Fixed: the last reading of a month was written twice when the clock of the logger was fast by less
  than a second.
- Removed: the option `--fast`, which was not.

## 4.0 (8 January 2025)

- New file format with units in the header. Use `ferrule migrate`.
- Removed: merging of stations, the output as XML, support for Python 3.9 and older.

## 3.9 (1 September 2024)

The last version of the old line. It gets corrections of errors that lose data, and nothing else.
""",
    ),
    Chapter(
        "glossary",
        "Help",
        "Glossary",
        """
**Channel**: one measured quantity of a logger, such as the level of the water. Loggers number them,
Ferrule names them.

**Gap**: a stretch between two readings that is longer than the interval of the station.

**Interval**: the time between two readings, as the logger was programmed. Ferrule never guesses it.

**Logger**: the device in the field that measures, and remembers what it has measured until somebody asks.

**Station**: a place with a logger. When the logger is replaced, the station stays.

**Suspect**: outside of the limits that the configuration gives. It says nothing about the truth of a value.
""",
    ),
    Chapter(
        "license",
        "Help",
        "License",
        """
Ferrule is free software under the terms of its license, which is in the file COPYING of every release.
""",
    ),
]

FUNCTIONS = [
    Function(
        "read",
        "path, *, suspect='keep', missing=None",
        "Reads one file, or all files of a station, and returns the readings in the order of their times.",
        [
            ("path", "str or Path", "A file, or a directory and station as in `data/weir-north`."),
            (
                "suspect",
                "str",
                "What becomes of suspect values: `keep` drops the mark, `drop` makes them missing, "
                "`tuple` gives "
                "pairs of value and mark.",
            ),
            ("missing", "object", "What stands for a missing value."),
        ],
        "An iterator over readings. Nothing is read before the first one is asked for.",
        [
            ("FormatError", "A line is neither header nor reading. The message gives its number."),
            ("FileNotFoundError", "There is no such file, and no station of this name."),
        ],
    ),
    Function(
        "fetch",
        "station, *, since=None, dry_run=False",
        "Fetches new readings from a station and appends them to its files. This is what the command "
        "line calls.",
        [
            ("station", "Station", "The station, from `load_stations()`."),
            ("since", "datetime", "Read again from this time on. Must have a time zone."),
            ("dry_run", "bool", "Whether to leave the files as they are."),
        ],
        "A Report with the number of readings, and the first and last time.",
        [
            ("PortBusy", "Another process uses the port."),
            ("LoggerError", "The logger did not answer, or answered nonsense after all retries."),
        ],
    ),
    Function(
        "load_stations",
        "path=None",
        "Reads the file of stations and checks it.",
        [("path", "str or Path", "The file; by default it is looked for as the command line does.")],
        "A dict of Station objects by name, in the order of the file.",
        [
            (
                "ConfigError",
                "A key is unknown or a value out of range. All mistakes are listed, not only the first.",
            )
        ],
    ),
    Function(
        "gaps",
        "readings, interval",
        "Finds the gaps in a sequence of readings.",
        [
            ("readings", "iterable of Reading", "In the order of their times."),
            ("interval", "timedelta", "The distance that readings should have."),
        ],
        "An iterator over pairs of times: the last before and the first after each gap.",
        [],
    ),
]
