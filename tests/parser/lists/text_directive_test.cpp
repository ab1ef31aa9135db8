#include "parser/lists/text_directive.h"

#include <string>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("a text directive is found with any white space and case") {
  const std::string page = fold_text("Install the\u00A0Tool\n\nFirst step: run it. Then, café, stop.");
  for (const char* there : {"text=install%20the%20tool", "text=Install,stop", "text=first-,step", "text=step,-:%20run",
                            "text=the-,tool,it.,-Then", "text=caf%C3%A9", "text=nowhere&text=step", "text=Then%2C", "",
                            "text=", "text=a,b,c,d", "selector(type=CssSelector)"}) {
    CAPTURE(there);
    CHECK(contains_directive_text(there, page));
  }
  for (const char* missing : {"text=uninstall", "text=stop,install", "text=last-,step", "text=step,-now",
                              "text=first-,step,run,-them", "text=nowhere&text=never"}) {
    CAPTURE(missing);
    CHECK_FALSE(contains_directive_text(missing, page));
  }
  CHECK(find_text_directive("part:~:text=a") == "text=a");
  CHECK(find_text_directive("part").empty());
}

TEST_CASE("a hostile text directive takes bounded time") {
  const std::string page(1 << 20, 'a');
  std::string directive;
  for (int i = 0; i < 100; ++i) directive += "text=" + std::string(200, 'a') + "b&";
  CHECK(contains_directive_text(directive, page));  // more than 16 texts are not checked
}
