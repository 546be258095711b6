#include "impl/models/catalogue.h"

#include "impl/models/decoder.h"
#include "impl/models/flux_like.h"
#include "impl/models/wan_like.h"

namespace attncheck {

std::vector<Model> built_in_models() {
  return {model_of(flux_like_recipe()), model_of(wan_like_recipe()), model_of(decoder_recipe())};
}

}  // namespace attncheck
