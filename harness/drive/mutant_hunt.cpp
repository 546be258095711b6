#include "harness/drive/mutant_hunt.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/drive/drawing_desk.h"
#include "harness/drive/mutant_cases.h"
#include "harness/drive/smaller_cases.h"
#include "harness/registry.h"

namespace attncheck {
namespace {

constexpr int64_t kCasesOfEquivalent = 60;  // at most: every property judges them

// Of a failure that was looked for.
struct Found {
  const Property* property;
  Case case_;
  Verdict verdict;
};

// What the search for it has come to.
struct Search {
  int64_t cases = 0;    // drawn
  bool judged = false;  // one at least, by one property at least
  Verdict last;         // that was given
  std::optional<Found> found;
};

// One mutant's hunt in one lane.
class Hunter {
 public:
  Hunter(const Mutant& mutant, const PropertyList& properties, LaneLab& lane, DrawingDesk& desk,
         const CheckOptions& options)
      : mutant_(mutant), properties_(properties), lane_(lane), desk_(desk), options_(options) {}

  Hunt run();

 private:
  void hunt();
  void judge_case(const PropertyList& judges, const Case& c, Search& search);
  Search search(const Case& listed, const PropertyList& judges, int64_t most);
  void hunt_forms(const PropertyList& judges);
  void hunt_equivalent();
  void hunt_named(const PropertyList& judges);
  void try_listed(const PropertyList& judges, Search& search);
  void ask_the_others();
  void take(const Search& search);

  const Mutant& mutant_;
  const PropertyList& properties_;
  LaneLab& lane_;
  DrawingDesk& desk_;
  const CheckOptions& options_;
  Hunt result_;
};

PropertyList named(const PropertyList& properties, const std::string& name) {
  PropertyList found;
  for (const Property* property : properties) {
    if (property->name == name) found.push_back(property);
  }
  return found;
}

PropertyList about(bool refusals, const PropertyList& properties) {
  PropertyList found;
  for (const Property* property : properties) {
    if (property->about_refusals == refusals) found.push_back(property);
  }
  return found;
}

void Hunter::judge_case(const PropertyList& judges, const Case& c, Search& search) {
  lane_.forget();
  WatchedLab watched(*lane_.lab, c);
  for (const Property* property : judges) {
    if (search.found) break;
    Judgement judgement = judge_watched(*property, c, watched);
    const Verdict::Kind kind = judgement.verdict.kind;
    search.judged |= kind == Verdict::Kind::pass || kind == Verdict::Kind::fail;
    search.last = std::move(judgement.verdict);
    if (search.last.failed()) search.found = Found{property, c, search.last};
  }
  lane_.forget();
}

// Draws cases on the backend of `listed` until one of the judges fails.
Search Hunter::search(const Case& listed, const PropertyList& judges, int64_t most) {
  const PropertyList of_cases = about(false, judges), of_refusals = about(true, judges);
  MutantCases cases(mutant_, listed, options_.seed, lane_, desk_);
  Search search;
  while (!search.found && search.cases < most && Clock::now() <= options_.deadline) {
    std::optional<Case> c, refused;
    if (!of_cases.empty()) c = cases.next();
    if (!of_refusals.empty()) refused = cases.next_refused();
    if (!c && !refused) break;
    ++search.cases;
    if (c) judge_case(of_cases, *c, search);
    if (refused) judge_case(of_refusals, *refused, search);
    options_.progress({mutant_.name, "cases", search.cases, most});
  }
  return search;
}

void Hunter::try_listed(const PropertyList& judges, Search& search) {
  Search listed;
  judge_case(judges, mutant_.smallest, listed);
  search.judged |= listed.judged;
  search.last = listed.last;
  search.found = listed.found;
  result_.by_smallest_alone = listed.found.has_value();
}

void Hunter::hunt_forms(const PropertyList& judges) {
  for (const std::string& backend : mutant_.backends) {
    if (backend == mutant_.smallest.backend) continue;
    Case listed = mutant_.smallest;
    listed.backend = backend;
    FormHunt form;
    form.backend = backend;
    const BackendContract* contract = lane_.lab->contract(listed);
    if (mutant_.wrong_here && contract != nullptr) {
      form.wrong_here = mutant_.wrong_here({*contract});
    }
    Search search = this->search(listed, judges, options_.cases);
    form.cases = search.cases;
    if (!search.found) judge_case(judges, listed, search);
    form.caught = search.found.has_value();
    if (search.found) form.case_ = search.found->case_;
    result_.forms.push_back(std::move(form));
  }
}

void Hunter::take(const Search& search) {
  result_.cases = search.cases;
  result_.judged = search.judged;
  result_.caught = search.found.has_value();
  if (!search.found) return;
  const Found& found = *search.found;
  result_.property = found.property->name;
  Shrunk shrunk{found.case_, found.verdict};
  result_.shrunk = !mutant_.systematic;
  if (result_.shrunk) {
    shrunk = shrink_failure(*found.property, found.case_, found.verdict, lane_, options_);
  }
  result_.case_ = shrunk.case_;
  result_.evidence = shrunk.verdict.evidence;
  result_.small_enough = at_least_as_small(shrunk.case_, mutant_.smallest);
}

void Hunter::hunt_equivalent() {
  const PropertyList judges = speaking_of(lane_.lab->kind(mutant_.smallest), properties_);
  const int64_t most = std::min(options_.cases, kCasesOfEquivalent);
  Search search = this->search(mutant_.smallest, judges, most);
  if (!search.found) try_listed(judges, search);
  result_.property.clear();
  take(search);
}

// What fails on the listed case beside the property that is named: the fault shows, and the entry
// names the wrong sentence.
void Hunter::ask_the_others() {
  result_.others.emplace();
  for (const Property* property : speaking_of(lane_.lab->kind(mutant_.smallest), properties_)) {
    if (property->name == mutant_.property) continue;
    Search search;
    judge_case({property}, mutant_.smallest, search);
    if (search.found) result_.others->push_back(property->name);
  }
}

void Hunter::hunt_named(const PropertyList& judges) {
  hunt_forms(judges);
  Search search = this->search(mutant_.smallest, judges, options_.cases);
  if (!search.found) try_listed(judges, search);
  take(search);
  if (result_.caught) return;
  const Verdict& listed = search.last;
  result_.why_not = fmt::format(
      "the property holds on {} drawn cases and is '{}' on the listed one{}", search.cases,
      to_text(listed.kind), listed.reason.empty() ? "" : ": " + listed.reason);
  ask_the_others();
}

Hunt Hunter::run() {
  try {
    hunt();
  } catch (const SupportsFailed& error) {
    result_.judged = false;
    result_.why_not = error.what();
  }
  return std::move(result_);
}

void Hunter::hunt() {
  result_.name = mutant_.name;
  result_.source = mutant_.source;
  result_.fault = mutant_.fault;
  result_.property = mutant_.property;
  result_.smallest = mutant_.smallest;
  result_.equivalent = mutant_.equivalent;
  const PropertyList judges = named(properties_, mutant_.property);
  if (!result_.equivalent.empty()) {
    hunt_equivalent();
  } else if (judges.empty()) {
    result_.judged = false;
    result_.why_not = "there is no property '" + mutant_.property + "'";
  } else {
    hunt_named(judges);
  }
}

}  // namespace

HuntState Hunt::state() const {
  const auto any_form = [this](bool wrong_here) {
    return std::any_of(forms.begin(), forms.end(), [&](const FormHunt& form) {
      return !form.as_listed() && form.wrong_here == wrong_here;
    });
  };
  const bool right = !equivalent.empty();
  if ((right && caught) || any_form(false)) return HuntState::caught_where_right;
  if (!judged) return HuntState::not_judged;
  if (right) return HuntState::equivalent;
  return caught && !any_form(true) ? HuntState::caught : HuntState::survived;
}

std::vector<Hunt> hunt_all(const std::vector<const Mutant*>& mutants,
                           const PropertyList& properties, Lanes& lanes,
                           const CheckOptions& options) {
  DrawingDesk desk;
  std::vector<Hunt> hunts(mutants.size());
  std::vector<Lanes::Job> jobs;
  for (size_t i = 0; i < mutants.size(); ++i) {
    jobs.push_back([&, i](LaneLab& lane) {
      hunts[i] = Hunter(*mutants[i], properties, lane, desk, options).run();
    });
  }
  desk.run_jobs(lanes, jobs);
  return hunts;
}

}  // namespace attncheck
