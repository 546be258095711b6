#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

// What LibTorch's attention operators take and return, release by release: what a backend may rely
// on, with the place where it stands. No tensors: sizes are words.
namespace attncheck::reference {

// A release of LibTorch by its first two numbers: 2.9.0 and 2.9.1 are both 2.9.
struct Release {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Release&) const = default;
};

// "2.9", "2.9.1" or "2.9.1+cu128"; nothing for other text.
std::optional<Release> parse_release(const std::string& text);
std::string to_text(Release release);

// The releases that the pinned table covers, both included.
inline constexpr Release kFirstRelease{2, 4};
inline constexpr Release kLastRelease{2, 15};

// One tensor among what an operator returns.
struct ReturnedTensor {
  std::string name;  // "out", "lse", "weights", "dq", "dk", "dv"
  int position = 0;  // in the operator's returns
  // Sizes in words: B, H, S (queries), K (keys), D (head_dim), a number, or S32: S up to the next
  // multiple of 32.
  std::string shape;
  std::string dtype;  // "q", "float32", or "wide": the wider of q's and float32
  // How it lies in memory: "as_shaped" (contiguous), "sequence_first" (as a contiguous tensor of
  // axes B, S, H, ... would), "as_q" (in q's order of axes), or "any".
  std::string memory;
  // In the rows of queries that see no key: "0", "-inf", "+inf", or "-" where no mask reaches the
  // operator and nothing is said.
  std::string empty_rows;
  bool operator==(const ReturnedTensor&) const = default;
};

// One operator over a range of releases in which nothing of it changed.
struct KernelContract {
  std::string op;      // without "aten::"
  std::string device;  // where it has a kernel: "cpu" (everywhere), or "cuda"
  Release first, last;
  std::string schema;  // as native_functions.yaml has it, its name left out: "(...) -> (...)"
  std::vector<ReturnedTensor> returns;
  std::string note;    // what no other field says; may be empty
  std::string source;  // release tag and file of pytorch/pytorch
  bool operator==(const KernelContract&) const = default;
};

using ContractTable = std::vector<KernelContract>;

// The pinned table, 2.4 to 2.15. Each row was read from the release's own files, in its wheel.
const ContractTable& pinned_contracts();

// The row of an operator in a release; nullptr where the table has none.
const KernelContract* find_contract(const ContractTable& table, const std::string& op,
                                    Release release);

// The table's operators, each once, in its order.
std::vector<std::string> operators_of(const ContractTable& table);

// What is wrong with a table that was edited: an unknown word, a range that is empty, two rows for
// one operator and release. Empty: nothing.
std::string fault_of(const ContractTable& table);

}  // namespace attncheck::reference
