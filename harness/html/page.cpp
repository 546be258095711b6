#include "harness/html/page.h"

#include "harness/html/page_files.h"

namespace attncheck {
namespace {

// In JSON these letters stand in strings alone.
std::string without_tags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    switch (letter) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += letter;
    }
  }
  return text;
}

std::string escaped(const std::string& title) {
  std::string text;
  for (const char letter : title) {
    text += letter == '<' ? "&lt;" : letter == '&' ? "&amp;" : std::string(1, letter);
  }
  return text;
}

void fill(std::string& page, const std::string& place, const std::string& text) {
  page.replace(page.find(place), place.size(), text);
}

}  // namespace

std::string page_with(const std::string& title, const ReportJson& data) {
  std::string page = page_files::kPage;
  fill(page, "<!-- title -->", escaped(title));
  fill(page, "/* style */", page_files::kStyle);
  fill(page, "// script", page_files::kScript);
  // Last: what comes in may look like a place.
  const auto json = data.dump(-1, ' ', false, ReportJson::error_handler_t::replace);
  fill(page, "<!-- data -->", without_tags(json));
  return page;
}

}  // namespace attncheck
