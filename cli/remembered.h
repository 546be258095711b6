#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "harness/drive/corpus.h"
#include "harness/registry.h"
#include "harness/run_lab.h"
#include "properties/verdict.h"

namespace attncheck::cli {

// The failures in the folders of a --corpus flag, in their order, each once; none for "none".
// Throws UsageError for a folder or file that cannot be read. The last folder, in which new
// failures are kept, need not be there yet.
std::vector<RememberedCase> remembered_in(const std::vector<std::string>& folders);

// What a file, or every file of a folder, holds; none where the text is no path that is there.
std::vector<RememberedCase> remembered_at(const std::string& path);

// Throws UsageError for a property, subject or backend that is not there.
void require_known(const Registry& registry, const RememberedCase& remembered);

// Its property on its case, in a lab that make_lab made for these ranks. Throws UsageError for what
// cannot run here.
Verdict judge_again(const Registry& registry, const RememberedCase& remembered,
                    const RankArguments& ranks, RunLab& lab);
// As a report has a failure.
std::string failure_text(const Registry& registry, const RememberedCase& remembered,
                         const Verdict& verdict, const RankArguments& ranks);

}  // namespace attncheck::cli
