#include "impl/merges/catalogue.h"

#include "impl/merges/merge.h"

namespace attncheck {

std::vector<Merge> built_in_merges() {
  return {{"logaddexp", [](const Case&) { return Support::yes(); }, merge}};
}

}  // namespace attncheck
