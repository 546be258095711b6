#include "mutants/head_trades.h"

#include <utility>

#include "impl/layouts/strands.h"
#include "impl/ulysses/ulysses_attention.h"
#include "mutants/equal_shards.h"

namespace attncheck {

Parent trading_parent(std::function<void(HeadTrades&, const MeshGroups&)> change) {
  return {of_equal_shards(ulysses_parent().limits),
          [change = std::move(change)](const AttentionOptions& options, const MeshGroups& groups) {
            HeadTrades trades = head_trades(keep(groups.ulysses));
            if (groups.mesh.ulysses > 1) change(trades, groups);
            return exchanged_pass(
                local_pass(options.backend, options.scale, global_diagonal(options)), trades,
                options.return_lse);
          },
          Method::ulysses};
}

HeadTrades::Trade one_by_one(std::function<at::Tensor(const at::Tensor& x)> trade) {
  return [trade = std::move(trade)](const std::vector<at::Tensor>& xs) {
    std::vector<at::Tensor> traded;
    for (const at::Tensor& x : xs) traded.push_back(trade(x));
    return traded;
  };
}

}  // namespace attncheck
