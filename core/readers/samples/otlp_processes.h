// SPDX-License-Identifier: Apache-2.0
// OtlpProcesses finds the processes that emitted OTLP spans. A process is an instance of a service. It has
// the name of the instance, such as a worker of ROLL, or that of the service if the instance has a random
// UUID, as OpenTelemetry's SDKs set by themselves. Refers to the spans and the builder. One thread.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/readers/samples/otlp_spans.h"

namespace lockstep {

class OtlpProcesses {
  public:
    explicit OtlpProcesses(const OtlpSpans& spans);

    // Returns the process of a span, which is added to the builder if it is new.
    ProcessId of(const OtlpSpan& span);

  private:
    struct Names {
        std::string name;
        std::string instance; // a UUID; empty if the name tells the instance
        int64_t pid = kUnrecorded;
    };
    std::string_view text(const OtlpSpan& span, OtlpKey key) const;
    Names namesOf(const OtlpSpan& span) const;
    bool isShared(const Names& names) const;

    const OtlpSpans& m_spans;
    std::unordered_map<uint32_t, ProcessId> m_byResource;
    std::set<std::tuple<std::string, int64_t, std::string>> m_random; // name, pid and UUID
};

} // namespace lockstep
