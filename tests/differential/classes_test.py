"""Tests the comparison and classification of differences."""

import unittest

from classes import BASE, Difference, KnownDifference, Link, compare, tabulate


def link(url, href=None, kind="link", offset=-1):
    return Link(url, href or url, kind, offset)


def class_names(text, ours, theirs, format_name="markdown"):
    return [difference.class_name for difference in compare(format_name, "a.md", text, ours, theirs)]


class Classes(unittest.TestCase):
    def test_equal_links_give_no_difference(self):
        ours = [link("https://a.org/%5bx", offset=0), link("#x", BASE + "#x"), link("www.b.org", "https://www.b.org/")]
        theirs = [link("https://a.org/[x"), link("www.b.org", "http://www.b.org/")]
        self.assertEqual(class_names("https://a.org/%5bx www.b.org", ours, {"one": theirs, "two": theirs}), [])

    def test_a_class_names_the_side_and_the_construct(self):
        text = "`https://a.org`\n\n<!-- https://b.org -->\n\n```\nhttps://c.org\n```\n"
        ours = [link("https://a.org", kind="bare", offset=1)]
        theirs = {"one": [link("https://b.org"), link("https://c.org")], "two": [link("https://c.org")]}
        self.assertEqual(class_names(text, ours, theirs), [
            "markdown | only one | link | comment | http", "markdown | only one+two | link | fence | http",
            "markdown | only linkherd | bare | code span | http"])

    def test_a_url_with_another_end_is_one_difference(self):
        ours = [link("https://a.org/b_(c", kind="bare", offset=0)]
        self.assertEqual(class_names("https://a.org/b_(c)", ours, {"one": [link("https://a.org/b_(c)")]}),
                         ["markdown | linkherd ends earlier | bare | text | http"])

    def test_a_bound_counts_all_classes_of_its_pattern(self):
        differences = [Difference(f"rst | {side}", file, 1, "u", "") for side in ("a", "b") for file in ("1", "2", "3", "4")]
        rows, exceeded = tabulate(differences, [KnownDifference("rst | *", "why", 7)])
        self.assertEqual([(row.count, len(row.samples), row.known.reason) for row in rows], [(4, 3, "why"), (4, 3, "why")])
        self.assertEqual(exceeded, {"rst | *": 8})
        self.assertIsNone(tabulate(differences, [])[0][0].known)


if __name__ == "__main__":
    unittest.main()
