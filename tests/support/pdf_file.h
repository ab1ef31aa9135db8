// Builds minimal PDF files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::tests {

// Returns a minimal PDF. `information` is the content of the document information dictionary. `xmp` is an optional XMP
// packet, and `filter` says how it is encoded ("/Filter /FlateDecode"). `page_count` is the declared number of pages.
inline std::string make_pdf(std::string_view information, std::string_view xmp = {}, std::string_view filter = {},
                            std::string_view page_count = "/Count 0") {
  std::string pdf = "%PDF-1.4\n";
  std::vector<std::size_t> offsets;
  const auto object = [&](const std::string& body) {
    offsets.push_back(pdf.size());
    pdf += std::to_string(offsets.size()) + " 0 obj\n" + body + "\nendobj\n";
  };
  object("<< /Type /Catalog /Pages 2 0 R" + std::string(xmp.empty() ? "" : " /Metadata 4 0 R") + " >>");
  object("<< /Type /Pages /Kids [] " + std::string(page_count) + " >>");
  object("<< " + std::string(information) + " >>");
  if (!xmp.empty()) {
    object("<< /Type /Metadata /Subtype /XML " + std::string(filter) + " /Length " + std::to_string(xmp.size()) +
           " >>\nstream\n" + std::string(xmp) + "\nendstream");
  }
  const std::size_t table = pdf.size();
  pdf += "xref\n0 " + std::to_string(offsets.size() + 1) + "\n0000000000 65535 f \n";
  for (const std::size_t offset : offsets) {
    const std::string digits = std::to_string(offset);
    pdf += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  return pdf + "trailer\n<< /Size " + std::to_string(offsets.size() + 1) + " /Root 1 0 R /Info 3 0 R >>\nstartxref\n" +
         std::to_string(table) + "\n%%EOF\n";
}

}  // namespace linkherd::tests
