#include "reports/report.h"

namespace linkherd::reports {

Report report_on(const storage::CheckedLinks& links, DuplicateScope scope, const parser::TrackingRules* rules) {
  Report report;
  report.links = &links;
  Summarizer summarizer;
  SectionSorter sorter;
  DuplicateFinder duplicates(scope, rules);
  links.for_each([&](std::size_t number, const storage::CheckedLink& link) {
    summarizer.add(link);
    report.overview.harvested.add(link);
    sorter.add(number, link);
    duplicates.add(number, link);
  });
  report.overview.summary = summarizer.summary();
  report.overview.sections = sorter.take();
  report.duplicates = duplicates.take();
  return report;
}

}  // namespace linkherd::reports
