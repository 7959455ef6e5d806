"""Foro Colmena Abierta, a Spanish forum of beekeepers in the markup of phpBB: panels, signatures, quotes."""

from __future__ import annotations

from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import number, prose, some
from tests.quality.sites.colmena_text import (
    FORUMS,
    MEMBERS,
    POSTS_PER_PAGE,
    RULES,
    TOPICS,
    Post,
    Topic,
)

BASE: Final = "https://foro.colmenaabierta.example"
EMPTY_FORUM: Final = (11, "Rincón de los viejos", "Hilos cerrados de antes de 2010.")
MARKUP: Final = {
    # The board knows no paragraphs: an empty line is two line breaks.
    "p": "{0}<br /><br />",
    "quote": "<blockquote><div>{0}</div></blockquote>",
    "em": '<span style="font-style: italic">{0}</span>',
    "strong": '<span style="font-weight: bold">{0}</span>',
    "ol": '<ol style="list-style-type: decimal">{0}</ol>',
}


def pages() -> list[AnnotatedPage]:
    """All pages of the forum, the index first."""
    return [
        _index(),
        *(_forum(forum) for forum in [*FORUMS, EMPTY_FORUM[0]]),
        *(_topic(topic, start) for topic in TOPICS for start in range(0, len(topic.posts), POSTS_PER_PAGE)),
        _rules(),
    ]


def _forum_path(forum: int) -> str:
    return f"/viewforum.php?f={forum}"


def _topic_path(topic: Topic, start: int = 0) -> str:
    path = f"/viewtopic.php?f={topic.forum}&t={topic.number}"
    return f"{path}&start={start}" if start else path


def _href(path: str) -> str:
    return "." + path.replace("&", "&amp;")


def _profile(author: str) -> str:
    return f"./memberlist.php?mode=viewprofile&amp;u={number(author) % 3000}"


def _index() -> AnnotatedPage:
    rows = []
    for forum, name, about in [*((key, *value) for key, value in FORUMS.items()), EMPTY_FORUM]:
        topics = [topic for topic in TOPICS if topic.forum == forum]
        posts = sum(len(topic.posts) for topic in topics)
        newest = max(topics, key=lambda topic: topic.number, default=None)
        last = "Sin mensajes"
        if newest:
            post = newest.posts[-1]
            last = (
                f'por <a href="{_profile(post.author)}" class="username">{post.author}</a><br />{post.date}'
            )
        rows.append(f"""
<li class="row"><dl class="row-item forum_read"><dt title="No hay mensajes sin leer"><div class="list-inner">
<a href="{_href(_forum_path(forum))}" class="forumtitle">{name}</a><br />{about}</div></dt>
<dd class="topics">{len(topics)} <dfn>Temas</dfn></dd><dd class="posts">{posts} <dfn>Mensajes</dfn></dd>
<dd class="lastpost"><span>{last}</span></dd></dl></li>""")
    content = f"""
<div class="forabg"><div class="inner"><!--gold--><ul class="topiclist"><li class="header"><dl
class="row-item">
<dt><div class="list-inner">Foros</div></dt><dd class="topics">Temas</dd><dd class="posts">Mensajes</dd>
<dd class="lastpost"><span>Último mensaje</span></dd></dl></li></ul>
<ul class="topiclist forums">{"".join(rows)}</ul><!--/gold--></div></div>
{_login_box()}
<div class="stat-block online-list"><h3>¿Quién está conectado?</h3><p>En total hay 23 usuarios conectados: 3
registrados, 0 ocultos y 20 invitados (basados en usuarios activos en los últimos 5 minutos)</p></div>
<div class="stat-block statistics"><h3>Estadísticas</h3><p>Mensajes totales <strong>48212</strong> &bull;
Temas totales
<strong>5170</strong> &bull; Usuarios totales <strong>2961</strong> &bull; Nuestro usuario más reciente es
<strong><a href="{_profile("nuria.brezo")}" class="username">nuria.brezo</a></strong></p></div>"""
    return _page("/index.php", "listing", "Índice general", content, crumbs=[])


def _forum(forum: int) -> AnnotatedPage:
    name, about = FORUMS.get(forum, EMPTY_FORUM[1:])
    topics = [topic for topic in TOPICS if topic.forum == forum]
    listed = f"""
<div class="forumbg"><div class="inner"><!--gold--><ul class="topiclist"><li class="header"><dl
class="row-item">
<dt><div class="list-inner">Temas</div></dt><dd class="posts">Respuestas</dd><dd class="views">Vistas</dd>
<dd class="lastpost"><span>Último mensaje</span></dd></dl></li></ul>
<ul class="topiclist
topics">{"".join(map(_row, sorted(topics, key=lambda topic: -topic.number)))}</ul><!--/gold-->
</div></div>"""
    if not topics:
        listed = """
<div class="panel"><div class="inner"><!--gold--><strong>No hay temas o mensajes en este
foro.</strong><!--/gold-->
</div></div>"""
    count = f"{len(topics)} temas &bull; Página <strong>1</strong> de <strong>1</strong>"
    content = f"""
<!--gold--><h2 class="forum-title"><a href="{_href(_forum_path(forum))}">{name}</a></h2>
<div><div class="forum-description">{about}</div></div><!--/gold-->
<div class="action-bar bar-top"><a href="./posting.php?mode=post&amp;f={forum}" class="button"
title="Publicar">
<span>Nuevo Tema</span></a><div class="search-box"><form><input type="search" placeholder="Buscar este foro…">
<button>Buscar</button></form></div><div class="pagination">{count}</div></div>
{listed}
<div class="action-bar bar-bottom"><form><fieldset><label>Mostrar: <select><option>Todos los temas</option>
<option>1 día</option><option>7 días</option><option>1 mes</option></select></label></fieldset></form>
<div class="pagination">{count}</div></div>
{_jump_box()}
<div class="stat-block permissions"><h3>Permisos del foro</h3><p><strong>No puede</strong> abrir nuevos
temas en este
foro<br /><strong>No puede</strong> responder a temas en este foro<br /><strong>No puede</strong> editar
sus mensajes
en este foro<br /><strong>No puede</strong> enviar adjuntos en este foro</p></div>"""
    return _page(_forum_path(forum), "listing", f"Ver Foro - {name}", content, crumbs=[])


def _row(topic: Topic) -> str:
    first, last = topic.posts[0], topic.posts[-1]
    return f"""
<li class="row bg{1 + topic.number % 2}"><dl class="row-item topic_read"><dt><div class="list-inner">
<a href="{_href(_topic_path(topic))}" class="topictitle">{topic.title}</a><br />
<div class="topic-poster">por <a href="{_profile(first.author)}" class="username">{first.author}</a> &raquo;
{first.date}</div></div></dt><dd class="posts">{len(topic.posts) - 1} <dfn>Respuestas</dfn></dd>
<dd class="views">{topic.views} <dfn>Vistas</dfn></dd><dd class="lastpost"><span>
<dfn>Último mensaje </dfn>por <a href="{_profile(last.author)}" class="username">{last.author}</a><br
/>{last.date}
</span></dd></dl></li>"""


def _topic(topic: Topic, start: int) -> AnnotatedPage:
    name = FORUMS[topic.forum][0]
    numbered = list(enumerate(topic.posts))[start : start + POSTS_PER_PAGE]
    content = f"""
<!--gold--><h2 class="topic-title"><a
href="{_href(_topic_path(topic, start))}">{topic.title}</a></h2><!--/gold-->
{_topic_bar(topic, start)}
{"".join(_post(topic, position, post) for position, post in numbered)}
{_topic_bar(topic, start)}
{_quick_reply(topic)}
{_similar(topic)}
{_jump_box()}
<div class="stat-block online-list"><h3>¿Quién está conectado?</h3><p>Usuarios navegando por este Foro: No hay
usuarios registrados visitando el Foro y {1 + topic.number % 7} invitados</p></div>"""
    return _page(
        _topic_path(topic, start),
        "forum",
        f"{topic.title} - {name}",
        content,
        crumbs=[(_forum_path(topic.forum), name)],
    )


def _topic_bar(topic: Topic, start: int) -> str:
    starts = range(0, len(topic.posts), POSTS_PER_PAGE)
    current = start // POSTS_PER_PAGE + 1
    numbers = "".join(
        f'<li class="active"><span>{page}</span></li>'
        if page == current
        else f'<li><a class="button" href="{_href(_topic_path(topic, offset))}">{page}</a></li>'
        for page, offset in enumerate(starts, 1)
    )
    return f"""
<div class="action-bar"><a href="./posting.php?mode=reply&amp;t={topic.number}" class="button"
title="Publicar una respuesta"><span>Responder</span></a>
<div class="dropdown-container topic-tools"><span class="button">Herramientas de Tema</span><ul
class="dropdown"> <li><a href="./viewtopic.php?t={topic.number}&amp;view=print" rel="nofollow">Imprimir
vista</a></li></ul></div>
<div class="pagination">{len(topic.posts)} mensajes &bull; Página <strong>{current}</strong> de
<strong>{len(starts)}</strong> <ul>{numbers}</ul></div></div>"""


def _post(topic: Topic, position: int, post: Post) -> str:
    member = MEMBERS[post.author]
    post_id = 21000 + topic.number * 10 + position
    title = topic.title if position == 0 else f"Re: {topic.title}"
    place = (
        f'<dd class="profile-location"><strong>Ubicación:</strong> {member.place}</dd>'
        if member.place
        else ""
    )
    signature = (
        f'<div id="sig{post_id}" class="signature">{member.signature}</div>' if member.signature else ""
    )
    return f"""
<div id="p{post_id}" class="post has-profile bg{2 - position % 2}"><div class="inner">
<dl class="postprofile"><dt class="has-profile-rank"><div class="avatar-container"><img class="avatar"
src="./download/file.php?avatar={number(post.author) % 900}.jpg" width="80" alt="Avatar de Usuario" /></div>
<a href="{_profile(post.author)}" class="username">{post.author}</a></dt>
<dd class="profile-rank">{member.rank}</dd>
<dd class="profile-posts"><strong>Mensajes:</strong> <a
href="./search.php?author={number(post.author) % 3000}">
{member.posts}</a></dd>
<dd class="profile-joined"><strong>Registrado:</strong> {member.joined}</dd>{place}</dl>
<div class="postbody"><div id="post_content{post_id}"><!--gold-->
<h3><a href="#p{post_id}">{title}</a></h3><!--/gold-->
<ul class="post-buttons"><li><a href="./posting.php?mode=quote&amp;p={post_id}" title="Responder citando"
class="button button-icon-only"><span>Citar</span></a></li></ul><!--gold-->
<p class="author"><a class="unread" href="#p{post_id}" title="Mensaje"></a><span
class="responsive-hide">por <strong>
<a href="{_profile(post.author)}" class="username">{post.author}</a></strong> &raquo; </span>{post.date}</p>
<div class="content">{prose(post.text, MARKUP)}</div><!--/gold-->
{signature}</div></div>
<div class="back2top"><a href="#top" class="top" title="Arriba">Arriba</a></div></div></div>
<hr class="divider" />"""


def _quick_reply(topic: Topic) -> str:
    return f"""
<form method="post" action="./posting.php?mode=reply&amp;t={topic.number}" id="qr_postform"><div
class="panel"> <h2 class="quickreply-title">Respuesta Rápida</h2><fieldset><label>Asunto: <input type="text"
name="subject"></label>
<textarea name="message" rows="7"></textarea><input type="submit" value="Editor completo y Vista previa">
<input type="submit" value="Enviar"></fieldset><p>Debe identificarse para publicar
respuestas.</p></div></form>"""


def _similar(topic: Topic) -> str:
    others = [other for other in TOPICS if other is not topic]
    items = "".join(
        f'<li class="row"><a href="{_href(_topic_path(other))}">{other.title}</a> por '
        f"{other.posts[0].author} "
        f"&raquo; {other.posts[0].date} <em>{len(other.posts) - 1} respuestas</em></li>"
        for other in some(others, 3, topic.title)
    )
    return f'<div class="forumbg similar"><h3>Temas similares</h3><ul class="topiclist">{items}</ul></div>'


def _jump_box() -> str:
    items = "".join(
        f'<li><a href="{_href(_forum_path(forum))}">&#8627; {name}</a></li>'
        for forum, (name, _) in FORUMS.items()
    )
    return f"""
<div class="action-bar actions-jump"><p class="jumpbox-return"><a href="./index.php">Volver al Índice
general</a></p> <div class="jumpbox dropdown-container"><span class="button">Ir a</span><ul
class="dropdown">{items}</ul></div></div>"""


def _login_box() -> str:
    return """
<form method="post" action="./ucp.php?mode=login" class="headerspace"><h3><a
href="./ucp.php?mode=login">Identificarse
</a> &bull; <a href="./ucp.php?mode=register">Registrarse</a></h3><fieldset class="quick-login">
<label for="username"><span>Nombre de Usuario:</span> <input type="text" id="username"></label>
<label for="password"><span>Contraseña:</span> <input type="password" id="password"></label>
<a href="./ucp.php?mode=sendpassword">Olvidé mi contraseña</a> <label>Recordar <input type="checkbox"></label>
<input type="submit" value="Identificarse"></fieldset></form>"""


def _rules() -> AnnotatedPage:
    content = f"""
<div class="panel"><div class="inner"><div class="content"><!--gold--><h2>Normas del foro</h2>
{prose(RULES, {"p": "{0}<br /><br />", "h2": "<h3>{0}</h3>"})}<!--/gold--></div></div></div>
{_jump_box()}"""
    return _page("/app.php/normas", "service", "Normas del foro", content, crumbs=[])


def _page(path: str, group: str, title: str, content: str, *, crumbs: list[tuple[str, str]]) -> AnnotatedPage:
    trail = "".join(
        f'<span class="crumb"><a href="{_href(target)}"><span itemprop="name">{name}</span></a></span>'
        for target, name in crumbs
    )
    marked = f"""<!DOCTYPE html>
<html dir="ltr" lang="es">
<head>
<meta charset="utf-8" />
<title>{title} - Colmena Abierta</title>
<base href="{BASE}/" />
<link href="./styles/prosilver/theme/stylesheet.css?assets_version=41" rel="stylesheet" />
</head>
<body id="phpbb" class="nojs notouch section-{path.partition(".")[0].strip("/")} ltr">
<div id="wrap" class="wrap"><a id="top" class="top-anchor" accesskey="t"></a>
<div id="page-header"><div class="headerbar" role="banner"><div class="inner"><div id="site-description">
<a id="logo" class="logo" href="./index.php" title="Índice general"><span class="site_logo"></span></a>
<h1>Colmena Abierta</h1><p>El foro de quienes abren la caja</p><p class="skiplink"><a
href="#start_here">Obviar</a></p>
</div><div id="search-box" class="search-box"><form action="./search.php" method="get"><input type="search"
placeholder="Buscar…"><button type="submit">Buscar</button> <a href="./search.php" title="Búsqueda
avanzada">Búsqueda avanzada</a></form></div></div></div>
<div class="navbar" role="navigation"><div class="inner"><ul id="nav-main" class="nav-main linklist">
<li><a href="./search.php?search_id=unanswered">Temas sin respuesta</a></li>
<li><a href="./search.php?search_id=active_topics">Temas activos</a></li>
<li><a href="./app.php/help/faq" rel="help">FAQ</a></li><li><a href="./app.php/normas">Normas</a></li>
<li class="rightside"><a href="./ucp.php?mode=login">Identificarse</a></li>
<li class="rightside"><a href="./ucp.php?mode=register">Registrarse</a></li></ul>
<ul id="nav-breadcrumbs" class="nav-breadcrumbs linklist"><li class="breadcrumbs"><span class="crumb">
<a href="./index.php" accesskey="h"><span itemprop="name">Índice
general</span></a></span>{trail}</li></ul></div></div>
<div class="rules-hint">La floración va adelantada este año. Revisad las alzas antes de Semana
Santa.</div></div> <a id="start_here" class="anchor"></a>
<div id="page-body" class="page-body" role="main">{content}
</div>
<div id="page-footer" class="page-footer" role="contentinfo"><div class="navbar"><ul class="nav-footer
linklist"> <li><a href="./index.php">Índice general</a></li><li class="rightside">Todos los horarios son
<span>UTC+02:00</span></li>
<li class="rightside"><a href="./ucp.php?mode=delete_cookies">Borrar cookies</a></li>
<li class="rightside"><a href="./memberlist.php?mode=contactadmin">Contáctenos</a></li></ul></div>
<div class="copyright"><p class="footer-row">Desarrollado por software de foros &copy; Colmena Abierta</p>
<p class="footer-row"><a href="./ucp.php?mode=privacy">Privacidad</a> | <a
href="./ucp.php?mode=terms">Condiciones</a></p>
<p class="debug">Tiempo: 0.{number(path) % 90 + 10}s | Consultas: {number(path) % 20 + 9} | GZIP:
Off</p></div></div></div> <script src="./assets/javascript/core.js?assets_version=41"></script>
</body>
</html>
"""
    return annotate(BASE + path, marked, group)
