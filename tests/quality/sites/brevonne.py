"""Brévonne-les-Étangs, a French town: divisions in divisions, with class names that say nothing."""

from __future__ import annotations

from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import first_paragraph, number, prose, some
from tests.quality.sites.brevonne_text import (
    ASSOCIATIONS,
    CONTACT,
    DISCLAIMER,
    EVENTS,
    NEWS,
    SERVICES,
    WELCOME,
    News,
    Service,
)

BASE: Final = "https://www.brevonne-les-etangs.example"
MARKUP: Final = {
    "p": '<div class="r1 m0">{0}</div>',
    "h2": '<div class="t2 b7">{0}</div>',
    # The editor of this system leaves out the end tags that HTML lets go.
    "li": "<li>{0}",
    "tr": "<tr>{0}",
    "th": "<th>{0}",
    "td": "<td>{0}",
    "ul": '<ul class="u3">{0}</ul>',
    "ol": '<ol class="u4">{0}</ol>',
    "table": '<div class="ov"><table class="q9" border="0" cellspacing="0">{0}</table></div>',
}
MENU: Final = {
    "Ma commune": [("/associations", "Associations"), ("/contact", "Contacter la mairie")],
    "Mes démarches": [(f"/demarches/{service.slug}", service.title) for service in SERVICES],
    "Actualités": [("/actualites", "Toutes les actualités"), ("/agenda", "Agenda")],
}


def pages() -> list[AnnotatedPage]:
    """All pages of the town, the home page first."""
    return [
        _home(),
        *map(_service, SERVICES),
        _news_list(),
        *map(_news, NEWS),
        _agenda(),
        _associations(),
        _contact(),
    ]


def _home() -> AnnotatedPage:
    shortcuts = "".join(
        f'<div class="c4"><a href="/demarches/{service.slug}"><div class="ic '
        f'i{position}"></div>{service.title}</a></div>'
        for position, service in enumerate(SERVICES)
    )
    content = f"""
<div class="hz"><!--gold--><h1 class="t1">Bienvenue à Brévonne</h1>
{prose(WELCOME, MARKUP)}<!--/gold--></div>
<div class="w8"><div class="t3">Accès rapides</div><div class="g4">{shortcuts}</div></div>
<div class="w8"><!--gold--><div class="t2 b7">À la une</div>{"".join(map(_teaser, NEWS[:3]))}<!--/gold-->
<div class="bt"><a href="/actualites">Toutes les actualités</a></div></div>"""
    return _page("/", "collection", "Accueil", content)


def _service(service: Service) -> AnnotatedPage:
    card = "".join(
        f'<div class="l2"><div class="l2a">{name}</div><div class="l2b">{value}</div></div>'
        for name, value in service.card
    )
    content = f"""
<div class="x2"><!--gold--><h1 class="t1">{service.title}</h1>
<div class="d5">Mis à jour le {service.updated}</div><!--/gold--></div>
{_tools()}
<div class="x3"><!--gold--><div class="bx">{card}</div>
{prose(service.body, MARKUP)}
<div class="r1 it">{DISCLAIMER}</div><!--/gold--></div>
{_see_also(service.slug)}
{_useful()}"""
    return _page(f"/demarches/{service.slug}", "service", service.title, content, trail="Mes démarches")


def _teaser(news: News) -> str:
    sentence = first_paragraph(news.body)
    if len(sentence) > 150:
        sentence = sentence[:150].rsplit(" ", 1)[0] + "…"
    return f"""
<div class="n6"><div class="n6a"><a href="/actualites/{news.slug}"><img src="/medias/{news.slug}-320.jpg"
alt=""></a></div> <div class="n6b"><div class="d5">{news.rubric} – {news.date}</div>
<div class="t4"><a href="/actualites/{news.slug}">{news.title}</a></div><div
class="r2">{sentence}</div></div></div>"""


def _news_list() -> AnnotatedPage:
    filters = "".join(
        f'<span class="fl"><a href="/actualites?rubrique={number(rubric) % 40}">{rubric}</a></span> '
        for rubric in dict.fromkeys(news.rubric for news in NEWS)
    )
    content = f"""
<div class="x2"><!--gold--><h1 class="t1">Actualités</h1><!--/gold--></div>
<div class="f0">Filtrer : <span class="fl on">Tout</span> {filters}</div>
<div class="x3"><!--gold-->{"".join(map(_teaser, NEWS))}<!--/gold--></div>
<div class="pg"><span class="on">1</span> <a href="/actualites?page=2">2</a> <a
href="/actualites?page=3">3</a>
<a href="/actualites?page=2">Page suivante</a> <a href="/actualites?page=31">Dernière page</a></div>"""
    return _page("/actualites", "listing", "Actualités", content, trail="Actualités")


def _news(news: News) -> AnnotatedPage:
    others = "".join(
        f'<div class="o2"><a href="/actualites/{other.slug}">{other.title}</a> '
        f"<span>{other.date}</span></div>"
        for other in some([other for other in NEWS if other is not news], 2, news.slug)
    )
    content = f"""
<div class="x2"><!--gold--><div class="d5">{news.date}</div><h1 class="t1">{news.title}</h1><!--/gold--></div>
{_tools()}
<div class="x3"><div class="im"><img src="/medias/{news.slug}-960.jpg" alt=""></div>
<!--gold-->{prose(news.body, MARKUP)}<!--/gold--></div>
<div class="s7">Partager : <a href="#" class="s7a">Facebook</a> <a href="#" class="s7a">Messagerie</a>
<a href="#" class="s7a">Copier le lien</a></div>
<div class="o1"><div class="t3">À lire aussi</div>{others}<div class="bt"><a href="/actualites">Retour à
la liste</a></div>
</div>"""
    return _page(f"/actualites/{news.slug}", "article", news.title, content, trail="Actualités")


def _agenda() -> AnnotatedPage:
    events = "".join(
        f"""
<div class="e3"><div class="e3a">{event.day}</div><div class="e3b"><div class="t4">{event.title}</div>
<div class="e3c">Lieu : {event.place}</div><div class="r2">{event.text}</div></div></div>"""
        for event in EVENTS
    )
    content = f"""
<div class="x2"><!--gold--><h1 class="t1">Agenda</h1>
<div class="r1 m0">Ce qui se passe à Brévonne dans les semaines à venir. Pour annoncer une manifestation,
écrivez à l’accueil trois semaines avant la date.</div><!--/gold--></div>
<div class="f0"><a href="/agenda?mois=3">mars</a> <a href="/agenda?mois=4">avril</a> <a
href="/agenda?mois=5">mai</a> <a href="/agenda.ics">Ajouter à mon calendrier</a></div>
<div class="x3"><!--gold-->{events}<!--/gold--></div>"""
    return _page("/agenda", "listing", "Agenda", content, trail="Actualités")


def _associations() -> AnnotatedPage:
    records = "".join(
        f"""
<div class="a8"><div class="t4">{association.name}</div><div class="k2">Domaine : {association.field}</div>
<div class="r2">{association.text}</div><div class="k3">Contact : {association.contact}</div></div>"""
        for association in ASSOCIATIONS
    )
    content = f"""
<div class="x2"><!--gold--><h1 class="t1">Annuaire des associations</h1>
<div class="r1 m0">Brévonne compte plus de quarante associations. Voici celles qui ont demandé à figurer
ici.</div> <!--/gold--></div> <div class="x3"><!--gold-->{records}<!--/gold--></div>
{_useful()}"""
    return _page("/associations", "collection", "Annuaire des associations", content, trail="Ma commune")


def _contact() -> AnnotatedPage:
    content = f"""
<div class="x2"><!--gold--><h1 class="t1">Contacter la mairie</h1>{prose(CONTACT, MARKUP)}<!--/gold--></div>
<form class="fm" action="/contact" method="post"><div class="f1"><label>Nom *</label><input name="n"></div>
<div class="f1"><label>Courriel *</label><input name="c"></div><div class="f1"><label>Objet</label><select
name="o"> <option>Question générale</option><option>Signaler un problème</option><option>État
civil</option></select></div> <div class="f1"><label>Message *</label><textarea name="m"></textarea></div>
<div class="f2">Les champs marqués d’une étoile sont obligatoires. Vos données ne servent qu’à vous
répondre.</div>
<input type="submit" value="Envoyer"></form>"""
    return _page("/contact", "service", "Contacter la mairie", content, trail="Ma commune")


def _tools() -> str:
    return (
        '<div class="tl"><a href="#" class="tla">Imprimer</a> <a href="#" class="tla">Écouter la page</a> '
        '<a href="#" class="tla">Enregistrer en PDF</a></div>'
    )


def _see_also(current: str) -> str:
    others = [service for service in SERVICES if service.slug != current]
    links = "".join(
        f'<li><a href="/demarches/{service.slug}">{service.title}</a></li>'
        for service in some(others, 2 + number(current) % 2, current)
    )
    return f'<div class="va"><div class="t3">Voir aussi</div><ul>{links}</ul></div>'


def _useful() -> str:
    return """
<div class="ut"><div class="ut1">Cette page vous a-t-elle été utile ?</div><span class="ut2"><a
href="#">Oui</a></span>
<span class="ut2"><a href="#">Non</a></span> <span class="ut2"><a href="/contact">Signaler une
erreur</a></span></div>"""


def _page(path: str, group: str, title: str, content: str, trail: str = "") -> AnnotatedPage:
    menu = "".join(
        f'<div class="mn{" on" if name == trail else ""}"><span class="mna">{name}</span><div class="mnb">'
        + "".join(f'<div class="mnc"><a href="{target}">{label}</a></div>' for target, label in links)
        + "</div></div>"
        for name, links in MENU.items()
    )
    crumbs = (
        f'<div class="fa">Vous êtes ici : <a href="/">Accueil</a> &gt; <span>{trail}</span> &gt; '
        f"<span>{title}</span></div>"
        if trail
        else ""
    )
    marked = f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr" lang="fr">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{title} - Brévonne-les-Étangs</title>
<link href="/assets/s.css?{number(path) % 97}" rel="stylesheet" type="text/css" />
<script type="text/javascript">var _p={{"u":"{path}","z":0}};</script>
</head>
<body class="z0">
<div id="k0">
<div class="ac"><a href="#k5">Aller au contenu</a> <a href="#k2">Aller au menu</a> <a
href="/accessibilite">Accessibilité :
partiellement conforme</a> <a href="#" class="az">A+</a> <a href="#" class="az">A-</a> <a href="#"
class="az">Contraste renforcé</a></div>
<div class="al">Vigilance orange vent violent jusqu’à mercredi 6 h. Le parc de la filature est fermé.</div>
<div id="k1"><div class="lg"><a href="/"><img src="/assets/blason.png" alt="Blason de Brévonne-les-Étangs"
/></a> <div class="lgt">Brévonne-les-Étangs</div><div class="lgs">Entre bois et eaux</div></div>
<div class="rc"><form action="/recherche"><input name="q" title="Rechercher" /><input type="submit"
value="OK" /></form> </div></div>
<div id="k2">{menu}</div>
{crumbs}
<div id="k4"><div id="k5">{content}
</div>
<div id="k6">{_side(path)}</div></div>
{_foot()}
</div>
<div class="ck" id="ck"><div class="ck1">Ce site mesure sa fréquentation sans vous suivre ailleurs. Vous
pouvez refuser, rien
ne changera pour vous.</div><div class="ck2"><a href="#">Accepter</a> <a href="#">Refuser</a> <a
href="#">Personnaliser </a></div></div>
</body>
</html>
"""
    return annotate(BASE + path, marked, group)


def _side(path: str) -> str:
    if path == "/agenda":
        events = ""
    else:
        events = "".join(
            f'<div class="p3"><div class="p3a">{event.day}</div><div class="p3b"><a '
            f'href="/agenda">{event.title}</a></div>'
            "</div>"
            for event in EVENTS[:3]
        )
        events = f'<div class="p1"><div class="p2">À venir</div>{events}</div>'
    return f"""
<div class="p1"><div class="p2">La mairie</div><div class="p4">1 place de la Mairie<br />Tél. 00 00 12 34
50</div>
<div class="p4">Lundi, mardi, jeudi : 8 h 30 – 12 h et 13 h 30 – 17 h<br />Mercredi : 8 h 30 – 12 h<br
/>Vendredi : 8 h 30 –
16 h<br />Samedi : 9 h – 12 h (état civil)</div><div class="p5"><a href="/contact">Écrire à la
mairie</a></div></div> {events}
<div class="p1"><div class="p2">En un clic</div><div class="p5"><a href="/portail-famille">Portail
famille</a></div> <div class="p5"><a href="/marches">Marchés publics</a></div><div class="p5"><a
href="/deliberations">Délibérations</a></div>
<div class="p5"><a href="/bulletin">Bulletin municipal n° {number(path) % 2 + 61}</a></div></div>"""


def _foot() -> str:
    return """
<div id="k9"><div class="z1"><div class="z2">Restez informés</div><div class="z3">La lettre de la commune,
une fois par mois,
sans publicité.</div><form action="/lettre"><input name="e" title="Votre courriel" /><input type="submit"
value="Je m’inscris" /></form></div>
<div class="z1"><div class="z2">Urgences</div><div class="z3">Astreinte eau et voirie : 00 00 12 34 99</div>
<div class="z3">Pharmacie de garde : affichée sur la porte de la mairie</div></div>
<div class="z1"><div class="z2">Communes voisines</div><div class="z3"><a
href="https://www.malassis.example/">Malassis</a>
<a href="https://www.pontvieux.example/">Pontvieux</a> <a href="https://www.haut-pays.example/">Communauté
du Haut-Pays</a> </div></div>
<div class="z5"><a href="/plan-du-site">Plan du site</a> - <a href="/mentions">Mentions légales</a> -
<a href="/donnees">Données personnelles</a> - <a href="/accessibilite">Accessibilité</a> - Commune de
Brévonne-les-Étangs, tous droits réservés</div></div>"""
