// SPDX-License-Identifier: Apache-2.0
#include "core/trace/sample_names.h"

#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(SampleStatus::count)> kStatuses{
    "", "completed", "truncated", "aborted", "failed", "rejected", "dropped", "pending"};
constexpr std::array<std::string_view, static_cast<size_t>(SpanKind::count)> kKinds{
    "other",         "queue",          "prefill",         "decode",       "generate",   "tool",
    "reward",        "kv_transfer",    "weight_update",   "phase",        "preemption", "weight_pause",
    "weight_gather", "weight_reshard", "weight_transfer", "weight_resume"};

} // namespace

std::string_view sampleStatusName(SampleStatus status)
{
    return kStatuses[static_cast<size_t>(status)];
}

SampleStatus sampleStatusNamed(std::string_view word)
{
    const std::string lower = lowerAscii(word);
    for (size_t i = 1; i < kStatuses.size(); ++i) {
        if (lower == kStatuses[i] || lower.ends_with("." + std::string(kStatuses[i])))
            return static_cast<SampleStatus>(i);
    }
    return SampleStatus::unknown;
}

std::string_view spanKindName(SpanKind kind)
{
    return kKinds[static_cast<size_t>(kind)];
}

} // namespace lockstep
