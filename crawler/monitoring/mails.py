"""Spidermon's mails, sent by Python's own client.

Those of Spidermon go through a part of Scrapy that is deprecated, and that ends before a mail is sent.
"""

from __future__ import annotations

import smtplib
import ssl
from typing import TYPE_CHECKING, Any, Final

from spidermon.contrib.actions.email import SendEmail
from spidermon.exceptions import NotConfigured

from crawler.indexing.sink import resolved

if TYPE_CHECKING:
    from email.message import Message

    from scrapy.crawler import Crawler

TIMEOUT: Final = 30.0
"""Seconds that the server may take for each step."""


class SendMail(SendEmail):  # type: ignore[misc]
    """An action of Spidermon's that sends a mail of plain text with what the monitors that failed say.

    Settings are those of Spidermon's ``SendSmtpEmail``: ``SPIDERMON_EMAIL_SENDER``, ``SPIDERMON_EMAIL_TO``
    and the others of ``SPIDERMON_EMAIL_``, ``SPIDERMON_BODY_TEXT`` (a template), ``SPIDERMON_SMTP_HOST``,
    ``SPIDERMON_SMTP_PORT``, ``SPIDERMON_SMTP_ENFORCE_TLS`` (STARTTLS), ``SPIDERMON_SMTP_ENFORCE_SSL``,
    ``SPIDERMON_SMTP_USER`` (no login without one) and ``SPIDERMON_SMTP_PASSWORD``, which may be
    ``{"env": "VARIABLE"}``.
    """

    subject = "{{ data.spider.job.plan.site }}: {{ data.ended.outcome }}"
    body_text = (
        "{{ data.spider.job.plan.site }}, run {{ data.ended.run }}, which ended {{ data.ended.outcome }} at "
        "{{ data.ended.finished_at }}:\n"
        "{% for failed in result.monitors_failed_results %}\n"
        "- {{ failed.item.name }}: {{ failed.reason or failed.error }}{% endfor %}\n"
    )
    body_html_template = None

    def __init__(self, *args: Any, smtp: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._smtp = smtp
        for name, value in (("EMAIL_SENDER", self.sender), ("SMTP_HOST", smtp["host"])):
            if not value and not self.fake:
                raise NotConfigured(f"You must provide a value for SPIDERMON_{name} setting.")

    @classmethod
    def from_crawler_kwargs(cls, crawler: Crawler) -> dict[str, Any]:
        """Reads the settings. Raises ConfigurationError for a variable that is not set."""
        settings = crawler.settings
        kwargs: dict[str, Any] = super().from_crawler_kwargs(crawler)
        direct = settings.getbool("SPIDERMON_SMTP_ENFORCE_SSL")
        kwargs["smtp"] = {
            "host": settings.get("SPIDERMON_SMTP_HOST"),
            "port": settings.getint("SPIDERMON_SMTP_PORT") or (465 if direct else 25),
            "user": settings.get("SPIDERMON_SMTP_USER"),
            "password": resolved(settings.get("SPIDERMON_SMTP_PASSWORD") or "", "SPIDERMON_SMTP_PASSWORD"),
            "tls": settings.getbool("SPIDERMON_SMTP_ENFORCE_TLS"),
            "direct": direct,
        }
        return kwargs

    def send_message(self, message: Message, **kwargs: Any) -> None:
        """Sends a mail. Raises what the client raises."""
        del kwargs
        with self._client() as client:
            if self._smtp["user"]:
                client.login(self._smtp["user"], self._smtp["password"])
            client.send_message(message)

    def _client(self) -> smtplib.SMTP:
        host, port = self._smtp["host"], self._smtp["port"]
        if self._smtp["direct"]:
            return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=ssl.create_default_context())
        client = smtplib.SMTP(host, port, timeout=TIMEOUT)
        if self._smtp["tls"]:
            client.starttls(context=ssl.create_default_context())
        return client
