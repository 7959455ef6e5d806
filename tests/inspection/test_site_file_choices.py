from __future__ import annotations

import tomllib

import pytest

from inspection.site_file import with_choices
from settings.errors import ConfigurationError

SOURCE = """\
# The paper
url = ["https://paper.example/"]  # its address

[schedule]
cron = "0 3 * * *"  # at night
"""


def test_a_choice_is_written_and_all_else_stays_as_it_is():
    found = with_choices(SOURCE, {"bylines": "keep", "comments": "drop"})
    assert tomllib.loads(found) == {**tomllib.loads(SOURCE), "bylines": "keep", "comments": "drop"}
    assert found.endswith(SOURCE)
    again = with_choices(found.replace('"keep"\n', '"keep"  # names of authors\n'), {"bylines": "drop"})
    assert '"drop"  # names of authors\n' in again
    assert tomllib.loads(with_choices("", {"related": "auto"})) == {"related": "auto"}


@pytest.mark.parametrize(
    ("source", "choices"),
    [
        (SOURCE, {"bylines": "hide"}),
        (SOURCE, {"reviews": ""}),
        (SOURCE, {"authors": "keep"}),
        ("bylines = [", {"bylines": "keep"}),
        ("[bylines]\na = 1", {"bylines": "x"}),
    ],
)
def test_what_cannot_be_written_is_refused(source, choices):
    with pytest.raises(ConfigurationError):
        with_choices(source, choices)
