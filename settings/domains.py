"""Registrable domains: what somebody has to own to answer for a host, and the hosts beside it."""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract


@lru_cache(maxsize=1 << 12)
def registrable(host: str) -> str:
    """The registrable domain of a host: ``example.co.uk`` of ``www.example.co.uk``.

    Private suffixes count: ``alice.github.io`` is a domain. Of an address it is the address, of a host whose
    suffix is on no list its last two labels.
    """
    host = host.rstrip(".")
    try:
        return str(ip_address(host))
    except ValueError:
        domain = _suffixes().extract_str(host)
    if domain.suffix:
        return domain.top_domain_under_public_suffix or host
    return ".".join(host.split(".")[-2:])


@cache
def _suffixes() -> TLDExtract:
    # Loading takes longer than most crawls need it for: few start URLs lead to another host.
    from tldextract import TLDExtract

    # The list that comes with the package; another would be asked of the network.
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
