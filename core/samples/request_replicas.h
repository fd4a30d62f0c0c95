// SPDX-License-Identifier: Apache-2.0
// RequestReplicas: which rollout engine ran the requests of a sample, where the records of samples do not say
// so, but those of the engines do: both contain the IDs of requests. Built from all reports of a workspace,
// which must outlive it. Immutable. Thread: any.
#pragma once

#include <string_view>
#include <unordered_map>

#include "core/trace/workspace.h"

namespace lockstep {

class RequestReplicas {
  public:
    // O(requests).
    explicit RequestReplicas(const Workspace& workspace);

    // Returns the replica that the sample states, else that of all of its requests; "" if one of them is
    // unknown, or if several replicas ran them. O(spans of the sample).
    std::string_view of(const Report& report, SampleId sample) const;

  private:
    std::unordered_map<std::string_view, std::string_view> m_byRequest; // "" if reports disagree
};

} // namespace lockstep
