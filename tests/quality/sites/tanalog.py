"""棚ログ, a Japanese company's site: utility classes on divisions, no element that means anything."""

from __future__ import annotations

from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import first_paragraph, number, prose, some
from tests.quality.sites.tanalog_text import (
    CASES,
    COLUMN,
    COLUMN_DATE,
    CONTACT,
    FAQ,
    FEATURES,
    HERO,
    JOBS,
    PLANS,
    PRICING_NOTES,
    RESOURCES,
    Case,
    Job,
)

BASE: Final = "https://tanalog.example"
H1: Final = "text-3xl md:text-5xl font-bold tracking-tight text-slate-900"
MARKUP: Final = {
    "p": '<div class="mt-6 text-base leading-8 text-slate-700">{0}</div>',
    "h2": '<div class="mt-12 text-2xl font-semibold text-slate-900">{0}</div>',
    "ul": '<div class="mt-4 space-y-2">{0}</div>',
    "li": '<div class="flex gap-x-3"><svg class="h-5 w-5 flex-none" viewBox="0 0 20 20"><path d="M4 '
    '10l4 4 8-8"/></svg>'
    '<span class="text-slate-700">{0}</span></div>',
}
NAVIGATION: Final = [
    ("/pricing", "料金"),
    ("/cases", "導入事例"),
    ("/resources", "お役立ち資料"),
    ("/faq", "よくある質問"),
    ("/careers", "採用情報"),
]


def pages() -> list[AnnotatedPage]:
    """All pages of the company, the home page first."""
    return [
        _home(),
        _pricing(),
        _cases(),
        *map(_case, CASES),
        _resources(),
        _column(),
        _faq(),
        _careers(),
        *map(_job, JOBS),
        _contact(),
    ]


def _text(source: str) -> str:
    return prose(source, MARKUP, joint="")


def _home() -> AnnotatedPage:
    features = "".join(
        f"""<div class="rounded-2xl bg-white p-8 ring-1 ring-slate-200"><div class="text-lg
font-semibold">{title}</div>
<div class="mt-2 text-slate-600">{text}</div></div>"""
        for title, text in FEATURES
    )
    content = f"""
<div class="px-6 pt-24 text-center"><!--gold--><div class="{H1}">数えない棚卸しを、町の書店に。</div>
{_text(HERO)}<!--/gold--><div class="mt-10 flex justify-center gap-x-6">
<a class="rounded-md bg-indigo-600 px-4 py-2 text-white" href="/signup">無料ではじめる</a>
<a class="text-sm leading-6" href="/contact">資料を請求する <span aria-hidden="true">→</span></a></div></div>
<div class="mt-24 grid grid-cols-1 md:grid-cols-2 gap-8 px-6"><!--gold-->{features}<!--/gold--></div>
<div class="mt-24 px-6"><!--gold--><div class="text-2xl font-semibold">お使いのお店から</div>
<div class="mt-8 grid md:grid-cols-3 gap-8">{"".join(map(_case_card, CASES))}</div><!--/gold--></div>"""
    return _page("/", "collection", "棚ログ｜町の書店の在庫管理", content, call=True)


def _case_card(case: Case) -> str:
    return f"""
<div class="flex flex-col rounded-2xl ring-1 ring-slate-200 p-6"><div class="text-xs
text-slate-500">{case.customer}</div>
<a class="mt-2 font-semibold hover:underline" href="/cases/{case.slug}">{case.title}</a>
<div class="mt-3 text-sm text-slate-600">{first_paragraph(case.body, joint="")[:70]}…</div></div>"""


def _pricing() -> AnnotatedPage:
    plans = ""
    for plan in PLANS:
        points = "".join(
            f'<div class="flex gap-x-3 py-1"><span class="text-indigo-600">✓</span><span>{point}</span></div>'
            for point in plan.points
        )
        plans += f"""
<div class="rounded-3xl p-8 ring-1 ring-slate-200"><!--gold--><div class="text-lg
font-semibold">{plan.name}</div>
<div class="mt-2 text-sm text-slate-600">{plan.audience}</div><div class="mt-6 text-4xl
font-bold">{plan.price}</div> <div class="mt-6">{points}</div><!--/gold-->
<a class="mt-8 block rounded-md bg-indigo-600 py-2 text-center text-white"
href="/signup">このプランではじめる</a></div>"""
    content = f"""
<div class="px-6 pt-24 text-center"><!--gold--><div class="{H1}">料金プラン</div>
<div class="mt-6 text-lg
text-slate-600">店の大きさに合わせて、三つのプランから選べます。</div><!--/gold--></div>
<div class="mt-16 grid md:grid-cols-3 gap-8 px-6">{plans}</div>
<div class="mx-auto mt-16 max-w-3xl px-6"><!--gold-->{_text(PRICING_NOTES)}<!--/gold--></div>"""
    return _page("/pricing", "service", "料金プラン", content, call=True)


def _cases() -> AnnotatedPage:
    kinds = dict.fromkeys(value for case in CASES for name, value in case.facts if name == "業種")
    chips = "".join(
        f'<button class="rounded-full px-3 py-1 ring-1 text-xs">{kind}</button>' for kind in kinds
    )
    content = f"""
<div class="px-6 pt-24"><!--gold--><div class="{H1}">導入事例</div>
<div class="mt-4
text-slate-600">棚ログをお使いのお店に、始めた理由と、始めてから変わったことを伺いました。</div>
<!--/gold--><div class="mt-6 flex gap-2"><button class="rounded-full px-3 py-1 bg-slate-900 text-white
text-xs">すべて </button>{chips}</div></div>
<div class="mt-12 grid md:grid-cols-3 gap-8
px-6"><!--gold-->{"".join(map(_case_card, CASES))}<!--/gold--></div>"""
    return _page("/cases", "listing", "導入事例", content, call=True)


def _case(case: Case) -> AnnotatedPage:
    facts = "".join(
        f'<div class="flex gap-x-2 text-sm"><div class="text-slate-500">{name}</div><div>{value}</div></div>'
        for name, value in case.facts
    )
    others = "".join(
        f"""<a class="block rounded-xl p-4 ring-1" href="/cases/{other.slug}"><div
class="text-xs">{other.customer}</div>
<div class="mt-1 text-sm font-semibold">{other.title}</div></a>"""
        for other in CASES
        if other is not case
    )
    content = f"""
<div class="mx-auto max-w-3xl px-6 pt-24">
<div class="text-sm text-slate-500"><a href="/">ホーム</a> / <a href="/cases">導入事例</a> /
{case.customer}</div>
<!--gold--><div class="mt-4 text-sm text-indigo-600">{case.customer}</div><div class="{H1}">{case.title}</div>
<div class="mt-4 text-sm text-slate-500">{case.date}</div><div class="mt-6 flex gap-x-8">{facts}</div>
{_text(case.body)}<!--/gold-->
<div class="mt-12 flex items-center gap-x-4
text-sm"><span>この記事を共有する</span><button>リンクをコピー</button>
<button>メールで送る</button></div>
<div class="mt-12"><div class="font-semibold">ほかの導入事例</div><div class="mt-4 grid md:grid-cols-2
gap-4">{others}</div>
</div></div>"""
    return _page(f"/cases/{case.slug}", "article", f"{case.customer}｜導入事例", content, call=True)


def _resources() -> AnnotatedPage:
    cards = "".join(
        f"""
<div class="rounded-2xl p-6 ring-1 ring-slate-200"><!--gold--><div class="text-xs
font-medium">{resource.kind}</div>
<div class="mt-2 font-semibold">{resource.title}</div><div class="mt-2 text-sm">{resource.text}</div>
<div class="mt-4 text-xs text-slate-500">{resource.length}</div><!--/gold-->
<a class="mt-4 inline-block text-sm text-indigo-600" href="/resources#{position}">ダウンロード</a></div>"""
        for position, resource in enumerate(RESOURCES, 1)
    )
    content = f"""
<div class="px-6 pt-24"><!--gold--><div class="{H1}">お役立ち資料</div>
<div class="mt-4
text-slate-600">登録なしでご覧いただけます。印刷して店の人に配っていただいても構いません。</div>
<!--/gold--></div><div class="mt-12 grid md:grid-cols-3 gap-8 px-6">{cards}</div>
<div class="mt-12 px-6 text-sm">新しい読み物：<a class="underline"
href="/resources/zure">在庫のずれは、どこから来るのか
</a></div>"""
    return _page("/resources", "collection", "お役立ち資料", content, call=True)


def _column() -> AnnotatedPage:
    title = "在庫のずれは、どこから来るのか"
    content = f"""
<div class="mx-auto max-w-3xl px-6 pt-24">
<div class="text-sm text-slate-500"><a href="/">ホーム</a> / <a href="/resources">お役立ち資料</a> /
読み物</div> <!--gold--><div class="{H1}">{title}</div><div class="mt-4 text-sm
text-slate-500">{COLUMN_DATE}　棚ログ編集室</div>
{_text(COLUMN)}<!--/gold-->
<div class="mt-12 flex items-center gap-x-4
text-sm"><span>この記事を共有する</span><button>リンクをコピー</button>
<button>メールで送る</button></div></div>"""
    return _page("/resources/zure", "article", title, content, call=True)


def _faq() -> AnnotatedPage:
    questions = "".join(
        f"""
<div class="py-6 border-b"><div class="font-semibold">{question}</div><div class="mt-2
text-slate-600">{answer}</div>
</div>"""
        for question, answer in FAQ
    )
    content = f"""
<div class="mx-auto max-w-3xl px-6 pt-24"><!--gold--><div class="{H1}">よくある質問</div>
<div class="mt-10">{questions}</div><!--/gold-->
<div class="mt-10 rounded-xl bg-slate-50 p-6 text-sm">お探しの答えが見つからないときは、
<a class="underline" href="/contact">お問い合わせ</a>ください。</div></div>"""
    return _page("/faq", "service", "よくある質問", content, call=True)


def _careers() -> AnnotatedPage:
    rows = "".join(
        f"""
<div class="flex justify-between py-6 border-b"><div><!--gold--><a class="font-semibold"
href="/careers/{job.slug}">
{job.title}</a><div class="mt-1 text-sm">{job.summary}</div><div class="mt-1 text-xs"><span>{job.place}</span>
<span>{job.kind}</span></div><!--/gold--></div><a class="text-sm"
href="/careers/{job.slug}">詳しく見る</a></div>"""
        for job in JOBS
    )
    content = f"""
<div class="mx-auto max-w-3xl px-6 pt-24"><!--gold--><div class="{H1}">採用情報</div>
<div class="mt-4
text-slate-600">松江の古い印刷所の二階で、十四人が働いています。いま募集しているのは次の仕事です。</div>
<!--/gold--><div class="mt-10">{rows}</div></div>"""
    return _page("/careers", "listing", "採用情報", content, call=False)


def _job(job: Job) -> AnnotatedPage:
    others = "".join(
        f'<a class="block py-1 text-sm" href="/careers/{other.slug}">{other.title}</a>'
        for other in some([other for other in JOBS if other is not job], 2, job.slug)
    )
    content = f"""
<div class="mx-auto max-w-3xl px-6 pt-24">
<div class="text-sm text-slate-500"><a href="/">ホーム</a> / <a href="/careers">採用情報</a> /
{job.title}</div>
<!--gold--><div class="{H1}">{job.title}</div><div class="mt-4 flex gap-x-4
text-sm"><span>勤務地：{job.place}</span>
<span>雇用形態：{job.kind}</span></div>{_text(job.body)}<!--/gold-->
<a class="mt-10 inline-block rounded-md bg-indigo-600 px-6 py-3 text-white"
href="/careers/{job.slug}#apply">応募する</a>
<div class="mt-12"><div class="font-semibold text-sm">ほかの募集</div>{others}</div></div>"""
    return _page(f"/careers/{job.slug}", "service", f"{job.title}｜採用情報", content, call=False)


def _contact() -> AnnotatedPage:
    fields = "".join(
        f'<div class="mt-4"><span class="text-sm">{label}</span><input class="w-full rounded-md '
        f'ring-1"></div>'
        for label in ("お名前", "お店の名前", "メールアドレス", "お問い合わせの内容")
    )
    content = f"""
<div class="mx-auto max-w-xl px-6 pt-24"><!--gold--><div
class="{H1}">お問い合わせ</div>{_text(CONTACT)}<!--/gold-->
<div class="mt-10">{fields}<div class="mt-4 text-xs
text-slate-500">送信により、個人情報の取り扱いに同意したものとみなします。
</div><button class="mt-6 rounded-md bg-indigo-600 px-6 py-2 text-white">送信する</button></div></div>"""
    return _page("/contact", "service", "お問い合わせ", content, call=False)


def _page(path: str, group: str, title: str, content: str, *, call: bool) -> AnnotatedPage:
    links = "".join(
        f'<a class="text-sm font-medium '
        f'{"text-indigo-600" if path.startswith(target) else "text-slate-700"}" '
        f'href="{target}">{label}</a>'
        for target, label in NAVIGATION
    )
    marked = f"""<!DOCTYPE html><html lang="ja"><head><meta charSet="utf-8"/>
<meta name="viewport" content="width=device-width"/><title>{title}{"" if path == "/" else "｜棚ログ"}</title>
<link rel="preload" href="/_next/static/css/{number("css"):08x}.css" as="style"/>
<link rel="stylesheet" href="/_next/static/css/{number("css"):08x}.css"/>
<script defer="" src="/_next/static/chunks/main-{number("main"):08x}.js"></script></head>
<body class="antialiased bg-white"><div id="__next"><div class="min-h-screen flex flex-col">
<div class="bg-indigo-600 px-6 py-2 text-center text-sm text-white">7月の書店商談会に出展します。
<a class="underline" href="/contact">見学のご予約はこちら</a></div>
<div class="sticky top-0 z-50 flex items-center justify-between bg-white/80 px-6 py-4 backdrop-blur">
<a class="text-xl font-black" href="/">棚ログ</a><div class="hidden md:flex gap-x-8">{links}</div>
<div class="flex gap-x-4"><a class="text-sm" href="/login">ログイン</a>
<a class="rounded-md bg-slate-900 px-3 py-1 text-sm text-white" href="/signup">無料ではじめる</a></div></div>
<div class="flex-1">{content}</div>
{_call_to_action(path) if call else ""}
{_footer()}
</div></div>
<div class="fixed bottom-4 right-4 max-w-sm rounded-lg bg-white p-4 shadow-lg
text-xs">当サイトでは、表示の改善のために
クッキーを使用しています。設定はいつでも変更できます。<div class="mt-2 flex gap-x-2"><button>同意する</button>
<button>必要なものだけ</button></div></div>
<script id="__NEXT_DATA__"
type="application/json">{{"page":"{path}","buildId":"{number("build"):08x}"}}</script>
</body></html>
"""
    return annotate(BASE + path, marked, group)


def _call_to_action(path: str) -> str:
    voice = CASES[number(path) % len(CASES)]
    return f"""
<div class="mt-24 bg-slate-900 px-6 py-16 text-center text-white"><div class="text-2xl
font-bold">最初の500冊は、無料です。
</div><div class="mt-4
text-slate-300">クレジットカードの登録はいりません。合わなければ、そのまま閉じてください。</div>
<a class="mt-8 inline-block rounded-md bg-white px-6 py-3 text-slate-900" href="/signup">無料ではじめる</a>
<div class="mt-8 text-sm text-slate-400">「{voice.title}」<a class="underline"
href="/cases/{voice.slug}">{voice.customer}様
の事例を読む</a></div></div>"""


def _footer() -> str:
    columns = [
        ("サービス", [("/pricing", "料金"), ("/cases", "導入事例"), ("/faq", "よくある質問")]),
        ("会社", [("/careers", "採用情報"), ("/contact", "お問い合わせ"), ("/news", "お知らせ")]),
        (
            "規約など",
            [
                ("/terms", "利用規約"),
                ("/privacy", "プライバシーポリシー"),
                ("/law", "特定商取引法に基づく表記"),
            ],
        ),
    ]
    blocks = "".join(
        f'<div><div class="text-sm font-semibold">{heading}</div>'
        + "".join(
            f'<a class="mt-3 block text-sm text-slate-500" href="{path}">{label}</a>' for path, label in links
        )
        + "</div>"
        for heading, links in columns
    )
    return f"""
<div class="border-t px-6 py-12 grid grid-cols-2 md:grid-cols-4 gap-8"><div><div
class="font-black">棚ログ</div> <div class="mt-2 text-sm
text-slate-500">棚ログ株式会社<br/>島根県松江市（架空の住所）1-2-3</div></div>{blocks}
<div class="col-span-full text-xs text-slate-400">© 2026 Tanalog Inc. 無断転載を禁じます。</div></div>"""
