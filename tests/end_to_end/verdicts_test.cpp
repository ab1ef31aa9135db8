// Tests the overall figures of the verdicts on the labelled set of verdicts/.
#include <doctest/doctest.h>

#include "tests/end_to_end/confusion_table.h"

using namespace linkherd::tests;

namespace {

constexpr double min_gone_found = 0.98;  // dead or suspect
constexpr double min_walled_blocked = 0.98;
constexpr double max_false_suspects = 0.02;
constexpr int max_false_blocked = 0;

double share(int part, int all) { return static_cast<double>(part) / all; }

}  // namespace

TEST_CASE("verdicts on the labelled set reach the required precision and recall") {
  const std::vector<VerdictCase> cases = read_verdict_cases(LINKHERD_SOURCE_DIR "/tests/end_to_end/verdicts");
  const std::vector<EvaluatedCase> evaluated = evaluate(cases);
  const Confusion confusion = confusion_of(evaluated);
  const std::string table = "\n" + table_text(confusion) + wrong_verdicts(evaluated);
  CAPTURE(table);
  CHECK(confusion.count(Label::gone) >= 120);
  CHECK(confusion.count(Label::walled) >= 120);
  CHECK(confusion.count(Label::alive) >= 160);

  CHECK(confusion.count(Label::alive, Found::dead) == 0);
  CHECK(confusion.count(Label::walled, Found::dead) == 0);
  CHECK(confusion.count(Label::other, Found::dead) == 0);
  CHECK(share(confusion.count(Label::alive, Found::suspect), confusion.count(Label::alive)) <= max_false_suspects);
  CHECK(confusion.count(Label::alive, Found::blocked) <= max_false_blocked);
  CHECK(share(confusion.count(Label::gone, Found::dead) + confusion.count(Label::gone, Found::suspect),
              confusion.count(Label::gone)) >= min_gone_found);
  CHECK(share(confusion.count(Label::walled, Found::blocked), confusion.count(Label::walled)) >= min_walled_blocked);
}
