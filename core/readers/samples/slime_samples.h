// SPDX-License-Identifier: Apache-2.0
// SlimeSamples adds the samples of one rollout of slime to SampleRows. Both the rollout dump and the cache of
// slime's trace viewer, which is made from it, record them. Source: slime/observability/trace_utils.py. One
// thread. Times are Unix ns of the RolloutManager's host.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/readers/samples/sample_rows.h"

namespace lockstep {

// What the attributes at the end of a generation say.
struct SlimeUsage {
    std::optional<int64_t> prompt, output, cached;
};

class SlimeSamples {
  public:
    explicit SlimeSamples(SampleRows& rows);

    SampleRows& rows() { return m_rows; }
    // Learns the rollout from the path of its dump: rollout_data/12.pt is rollout 12, eval_12.pt is its
    // evaluation.
    void setPath(std::string_view path);
    void setStep(int64_t step) { m_step = step; }
    int64_t step() const { return m_step; }

    // Sets the name of a span, its kind, and whether its position is derived.
    void setName(std::string_view name, SpanRecord& span);
    // Adds the tokens of a generation to a sample. A sample with several generations has the tokens of all
    // outputs, and the prompt of the first generation, because later prompts contain earlier outputs.
    static void add(const SlimeUsage& usage, Sample& sample);
    void setStatus(std::string_view status, Sample& sample);
    // Adds a sample, whose id and process are set here, and its spans. Samples of the same index, such as
    // those of two evaluation sets, stay separate.
    void add(const std::string& index, uint64_t source, Sample sample, std::span<SpanRecord> spans);
    // Sets the step of all samples. Call it once, at the end.
    void finish();

  private:
    SampleRows& m_rows;
    ProcessId m_process;
    std::unordered_map<std::string, int> m_known; // number of samples by index
    int64_t m_step = kUnrecorded;
    bool m_isEvaluation = false;
};

} // namespace lockstep
