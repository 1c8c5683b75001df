"""Keeps HTML from nesting too deeply.

A parser's time grows with the square of the nesting depth, and it opens formatting elements that were never closed
again in every paragraph: a page of a few hundred kilobytes can occupy it for minutes. Here start and end tags are
followed, and those that nest too deeply are renamed to elements that hold nothing. Only names change, so attributes
need no reading; the text and its lines stay. In doubt an element counts as open, which keeps the depth in bounds.
"""

from __future__ import annotations

import re

MAX_DEPTH = 256
"""Open elements beyond which nesting stops. Pages that are made by hand or machine rarely have more than 60."""

BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup"),
        *("option", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
        "ul",
    )
)
"""Elements that begin and end a line."""

_PLAIN_EQUAL = dict.fromkeys(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"), "span"
) | {"form": "div"}
"""Elements with odd parsing rules (HTML standard, sections 13.2.4.3 and 13.2.6.4.7) and one of equal effect on text:
the formatting elements are opened again after misnesting, the end of a form doesn't end what is open in it."""

_NEVER_NESTED = frozenset(
    (
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("html", "head", "body"),
    )
)
"""Void elements, and those of which there is one whatever the tags say."""

_RAW_TEXT = frozenset(("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"))
"""Their content is no markup, except within SVG and MathML, and renaming them would show it."""

_FOREIGN = ("svg", "math")
"""Within them every element can be nested."""

_CELLS = frozenset(("td", "th", "p"))
_ROWS = _CELLS | {"tr"}
_ROW_GROUPS = _ROWS | {"thead", "tbody", "tfoot"}
_ENDED_BY_START_OF = {
    **dict.fromkeys(BLOCKS, frozenset(("p",))),
    "li": frozenset(("li", "p")),
    **dict.fromkeys(("dt", "dd"), frozenset(("dt", "dd", "p"))),
    "option": frozenset(("option",)),
    "optgroup": frozenset(("option",)),
    **dict.fromkeys(("td", "th"), _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(("thead", "tbody", "tfoot"), _ROW_GROUPS),
}
"""By a start tag's name, the elements whose own end tags may then be missing."""

_SCOPE = frozenset(
    (
        *("applet", "button", "caption", "marquee", "object", "select", "table", "td", "template", "th"),
        *("annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"),
    )
)
"""Elements out of which no other element's end tag reaches."""

_STOPS_INLINE = BLOCKS | _SCOPE
_STOPS_ITEM = _SCOPE | {"ol", "ul"}
_STOPS_TABLE_PART = frozenset(("table", "template"))
_ROW_PARTS = frozenset(("tbody", "td", "tfoot", "th", "thead", "tr"))
_TABLE_PARTS = _ROW_PARTS | {"caption", "table"}

_TAG_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")


def limit_nesting(html: str) -> str:
    """Give HTML of the same text and lines in which at most about `MAX_DEPTH` elements are open at a time."""
    return _TAG_NAME.sub(_OpenElements().renamed, html)


class _OpenElements:
    """Follows the tags of a document."""

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._foreign_from: int | None = None  # place on the stack of the outermost element of SVG or MathML

    def renamed(self, tag: re.Match[str]) -> str:
        """Give what is to stand in a tag's place, up to the end of its name."""
        slash, name = tag[1], tag[2].lower()
        name = _PLAIN_EQUAL.get(name, name)
        in_foreign = self._foreign_from is not None
        if name in _NEVER_NESTED and not in_foreign:
            return tag[0]
        if slash and self._close(name):
            return f"</{name}"
        if not slash:
            while self._stack and self._stack[-1] in _ENDED_BY_START_OF.get(name, ()):
                self._stack.pop()
            if len(self._stack) < MAX_DEPTH or (name in _RAW_TEXT and not in_foreign):
                return self._open(name)
        # in foreign content a void element would be one of its own that can be nested; a line break ends that content
        return "<br" if name in BLOCKS or in_foreign else "<wbr"

    def _open(self, name: str) -> str:
        # a chunk that was cut out of a table lacks its start, without which a parser ignores rows and cells
        added = "<table>" if name in _ROW_PARTS and "table" not in self._stack else ""
        if added:
            self._stack.append("table")
        if name in _FOREIGN and self._foreign_from is None:
            self._foreign_from = len(self._stack)
        self._stack.append(name)
        return f"{added}<{name}"

    def _close(self, name: str) -> bool:
        """Take an element off the stack with everything in it, if a parser is sure to end it here.

        Returns:
            Whether the element is open at all: an end tag without it is noise.
        """
        if name not in self._stack:
            return False
        stops = _stops(name)
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place] == name:
                del self._stack[place:]
                if self._foreign_from is not None and self._foreign_from >= place:
                    self._foreign_from = None
                break
            if self._stack[place] in stops:
                break
        return True


def _stops(name: str) -> frozenset[str]:
    """Give the elements that keep an end tag from reaching what is further out."""
    if name in _TABLE_PARTS:
        return _STOPS_TABLE_PART
    if name == "li":
        return _STOPS_ITEM
    return _SCOPE if name in BLOCKS and name != "p" else _STOPS_INLINE
