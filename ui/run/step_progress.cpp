// SPDX-License-Identifier: Apache-2.0
#include "ui/run/step_progress.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kMaxSteps = 10'000;

struct PhaseWord {
    std::string_view word; // the WORD in timing_s/WORD
    std::string_view name;
    std::string_view role;
};

// The timing keys of verl's trainer (marked_timer in ray_trainer.py), in the order in which the phases of a
// step run.
constexpr std::array<PhaseWord, 11> kPhases{{{"gen", "generate", "rollout"},
                                             {"reward", "reward", "reward"},
                                             {"old_log_prob", "logprob", "actor"},
                                             {"ref", "ref", "ref"},
                                             {"values", "values", "critic"},
                                             {"adv", "advantage", "controller"},
                                             {"update_critic", "update critic", "critic"},
                                             {"update_actor", "update", "actor"},
                                             {"update_weights", "weights", "rollout"},
                                             {"testing", "validate", "other"},
                                             {"save_checkpoint", "checkpoint", "other"}}};

std::string_view upTo(std::string_view text, std::string_view ends)
{
    return text.substr(0, text.find_first_of(ends));
}

// Parses "timing_s/KEY:12.5" or "timing_s/KEY:np.float64(12.5)".
std::optional<double> timingOf(std::string_view line, std::string_view key)
{
    const std::string pattern = "timing_s/" + std::string(key) + ":";
    const size_t at = line.find(pattern);
    if (at == line.npos) return std::nullopt;
    std::string_view value = upTo(line.substr(at + pattern.size()), " )");
    if (const size_t open = value.find('('); open != value.npos) value.remove_prefix(open + 1);
    return parseDouble(value);
}

} // namespace

std::optional<StepTimings> stepTimingsOf(std::string_view line)
{
    const size_t at = line.find("step:");
    if (at == line.npos || line.find("timing_s/") == line.npos) return std::nullopt;
    const auto step = parseInt(upTo(line.substr(at + 5), " -"));
    if (!step) return std::nullopt;
    StepTimings timings{*step, timingOf(line, "step").value_or(0), {}};
    for (const PhaseWord& phase : kPhases) {
        const auto seconds = timingOf(line, phase.word);
        if (seconds && *seconds > 0)
            timings.phases.push_back({std::string(phase.name), std::string(phase.role), *seconds});
    }
    if (timings.phases.empty() && timings.seconds <= 0) return std::nullopt;
    return timings;
}

void StepProgress::clear()
{
    m_steps.clear();
}

void StepProgress::noteStep(int64_t step, int64_t time_ns)
{
    if (m_steps.contains(step) || (!m_steps.empty() && step < m_steps.rbegin()->first)) return;
    if (!m_steps.empty() && !m_steps.rbegin()->second.end_ns) m_steps.rbegin()->second.end_ns = time_ns;
    m_steps[step] = {step, time_ns, std::nullopt, {}, false};
    if (m_steps.size() > kMaxSteps) m_steps.erase(m_steps.begin());
}

// verl prints the line when the step ends, so the time of the line is the end of the step.
void StepProgress::noteTimings(const StepTimings& timings, int64_t time_ns)
{
    double seconds = timings.seconds;
    if (seconds <= 0) {
        for (const StepPhase& phase : timings.phases)
            seconds += phase.seconds;
    }
    StepSpan& span = m_steps[timings.step];
    if (!span.phases.empty()) return;
    span.step = timings.step;
    span.begin_ns = time_ns - static_cast<int64_t>(seconds * 1e9);
    span.end_ns = time_ns;
    span.phases = timings.phases;
}

void StepProgress::noteEnd(int64_t time_ns)
{
    if (!m_steps.empty() && !m_steps.rbegin()->second.end_ns) m_steps.rbegin()->second.end_ns = time_ns;
}

std::vector<StepSpan> StepProgress::steps() const
{
    std::vector<StepSpan> spans;
    spans.reserve(m_steps.size());
    for (const auto& [step, span] : m_steps) {
        spans.push_back(span);
        spans.back().isRecorded = std::ranges::find(m_recorded, step) != m_recorded.end();
    }
    return spans;
}

std::optional<int64_t> StepProgress::latest() const
{
    if (m_steps.empty()) return std::nullopt;
    return m_steps.rbegin()->first;
}

} // namespace lockstep
