// SPDX-License-Identifier: Apache-2.0
#include "core/samples/request_replicas.h"

namespace lockstep {

RequestReplicas::RequestReplicas(const Workspace& workspace)
{
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        for (const Sample& sample : report.samples.samples) {
            if (sample.level != SampleLevel::request || !sample.replica.isValid()) continue;
            const std::string_view replica = report.strings.at(sample.replica);
            const auto [known, isNew] = m_byRequest.try_emplace(report.strings.at(sample.id), replica);
            if (!isNew && known->second != replica) known->second = {};
        }
    }
}

std::string_view RequestReplicas::of(const Report& report, SampleId id) const
{
    const Sample& sample = report.samples.samples[id.value];
    if (sample.replica.isValid()) return report.strings.at(sample.replica);
    std::string_view replica;
    for (const uint32_t row : report.samples.spansOf(id)) {
        const SampleSpan& span = report.samples.spans[row];
        if (!span.request.isValid()) continue;
        const auto found = m_byRequest.find(report.strings.at(span.request));
        if (found == m_byRequest.end() || found->second.empty()) return {};
        if (!replica.empty() && replica != found->second) return {};
        replica = found->second;
    }
    return replica;
}

} // namespace lockstep
