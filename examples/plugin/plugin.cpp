#include "plugin/plugin.h"

#include "impl/merges/merge.h"
#include "parts.h"

namespace {

void add(attncheck::Additions& additions) {
  additions.implementations.push_back(shown_keys("shown_keys", attncheck::merge));
  additions.backends.push_back(tiled_base2());
  additions.properties.push_back(output_lies_between_the_values());
  additions.mutants.push_back(adds_without_weights());
}

}  // namespace

ATTNCHECK_PLUGIN("example", add);
