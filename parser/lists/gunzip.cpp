#include "parser/lists/gunzip.h"

#include "parser/inflate.h"

namespace linkherd::parser {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes) {
  Gunzipped result;
  if (!is_gzip(bytes)) {
    result.problem = GzipProblem::broken;
    return result;
  }
  Inflater inflater(Inflater::Format::gzip);
  do {
    switch (inflater.run(bytes, result.text, max_bytes)) {
      case Inflater::Ending::whole: break;
      case Inflater::Ending::cut: result.problem = GzipProblem::truncated; break;
      case Inflater::Ending::capped: result.problem = GzipProblem::too_large; break;
      case Inflater::Ending::broken: result.problem = GzipProblem::broken; break;
    }
  } while (result.problem == GzipProblem::none && bytes.starts_with("\x1F\x8B"));  // what else follows is padding
  return result;
}

}  // namespace linkherd::parser
