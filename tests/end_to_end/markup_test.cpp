// Tests markup with `check --offline`: literal text contains no links, and references are checked for existence.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"

using namespace linkherd::tests;

namespace {

// "health reason url" of each link of the file, sorted.
std::vector<std::string> evaluated(const GitFolder& folder, const std::string& file, int exit_code) {
  const ProgramResult result = run_linkherd(
      folder.path(), {"check", "--offline", "--no-store", "--format", "jsonl", "--include-fragments", file});
  CAPTURE(result.err);
  CHECK(result.exit_code == exit_code);
  std::vector<std::string> links;
  for (const CheckedLine& line : checked_lines(result.out))
    links.push_back(line.health + ' ' + line.reason + ' ' + line.url.substr(line.url.rfind('/') + 1));
  std::ranges::sort(links);
  return links;
}

// A reStructuredText document in which every "no" is literal.
constexpr std::string_view literal_text = R"(Title
=====

A paragraph of its own says that a literal block follows:

::

    `no <no-1.rst>`_ and `no <no-2.rst>`__

The colons may stand behind words::

    `no <no-3.rst>`_

Quoted::

> `no <no-4.rst>`_
> .. image:: no-5.png

Doctest:

>>> print("`no <no-6.rst>`_")
`no <no-7.rst>`_

Roles: :code:`no <no-8.rst>`, :literal:`no <no-9.rst>` and ``no <no-10.rst>``.

.. code-block:: rst

   .. image:: no-11.png

- An item::

    `no <no-12.rst>`_

  `gone <gone-1.rst>`_ is a link.

`There <there.rst>`_, `gone <gone-2.rst>`_, and in an empty comment's quote:

..

   `gone <gone-3.rst>`_
)";

}  // namespace

TEST_CASE("reStructuredText literal text is not reported") {
  GitFolder folder;
  folder.write("list.rst", std::string(literal_text));
  folder.write("there.rst", "There\n=====\n");
  folder.commit("lists");
  const std::vector<std::string> expected{"alive ok there.rst", "dead file_not_found gone-1.rst",
                                          "dead file_not_found gone-2.rst", "dead file_not_found gone-3.rst"};
  CHECK(evaluated(folder, "list.rst", 2) == expected);
}

TEST_CASE("reStructuredText of only literal text has no links") {
  GitFolder folder;
  folder.write("list.rst", "Text::\n\n  `no <no.rst>`_\n\n::\n\n  `no <no.rst>`_\n\n:code:`no <no.rst>`\n");
  folder.commit("lists");
  CHECK(evaluated(folder, "list.rst", 0).empty());
}

TEST_CASE("AsciiDoc links are judged with titles and anchors and included files") {
  GitFolder folder;
  folder.write(
      "list.adoc",
      "list(1)\n=======\n:imagesdir: no\ninclude::attributes.adoc[]\n\nNAME\n----\n<<_name>> <<NAME>> <<part>> "
      "<<gone>> xref:other.adoc#_other[o] xref:other#gone-2[o] image:p.png[]\n\ninclude::part.adoc[]\n");
  folder.write("attributes.adoc", ":imagesdir: pictures\n");
  folder.write("part.adoc", "[[part]]\nPART\n~~~~\n<<_name>>, image:p.png[]\n");
  folder.write("other.adoc", "== Other\n");
  folder.write("pictures/p.png", "p");
  folder.commit("lists");
  const std::vector<std::string> expected{"alive ok NAME",
                                          "alive ok _name",
                                          "alive ok attributes.adoc",
                                          "alive ok other.adoc#_other",
                                          "alive ok p.png",
                                          "alive ok part",
                                          "alive ok part.adoc",
                                          "dead anchor_not_found gone",
                                          "dead anchor_not_found other#gone-2"};
  CHECK(evaluated(folder, "list.adoc", 2) == expected);
  CHECK(evaluated(folder, "part.adoc", 0) == std::vector<std::string>{"alive ok _name", "alive ok p.png"});
}

TEST_CASE("a label without definition is a note and fails no run") {
  GitFolder folder;
  folder.write("list.md", "# List\n\n[The text][missing], [there][other] and `[no][code]`.\n\n[other]: list.md\n");
  folder.commit("lists");
  CHECK(evaluated(folder, "list.md", 0) ==
        std::vector<std::string>{"alive ok list.md", "skipped empty_target missing"});
  const ProgramResult all = run_linkherd(folder.path(), {"check", "--offline", "--no-store", "--all", "list.md"});
  CAPTURE(all.out);
  CHECK(all.exit_code == 0);
  CHECK(holds(all.out, "no definition of [missing]"));
}
