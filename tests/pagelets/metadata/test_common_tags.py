from __future__ import annotations

import langcodes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.metadata.language import _LANGUAGES, _REGIONS, _REPLACED, common_tag, tag

_languages = st.sampled_from(sorted({*_LANGUAGES, *_REPLACED}))


def standard(text: str) -> str:
    assert langcodes.tag_is_valid(text)
    return langcodes.standardize_tag(text)


def test_each_common_language_and_country_is_as_the_registry_has_it() -> None:
    assert all(common_tag(one) == standard(one) for one in (*_LANGUAGES, *_REPLACED))
    assert all(common_tag(f"en-{one}") == standard(f"en-{one}") for one in _REGIONS)


@given(_languages, st.sampled_from(sorted(_REGIONS)), st.sampled_from("-_"))
def test_any_two_of_them_are_as_the_registry_has_them(language: str, region: str, between: str) -> None:
    text = f"{language.title()}{between}{region.lower()}"
    assert common_tag(text) == standard(text)


@pytest.mark.parametrize("text", ["", "de-", "de-formal", "zh-Hans-CN", "en-USA", "K\u212a", "xx", "de-de-"])
def test_other_tags_are_not_common(text: str) -> None:
    assert common_tag(text) is None


def test_tags_beyond_the_common_ones_ask_the_registry() -> None:
    assert tag("zh-hans-cn") == "zh-Hans-CN"
    assert tag("de-") == tag("de-formal") == "de"
    assert tag("nonsense") is None
