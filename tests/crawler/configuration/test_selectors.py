from __future__ import annotations

import pytest
from scrapy.settings import Settings

from crawler.configuration.judge_config import selectors_of
from pagelets.overrides import Selectors
from settings.errors import ConfigurationError


@pytest.mark.parametrize(
    ("value", "keep"),
    [
        ([], ()),
        ("", ()),
        (["p", "a"], ("a", "p")),
        ("p, a", ("p, a",)),
        ('["p", "a, b"]', ("a, b", "p")),
        (("p",), ("p",)),
    ],
)
def test_selectors_are_a_list_or_one_text(value: object, keep: tuple[str, ...]) -> None:
    assert selectors_of(Settings({"KEEP_SELECTORS": value, "DROP_SELECTORS": []})) == Selectors(keep)


@pytest.mark.parametrize("value", ["p >", ["p", "a::text"], 3, ["p", 3], "[1]", {"p": 1}])
def test_what_is_no_list_of_selectors_is_refused(value: object) -> None:
    with pytest.raises(ConfigurationError, match="SELECTORS"):
        selectors_of(Settings({"DROP_SELECTORS": value, "KEEP_SELECTORS": []}))
