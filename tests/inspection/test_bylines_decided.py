from __future__ import annotations

import tomllib

import pytest

from inspection.bylines_decided import with_choice
from settings.errors import ConfigurationError

SOURCE = """\
# The paper
url = ["https://paper.example/"]  # its address

[schedule]
cron = "0 3 * * *"  # at night
"""


def test_a_choice_is_written_and_all_else_stays_as_it_is():
    found = with_choice(SOURCE, "keep")
    assert tomllib.loads(found) == {**tomllib.loads(SOURCE), "bylines": "keep"}
    assert found.endswith(SOURCE)
    again = with_choice(found.replace('"keep"\n', '"keep"  # names of authors\n'), "drop")
    assert '"drop"  # names of authors\n' in again
    assert tomllib.loads(with_choice("", "auto")) == {"bylines": "auto"}


@pytest.mark.parametrize(
    ("source", "choice"), [(SOURCE, "hide"), (SOURCE, ""), ("bylines = [", "keep"), ("[bylines]\na = 1", "x")]
)
def test_what_cannot_be_written_is_refused(source, choice):
    with pytest.raises(ConfigurationError):
        with_choice(source, choice)
