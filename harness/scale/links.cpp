#include "harness/scale/links.h"

#include <array>
#include <charconv>
#include <stdexcept>

namespace attncheck::scale {
namespace {

struct Named {
  const char* name;
  double microseconds, gigabytes;
};

constexpr std::array<Named, 4> kLinks{
    {{"nvlink", 3, 450}, {"pcie", 5, 55}, {"ib", 5, 50}, {"ethernet", 20, 12.5}}};

Link link_of(const std::string& name, double microseconds, double gigabytes) {
  return {name, microseconds / 1e6, gigabytes * 1e9};
}

bool parse_number(const std::string& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Link parse_link(const std::string& text) {
  for (const Named& link : kLinks) {
    if (text == link.name) return link_of(link.name, link.microseconds, link.gigabytes);
  }
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  double microseconds = 0, gigabytes = 0;
  const bool read = first != std::string::npos && first > 0 && second != std::string::npos &&
                    parse_number(text.substr(first + 1, second - first - 1), microseconds) &&
                    parse_number(text.substr(second + 1), gigabytes);
  if (!read || !(microseconds >= 0 && microseconds < 1e9) || !(gigabytes > 0 && gigabytes < 1e9)) {
    throw std::invalid_argument("'" + text +
                                "' is no link: expected nvlink, pcie, ib, ethernet, or "
                                "NAME:MICROSECONDS:GIGABYTES, e.g. mine:4:100");
  }
  return link_of(text.substr(0, first), microseconds, gigabytes);
}

const Link& Machine::ring_link(const Mesh& mesh) const {
  return mesh.world() <= node ? inside : across;
}

const Link& Machine::ulysses_link(const Mesh& mesh) const {
  const bool stays = mesh.world() <= node || (mesh.ulysses <= node && node % mesh.ulysses == 0);
  return stays ? inside : across;
}

}  // namespace attncheck::scale
