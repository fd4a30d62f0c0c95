// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/capture_gate.h"

#include <algorithm>

namespace lockstep::capture {

bool CaptureGate::isRankChosen(const GateSettings& settings, bool isEnabled, std::optional<int> rank)
{
    if (!isEnabled) return false;
    if (settings.isAllRanks) return true;
    if (!settings.ranks.empty()) return rank && std::ranges::count(settings.ranks, *rank) > 0;
    return rank.value_or(0) == 0;
}

std::optional<int64_t> CaptureGate::stepOfName(std::string_view name)
{
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    if (digits == name.size() || name.size() - digits > 18) return {};
    size_t word = digits;
    while (word > 0 && std::string_view(" _#:-").find(name[word - 1]) != std::string_view::npos)
        --word;
    if (word < 4) return {};
    for (size_t i = 0; i < 4; ++i) {
        if ((name[word - 4 + i] | 0x20) != "step"[i]) return {};
    }
    int64_t step = 0;
    for (const char digit : name.substr(digits))
        step = step * 10 + (digit - '0');
    return step;
}

bool CaptureGate::isCaptureRange(std::string_view name, std::string_view domain) const
{
    if (m_settings.domain != "*" && m_settings.domain != domain) return false;
    const std::string_view rangeName = m_settings.name;
    if (!rangeName.ends_with('*')) return name == rangeName;
    return name.starts_with(rangeName.substr(0, rangeName.size() - 1));
}

bool CaptureGate::watchesNames() const
{
    return m_settings.range == RangeKind::nvtx ||
           (m_settings.stepsAre == StepsAre::names && !m_settings.steps.empty()) ||
           (m_settings.isDiscrete && m_settings.range == RangeKind::all);
}

std::string CaptureGate::noReportReason() const
{
    const std::string listed = m_settings.steps.size() == 1
                                   ? "step " + std::to_string(m_settings.steps.front())
                                   : "one of " + std::to_string(m_settings.steps.size()) + " listed steps";
    if (m_settings.range != RangeKind::all && m_ranges == 0) {
        if (m_settings.range == RangeKind::profilerApi) return "cudaProfilerStart was not called";
        const std::string domain = m_settings.domain.empty() ? "" : "@" + m_settings.domain;
        return "the capture range nvtx:" + m_settings.name + domain + " never began";
    }
    if (m_settings.range != RangeKind::all && !m_settings.steps.empty())
        return "none of " + std::to_string(m_ranges) + " capture ranges was " + listed;
    if (m_settings.steps.empty()) return "no stage began (a range in domain lockstep)";
    if (m_steps == 0) return "no range named like \"step 1\" began; LOCKSTEP_STEPS waits for " + listed;
    if (m_settings.isDiscrete) return "no stage (a range in domain lockstep) began in " + listed;
    return "none of " + std::to_string(m_steps) + " steps was " + listed + "; the last was step " +
           std::to_string(m_lastStep);
}

bool CaptureGate::isChosen(int64_t step) const
{
    return m_settings.steps.empty() || std::ranges::binary_search(m_settings.steps, step);
}

GateDecision CaptureGate::open(ReportLabel label)
{
    GateDecision decision;
    decision.closes = m_isOpen;
    m_isOpen = true;
    m_openStep = label.step;
    decision.opens = std::move(label);
    return decision;
}

GateDecision CaptureGate::close()
{
    GateDecision decision;
    decision.closes = m_isOpen;
    m_isOpen = false;
    return decision;
}

GateDecision CaptureGate::started()
{
    const bool isWholeRun =
        m_settings.range == RangeKind::all && m_settings.steps.empty() && !m_settings.isDiscrete;
    return isWholeRun ? open({}) : GateDecision();
}

// A span is a step, or a capture range that represents a step. Adjacent spans share a report if the previous
// span left its report open for the next one.
GateDecision CaptureGate::beginSpan(std::optional<int64_t> step)
{
    if (m_isOpen && m_settings.isContinuous && step && m_openStep && *m_openStep + 1 == *step) {
        m_openStep = step;
        return {};
    }
    ReportLabel label;
    label.step = step;
    if (m_settings.range != RangeKind::all) label.range = m_ranges;
    return open(std::move(label));
}

GateDecision CaptureGate::endSpan()
{
    const bool staysOpen =
        m_settings.isContinuous && m_openStep && !m_settings.steps.empty() && isChosen(*m_openStep + 1);
    return staysOpen ? GateDecision() : close();
}

GateDecision CaptureGate::rangeBegan(std::string_view name)
{
    if (m_settings.range == RangeKind::all || m_isInRange) return {};
    m_isInRange = true;
    ++m_ranges;
    std::optional<int64_t> step;
    if (m_settings.stepsAre == StepsAre::listed) {
        if (static_cast<size_t>(m_ranges) <= m_settings.steps.size() && !m_settings.isDiscrete)
            step = m_settings.steps[static_cast<size_t>(m_ranges) - 1];
        return beginSpan(step);
    }
    step = m_settings.stepsAre == StepsAre::ordinals ? m_ranges : stepOfName(name);
    if (!step) step = m_step;
    if (!m_settings.steps.empty() && (!step || !isChosen(*step))) {
        m_isInRange = false; // the end of the range is ignored
        return {};
    }
    return beginSpan(m_settings.stepsAre == StepsAre::ordinals && m_settings.steps.empty() ? m_step : step);
}

GateDecision CaptureGate::rangeEnded()
{
    if (!m_isInRange) return {};
    m_isInRange = false;
    return endSpan();
}

GateDecision CaptureGate::stepBegan(int64_t step)
{
    m_step = m_lastStep = step;
    ++m_steps;
    if (m_settings.range != RangeKind::all || m_settings.isDiscrete || m_settings.steps.empty()) return {};
    if (isChosen(step)) return beginSpan(step);
    return close(); // the previous step left its report open for the next step number, but this is a
                    // different number
}

GateDecision CaptureGate::stepEnded()
{
    m_step.reset();
    if (m_settings.range != RangeKind::all || m_settings.isDiscrete || m_settings.steps.empty() || !m_isOpen)
        return {};
    return endSpan();
}

GateDecision CaptureGate::stageBegan(std::string_view role, std::string_view stage)
{
    if (!m_settings.isDiscrete || m_settings.range != RangeKind::all || m_isInStage) return {};
    m_isInStage = true;
    m_stageOpened = m_settings.steps.empty() || (m_step && isChosen(*m_step));
    if (!m_stageOpened) return {};
    return open({m_step, {}, std::string(role), std::string(stage)});
}

GateDecision CaptureGate::stageEnded()
{
    if (!m_isInStage) return {};
    m_isInStage = false;
    return m_stageOpened ? close() : GateDecision();
}

} // namespace lockstep::capture
