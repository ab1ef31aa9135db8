"""Prints the links that docutils, feedparser and nbformat find in documents, and the decisions of protego.

oracle.py < QUESTIONS > ANSWERS, in the format of oracle.mjs in this folder. {"file", "format": "notebook",
"markdown": FILE} writes the Markdown cells to FILE, which the oracles of Markdown read.
"""

import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import docutils.core
import docutils.nodes
import feedparser
import nbformat
import protego
from docutils.parsers.rst import Directive, directives, roles

LITERAL_DIRECTIVES = {"autosummary", "code-block", "doctest", "graphviz", "highlight", "ipython", "literalinclude", "math", "mermaid", "productionlist",
                      "program-output", "prompt", "sourcecode", "testcleanup", "testcode", "testoutput", "testsetup", "toctree", "uml"}


class UnknownDirective(Directive):
    """Replaces the directives of Sphinx, whose content is prose or code."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        if self.name in LITERAL_DIRECTIVES or self.name.endswith("code-block"):
            return [docutils.nodes.literal_block("", "\n".join(self.content))]
        node = docutils.nodes.container()
        if self.arguments:
            node += self.state.inline_text("\n".join(self.arguments), self.lineno)[0]
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class AnyOption(dict):
    """Accepts every option of a directive."""

    def __getitem__(self, name):
        return directives.unchanged

    def __contains__(self, name):
        return True

    def __bool__(self):
        return True


UnknownDirective.option_spec = AnyOption()


def unknown_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    return [docutils.nodes.literal(rawtext, text)], []


def accept_unknown_markup():
    known_directive, known_role = directives.directive, roles.role

    def directive(name, language, document):
        found, messages = known_directive(name, language, document)
        return (found, messages) if found else (UnknownDirective, [])

    def role(name, language, line, reporter):
        found, messages = known_role(name, language, line, reporter)
        return (found, messages) if found else (unknown_role, [])

    directives.directive, roles.role = directive, role


def links_of_rst(path):
    document = docutils.core.publish_doctree(
        path.read_text("utf-8-sig", errors="replace"), source_path=str(path),
        settings_overrides={"report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": True, "warning_stream": False})
    links = [{"url": node["refuri"], "kind": "reference"} for node in document.findall(docutils.nodes.reference) if "refuri" in node]
    links += [{"url": node["refuri"], "kind": "target"} for node in document.findall(docutils.nodes.target) if "refuri" in node]
    links += [{"url": node["uri"], "kind": "image"} for node in document.findall(docutils.nodes.image)]
    for node in document.findall(docutils.nodes.raw):
        if "html" in node.get("format", ""):
            links += links_of_html(node.astext())
    return links


class HtmlLinks(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attributes):
        self.links += [{"url": value, "kind": f"{tag} {name}"} for name, value in attributes if name in ("href", "src", "poster") and value]


def links_of_html(text):
    reader = HtmlLinks()
    reader.feed(text)
    return reader.links


def links_of_feed(path):
    feed = feedparser.parse(path.read_bytes(), sanitize_html=False, resolve_relative_uris=True)
    links = []
    for place in [feed.feed, *feed.entries]:
        links += [{"url": link["href"], "kind": f"link {link.get('rel', '')}"} for link in place.get("links", []) if "href" in link]
        for name in ("logo", "icon", "comments", "docs", "wfw_commentrss"):
            if place.get(name):
                links.append({"url": place[name], "kind": name})
        links += [{"url": place["image"]["href"], "kind": "image"}] if place.get("image", {}).get("href") else []
        for content in [*place.get("content", []), *[place[name] for name in ("summary_detail", "subtitle_detail", "rights_detail") if name in place]]:
            if "html" in content.get("type", ""):
                links += links_of_html(content.value)
    return links


def markdown_of_notebook(path):
    notebook = nbformat.reader.reads(path.read_text("utf-8"))
    cells = notebook.get("cells") or [cell for sheet in notebook.get("worksheets", []) for cell in sheet["cells"]]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def answer(question):
    if "robots" in question:
        rules = protego.Protego.parse(question["robots"])
        return {"oracle": "protego", "allowed": [rules.can_fetch("https://robots.invalid" + path, question["agent"]) for path in question["paths"]]}
    path = Path(question["file"])
    if question["format"] == "notebook":
        Path(question["markdown"]).write_text(markdown_of_notebook(path), "utf-8")
        return {"file": question["markdown"]}
    if question["format"] == "rst":
        return {"file": question["file"], "oracle": "docutils", "links": links_of_rst(path)}
    return {"file": question["file"], "oracle": "feedparser", "links": links_of_feed(path)}


def main():
    accept_unknown_markup()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            result = answer(question)
        except Exception as error:  # noqa: BLE001: lists the errors of another program
            result = {"file": question.get("file"), "oracle": "python", "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
