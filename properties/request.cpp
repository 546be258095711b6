#include "properties/request.h"

#include <charconv>
#include <stdexcept>

#include "problem/case_text.h"
#include "problem/words.h"

namespace attncheck {
namespace {

constexpr Words<Cotangent::Kind, 8> kCotangentWords{
    {"absent", "random", "zero", "ones", "grid_a", "grid_b", "grid_mixed", "one_rank"}};
constexpr Words<ValueEdit, 6> kValueWords{
    {"none", "identity", "shard_indicator", "grid_a", "grid_b", "grid_mixed"}};
constexpr Words<ScoreEdit, 2> kScoreWords{{"none", "constant"}};
constexpr Words<KeyEdit, 5> kKeyWords{{"none", "permuted", "grid", "shifted", "duplicated"}};
constexpr Words<Company, 3> kCompanyWords{{"none", "interleaved", "before"}};
constexpr const char* kSeparator = " | ";

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

int parse_int(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("'" + text + "' is not a whole number");
  }
  return number;
}

std::string cotangent_text(const Cotangent& cotangent) {
  const std::string word = kCotangentWords.of(cotangent.kind);
  return cotangent.kind == Cotangent::Kind::one_rank ? word + ":" + std::to_string(cotangent.rank)
                                                     : word;
}

Cotangent parse_cotangent(const std::string& text) {
  const size_t colon = text.find(':');
  Cotangent cotangent{kCotangentWords.parse(text.substr(0, colon)), 0};
  if (colon != std::string::npos) cotangent.rank = parse_int(text.substr(colon + 1));
  return cotangent;
}

void apply_edit(Request& request, const std::string& key, const std::string& value) {
  if (key == "dout")
    request.dout = parse_cotangent(value);
  else if (key == "dlse")
    request.dlse = parse_cotangent(value);
  else if (key == "v")
    request.value = kValueWords.parse(value);
  else if (key == "scores")
    request.score = kScoreWords.parse(value);
  else if (key == "keys")
    request.key = kKeyWords.parse(value);
  else if (key == "other_cells")
    request.other_cells = value != "0";
  else if (key == "backward")
    request.backward = value != "0";
  else if (key == "poison")
    request.poison = static_cast<uint8_t>(parse_int(value));
  else if (key == "repeat")
    request.repeat = parse_int(value);
  else if (key == "key_blocks")
    request.key_blocks = parse_int(value);
  else if (key == "contiguous")
    request.contiguous = value != "0";
  else if (key == "keep_inputs")
    request.keep_inputs = value != "0";
  else if (key == "fresh_ranks")
    request.fresh_ranks = value != "0";
  else if (key == "company")
    request.company = kCompanyWords.parse(value);
  else if (key == "watch")
    request.watch = value != "0";
  else if (key == "embedded")
    request.embedded = value != "0";
  else if (key == "forced")
    request.forced = value != "0";
  else
    throw std::invalid_argument("unknown edit '" + key + "'");
}

void parse_edits(Request& request, const std::string& text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("'" + word + "' is no edit");
    apply_edit(request, word.substr(0, equals), word.substr(equals + 1));
    begin = end + 1;
  }
}

std::string edits_text(const Request& request) {
  const Request plain = base_request(request.case_);
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(key) + "=" + value;
  };
  if (request.dout != plain.dout) add("dout", cotangent_text(request.dout));
  if (request.dlse != plain.dlse) add("dlse", cotangent_text(request.dlse));
  if (request.value != plain.value) add("v", kValueWords.of(request.value));
  if (request.score != plain.score) add("scores", kScoreWords.of(request.score));
  if (request.key != plain.key) add("keys", kKeyWords.of(request.key));
  if (request.other_cells) add("other_cells", "1");
  if (!request.backward) add("backward", "0");
  if (request.poison) add("poison", std::to_string(*request.poison));
  if (request.repeat != 0) add("repeat", std::to_string(request.repeat));
  if (request.key_blocks != 0) add("key_blocks", std::to_string(request.key_blocks));
  if (request.contiguous) add("contiguous", "1");
  if (request.keep_inputs) add("keep_inputs", "1");
  if (request.fresh_ranks) add("fresh_ranks", "1");
  if (request.company != Company::none) add("company", kCompanyWords.of(request.company));
  if (request.watch) add("watch", "1");
  if (request.embedded) add("embedded", "1");
  if (request.forced) add("forced", "1");
  return text;
}

}  // namespace

Request base_request(const Case& c) {
  Request request;
  request.case_ = c;
  if (c.lse_cotangent && c.return_lse) request.dlse.kind = Cotangent::Kind::random;
  return request;
}

std::string to_text(const Request& request) {
  const std::string edits = edits_text(request);
  const std::string companion = request.companion ? kSeparator + to_text(*request.companion) : "";
  return to_text(request.case_) + (edits.empty() ? "" : kSeparator + edits) + companion;
}

Request parse_request(const std::string& text) {
  const size_t bar = text.find(kSeparator);
  Request request = base_request(parse_case(text.substr(0, bar)));
  if (bar == std::string::npos) return request;
  const std::string rest = text.substr(bar + 3);
  const size_t second = rest.find(kSeparator);
  parse_edits(request, rest.substr(0, second));
  if (second != std::string::npos) request.companion = parse_case(rest.substr(second + 3));
  if (request.companion.has_value() != (request.company != Company::none)) {
    throw std::invalid_argument("company= and a companion's case go together");
  }
  return request;
}

Request companion_request(const Request& request) {
  return base_request(request.companion.value());
}

Case effective_case(const Request& request) {
  Case c = request.case_;
  Problem& p = c.problem;
  if (request.value == ValueEdit::identity) p.batch *= ceil_div(p.kv_len, p.v_head_dim);
  if (request.value == ValueEdit::shard_indicator)
    p.batch *= ceil_div(c.mesh.world(), p.v_head_dim);
  return c;
}

}  // namespace attncheck
