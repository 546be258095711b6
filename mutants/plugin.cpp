#include "plugin/plugin.h"

#include <iterator>
#include <utility>

#include "mutants/catalogue.h"

namespace attncheck {

void add_mutants(Additions& additions) {
  std::vector<Mutant> catalogue = mutant_catalogue();
  std::move(catalogue.begin(), catalogue.end(), std::back_inserter(additions.mutants));
}

}  // namespace attncheck

ATTNCHECK_PLUGIN("mutants", attncheck::add_mutants);
