#include "harness/reaches.h"

namespace attncheck {

Support reaches(const Registry& registry, const Case& c, const std::string& device) {
  const Backend* backend = registry.backend(c.backend);
  const SubjectKind kind = registry.kind(c.impl);
  const bool has_none = kind == SubjectKind::collective || kind == SubjectKind::merge;
  if (has_none || backend == nullptr) return Support::yes();
  if (backend->device.empty() || backend->device == device) return Support::yes();
  return Support::no(backend->name + " runs on " + backend->device +
                     " alone, and the tensors are on " + device + ": use --device " +
                     backend->device);
}

}  // namespace attncheck
