#include "problem/case_keys.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "problem/case_text.h"
#include "problem/enum_words.h"
#include "problem/lengths.h"

namespace attncheck {
namespace {

constexpr int64_t kLargestSize = int64_t{1} << 24;

template <typename Number>
Number parse_number(const std::string& text, const char* expected) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw std::invalid_argument("'" + text + "' is not " + expected);
  }
  return number;
}

int64_t parse_size(const std::string& text) {
  const auto size = parse_number<int64_t>(text, "a size from 1 to 16777216");
  if (size < 1 || size > kLargestSize) {
    throw std::invalid_argument("'" + text + "' is not a size from 1 to 16777216");
  }
  return size;
}

bool parse_flag(const std::string& text) {
  if (text != "0" && text != "1") throw std::invalid_argument("'" + text + "' is neither 0 nor 1");
  return text == "1";
}

double parse_finite(const std::string& text) {
  const auto number = parse_number<double>(text, "a number");
  if (!std::isfinite(number)) throw std::invalid_argument("'" + text + "' is not finite");
  return number;
}

double parse_probability(const std::string& text) {
  const double number = parse_finite(text);
  if (number < 0 || number >= 1) {
    throw std::invalid_argument("'" + text + "' is not a probability from 0 to less than 1");
  }
  return number;
}

// The shortest text that reads back as the same number.
std::string number_text(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

GradSet parse_grad(const std::string& text) {
  GradSet grad{false, false, false};
  if (text == "none") return grad;
  for (char letter : text) {
    bool* member = letter == 'q'   ? &grad.q
                   : letter == 'k' ? &grad.k
                   : letter == 'v' ? &grad.v
                                   : nullptr;
    if (member == nullptr || *member) {
      throw std::invalid_argument("'" + text + "' is neither a subset of qkv nor 'none'");
    }
    *member = true;
  }
  if (!grad.any()) throw std::invalid_argument("'' is neither a subset of qkv nor 'none'");
  return grad;
}

std::vector<int64_t> parse_lengths(const std::string& text, int64_t least) {
  std::vector<int64_t> lengths;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto length =
        parse_number<int64_t>(text.substr(begin, end - begin), "a list of lengths, e.g. 4,3");
    if (length < least || length > kLargestSize) {
      throw std::invalid_argument("'" + text + "' has a length outside " + std::to_string(least) +
                                  " to 16777216");
    }
    lengths.push_back(length);
    begin = end + 1;
  }
  return lengths;
}

// "bool" for all axes, "bool:b11k" for some.
void set_mask(Problem& p, const std::string& value) {
  const size_t colon = std::min(value.find(':'), value.size());
  const std::string_view text = value;
  p.mask = kMaskWords.parse(text.substr(0, colon));
  p.mask_axes = MaskAxes::bhqk;
  if (colon == value.size()) return;
  if (p.mask == Mask::none)
    throw std::invalid_argument("'" + value + "': without a mask there are no axes, use mask=none");
  p.mask_axes = kMaskAxesWords.parse(text.substr(colon + 1));
}

std::string mask_text(const Problem& p) {
  const std::string kind = to_text(p.mask);
  if (p.mask == Mask::none || p.mask_axes == MaskAxes::bhqk) return kind;
  return kind + ":" + kMaskAxesWords.of(p.mask_axes);
}

// "front:4"
Joint parse_joint(const std::string& text) {
  const size_t colon = std::min(text.find(':'), text.size());
  Joint joint;
  joint.place = kJointPlaceWords.parse(std::string_view(text).substr(0, colon));
  if (joint.place == JointPlace::none && colon == text.size()) return joint;
  if (joint.place == JointPlace::none || colon == text.size()) {
    throw std::invalid_argument("'" + text +
                                "' is neither 'none' nor a place and a number of "
                                "tokens, e.g. front:4");
  }
  joint.tokens = parse_size(text.substr(colon + 1));
  return joint;
}

std::string joint_text(const Joint& joint) {
  const std::string place = kJointPlaceWords.of(joint.place);
  return joint.tokens == 0 ? place : place + ":" + std::to_string(joint.tokens);
}

int64_t parse_window(const std::string& text) {
  const auto window = parse_number<int64_t>(text, "a number of places from 0 to 16777216");
  if (window < 0 || window > kLargestSize) {
    throw std::invalid_argument("'" + text + "' is not a number of places from 0 to 16777216");
  }
  return window;
}

void set_mesh(Case& c, const std::string& value) {
  const MeshOrder order = c.mesh.order;
  c.mesh = parse_mesh(value);
  c.mesh.order = order;
}

std::string flag_text(bool flag) {
  return flag ? "1" : "0";
}

CaseKey size_key(const char* name, bool required, int64_t Problem::*field) {
  return {name, required,
          [field](Case& c, const std::string& v) { c.problem.*field = parse_size(v); },
          [field](const Case& c) { return std::to_string(c.problem.*field); }};
}

// A size whose default is another one: setting `field` sets `follower` too, whose own key stands
// later.
CaseKey leading_size_key(const char* name, bool required, int64_t Problem::*field,
                         int64_t Problem::*follower) {
  CaseKey key = size_key(name, required, field);
  key.set = [field, follower](Case& c, const std::string& v) {
    c.problem.*field = c.problem.*follower = parse_size(v);
  };
  return key;
}

CaseKey text_key(const char* name, bool required, std::string Case::*field) {
  return {name, required,
          [field](Case& c, const std::string& v) {
            if (v.empty()) throw std::invalid_argument("the value is empty");
            c.*field = v;
          },
          [field](const Case& c) { return c.*field; }};
}

template <typename Words, typename Enum>
CaseKey problem_word_key(const char* name, const Words& words, Enum Problem::*field) {
  return {name, false,
          [&words, field](Case& c, const std::string& v) { c.problem.*field = words.parse(v); },
          [&words, field](const Case& c) { return std::string(words.of(c.problem.*field)); }};
}

CaseKey lengths_key(const char* name, int64_t least, std::vector<int64_t> Problem::*field) {
  return {
      name, false,
      [least, field](Case& c, const std::string& v) { c.problem.*field = parse_lengths(v, least); },
      [field](const Case& c) { return lengths_text(c.problem.*field); }};
}

CaseKey flag_key(const char* name, bool Case::*field) {
  return {name, false, [field](Case& c, const std::string& v) { c.*field = parse_flag(v); },
          [field](const Case& c) { return flag_text(c.*field); }};
}

void add_subject_keys(std::vector<CaseKey>& keys) {
  keys.push_back(text_key("impl", true, &Case::impl));
  keys.push_back(text_key("backend", false, &Case::backend));
  keys.push_back(text_key("transport", false, &Case::transport));
  keys.push_back({"mesh", true, set_mesh, [](const Case& c) { return to_text(c.mesh); }});
}

void add_size_keys(std::vector<CaseKey>& keys) {
  keys.push_back(size_key("b", false, &Problem::batch));
  keys.push_back(leading_size_key("q", true, &Problem::q_len, &Problem::kv_len));
  keys.push_back(size_key("kv", false, &Problem::kv_len));
  keys.push_back(leading_size_key("h", false, &Problem::heads, &Problem::kv_heads));
  keys.push_back(size_key("hkv", false, &Problem::kv_heads));
  keys.push_back(leading_size_key("d", true, &Problem::head_dim, &Problem::v_head_dim));
  keys.push_back(size_key("dv", false, &Problem::v_head_dim));
}

void add_problem_keys(std::vector<CaseKey>& keys) {
  keys.push_back(problem_word_key("dtype", kDTypeWords, &Problem::dtype));
  keys.push_back({"causal", false,
                  [](Case& c, const std::string& v) { c.problem.causal = parse_flag(v); },
                  [](const Case& c) { return flag_text(c.problem.causal); }});
  keys.push_back(problem_word_key("align", kAlignWords, &Problem::align));
  keys.push_back({"mask", false, [](Case& c, const std::string& v) { set_mask(c.problem, v); },
                  [](const Case& c) { return mask_text(c.problem); }});
  keys.push_back(
      {"window", false, [](Case& c, const std::string& v) { c.problem.window = parse_window(v); },
       [](const Case& c) { return c.problem.window ? std::to_string(*c.problem.window) : ""; }});
  keys.push_back(lengths_key("documents", /*least=*/1, &Problem::documents));
  keys.push_back({"joint", false,
                  [](Case& c, const std::string& v) { c.problem.joint = parse_joint(v); },
                  [](const Case& c) { return joint_text(c.problem.joint); }});
  keys.push_back(
      {"scale", false, [](Case& c, const std::string& v) { c.problem.scale = parse_finite(v); },
       [](const Case& c) { return c.problem.scale ? number_text(*c.problem.scale) : ""; }});
  keys.push_back(problem_word_key("layout", kLayoutWords, &Problem::layout));
  keys.push_back(lengths_key("shards", /*least=*/0, &Problem::shards));
  keys.push_back(problem_word_key("data", kDataWords, &Problem::data));
  keys.push_back(problem_word_key("view", kViewWords, &Problem::view));
}

void add_call_keys(std::vector<CaseKey>& keys) {
  keys.push_back({"grad", false, [](Case& c, const std::string& v) { c.grad = parse_grad(v); },
                  [](const Case& c) { return to_text(c.grad); }});
  keys.push_back(flag_key("dlse", &Case::lse_cotangent));
  keys.push_back({"dropout", false,
                  [](Case& c, const std::string& v) { c.dropout = parse_probability(v); },
                  [](const Case& c) { return number_text(c.dropout); }});
  keys.push_back(flag_key("return_lse", &Case::return_lse));
  keys.push_back(flag_key("fp32", &Case::convert_to_fp32));
  keys.push_back({"rotate", false,
                  [](Case& c, const std::string& v) { c.rotate = kRotateWords.parse(v); },
                  [](const Case& c) { return to_text(c.rotate); }});
  keys.push_back({"order", false,
                  [](Case& c, const std::string& v) { c.mesh.order = kMeshOrderWords.parse(v); },
                  [](const Case& c) { return to_text(c.mesh.order); }});
  keys.push_back(text_key("schedule", false, &Case::schedule));
  keys.push_back({"seed", false,
                  [](Case& c, const std::string& v) {
                    c.seed = parse_number<uint64_t>(v, "a whole number from 0 to 2^64 - 1");
                  },
                  [](const Case& c) { return std::to_string(c.seed); }});
}

std::vector<CaseKey> make_keys() {
  std::vector<CaseKey> keys;
  add_subject_keys(keys);
  add_size_keys(keys);
  add_problem_keys(keys);
  add_call_keys(keys);
  return keys;
}

}  // namespace

const std::vector<CaseKey>& case_keys() {
  static const std::vector<CaseKey> keys = make_keys();
  return keys;
}

}  // namespace attncheck
