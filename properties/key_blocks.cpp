#include "properties/key_blocks.h"

#include <algorithm>

#include <c10/util/Exception.h>

#include "properties/element.h"
#include "properties/values_by_place.h"

namespace attncheck {

std::vector<int64_t> key_block_lengths(const Request& request) {
  int64_t left = request.case_.problem.kv_len;
  const int64_t blocks = std::max(1, request.key_blocks);
  TORCH_CHECK(blocks <= left, "key_blocks=", blocks, ": there are ", left, " keys");
  const Element root(request.case_.seed, kKeyBlocks);
  std::vector<int64_t> lengths;
  for (int64_t block = 0; block + 1 < blocks; ++block) {
    const int64_t most = left - (blocks - 1 - block);
    const Element drawn = root.at(block);
    lengths.push_back(drawn.at(0).integer(0, 1) == 0 ? 1 : drawn.at(1).integer(1, most));
    left -= lengths.back();
  }
  lengths.push_back(left);
  return lengths;
}

int drawn_key_blocks(const Case& c) {
  const auto drawn = static_cast<int64_t>(Element(c.seed, kKeyBlocks).integer(2, 8));
  return static_cast<int>(std::min(c.problem.kv_len, drawn));
}

}  // namespace attncheck
