// SPDX-License-Identifier: Apache-2.0
#include "ui/run/step_progress.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/lanes/rl_phase.h"
#include "core/session/recipes/recipe_library.h"

namespace lockstep {

namespace {

constexpr size_t kMaxSteps = 10'000;

std::vector<LogSign> signsOf(LogSign::Kind kind)
{
    std::vector<LogSign> signs;
    for (const LaunchRecipe& recipe : launchRecipes()) {
        std::ranges::copy_if(recipe.logSigns, std::back_inserter(signs),
                             [&](const LogSign& sign) { return sign.kind == kind; });
    }
    return signs;
}

// Returns the step that ends with this line.
std::optional<int64_t> endedStep(std::string_view line)
{
    static const std::vector<LogSign> kSigns = signsOf(LogSign::Kind::stepEnds);
    for (const LogSign& sign : kSigns) {
        const auto found = sign.pattern.allMatches(line);
        if (!found.empty()) return parseInt(found.front()["step"]);
    }
    return std::nullopt;
}

} // namespace

std::optional<StepTimings> stepTimingsOf(std::string_view line)
{
    static const std::vector<LogSign> kSigns = signsOf(LogSign::Kind::timing);
    const auto sign =
        std::ranges::find_if(kSigns, [&](const LogSign& one) { return one.pattern.matches(line); });
    if (sign == kSigns.end()) return std::nullopt;
    const auto step = endedStep(line);
    if (!step) return std::nullopt;
    StepTimings timings{*step, 0, {}};
    std::array<std::vector<StepPhase>, kRlPhases> byPhase; // a step runs its phases in this order
    for (const Pattern::Groups& found : sign->pattern.allMatches(line)) {
        const double seconds = parseDouble(found["seconds"]).value_or(0);
        const std::string name(found["name"]);
        if (name == "step") timings.seconds = seconds;
        const auto phase = rlPhaseOf(name, "");
        if (!phase || seconds <= 0) continue;
        const bool hasName = *phase != RlPhase::other;
        byPhase[static_cast<size_t>(*phase)].push_back(
            {hasName ? std::string(rlPhaseName(*phase)) : name, std::string(rlPhaseRole(*phase)), seconds});
    }
    for (const std::vector<StepPhase>& phases : byPhase)
        timings.phases.insert(timings.phases.end(), phases.begin(), phases.end());
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

// The line is printed when the step ends.
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
