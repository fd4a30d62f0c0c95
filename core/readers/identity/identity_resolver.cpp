// SPDX-License-Identifier: Apache-2.0
#include "core/readers/identity/identity_resolver.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "core/readers/identity/content_identity.h"
#include "core/readers/identity/file_identity.h"
#include "core/trace/report_identity.h"

namespace lockstep {

namespace {

template<class T>
std::string textOf(const T& value)
{
    if constexpr (std::is_same_v<T, std::string>) {
        return value;
    } else {
        return std::to_string(value);
    }
}

// Joiner merges sources in order of decreasing reliability.
class Joiner {
  public:
    explicit Joiner(ResolvedIdentity& out) : m_out(out) {}

    void add(const Identity& from)
    {
        visitParts([&](std::string_view part, auto& held, const auto& other) { join(part, held, other); },
                   m_out.identity, from);
    }

  private:
    template<class T>
    void join(std::string_view part, Sourced<T>& held, const Sourced<T>& other)
    {
        if (!other.isKnown()) return;
        if (!held.isKnown()) {
            held = other;
        } else if (held.value == other.value) {
            if (held.confidence >= Confidence::stated && other.confidence >= Confidence::stated) {
                held.confidence = Confidence::confirmed;
            } else {
                held.confidence = std::max(held.confidence, other.confidence);
            }
            // The reader's own description of the source is shorter.
            if (other.source.starts_with(held.source)) {
                held.source = other.source;
            } else {
                held.source += ", " + other.source;
            }
        } else {
            const bool replaces = other.confidence > held.confidence;
            const Sourced<T>& lost = replaces ? held : other;
            const Sourced<T>& kept = replaces ? other : held;
            if (lost.confidence >= Confidence::stated) {
                m_out.conflicts.push_back(std::string(part) + ": " + textOf(*kept.value) + " (" +
                                          kept.source + "), not " + textOf(*lost.value) + " (" + lost.source +
                                          ")");
            }
            if (replaces) held = other;
        }
    }

    ResolvedIdentity& m_out;
};

// Returns the identity that the reader found for the report's only process. This identity applies to the
// report.
Identity identityOfOnlyProcess(const Report& report)
{
    const Process* only = nullptr;
    for (const Process& process : report.processes) {
        if (process.pid <= 0) continue;
        if (only != nullptr) return {};
        only = &process;
    }
    if (only == nullptr) return {};
    Identity out = only->identity;
    out.pid.learn(only->pid, "process", Confidence::stated);
    return out;
}

// Inside a rollout engine, ranks are relative to the replica. If there are no replicas, these ranks are ranks
// in the job.
void settleReplicaRank(Identity& identity)
{
    if (identity.rank.isKnown() || identity.replica.isKnown() || !identity.replicaRank.isKnown()) return;
    identity.rank.learn(*identity.replicaRank.value, identity.replicaRank.source, Confidence::guessed);
}

// The file's own steps take precedence over a number in its name. A number from a training framework (verl)
// counts the steps of the framework, which PyTorch's profiler does not know. This number is kept as well, and
// both numbers are reported.
void settleStep(const std::set<int>& marked, ResolvedIdentity& out)
{
    if (marked.empty()) return;
    Sourced<int>& step = out.identity.step;
    std::string numbers;
    for (const int number : marked)
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
    if (step.isKnown() && !marked.contains(*step.value)) {
        const bool isFramework = step.confidence >= Confidence::stated;
        const std::string named = std::to_string(*step.value) + " (" + step.source + ")";
        out.conflicts.push_back("step: " + (isFramework ? named + ", not " + numbers + " (ProfilerStep#N)"
                                                        : numbers + " (ProfilerStep#N), not " + named));
        if (isFramework) {
            out.otherSteps.assign(marked.begin(), marked.end());
            return;
        }
        out.otherSteps.push_back(*step.value);
        step = {};
    }
    if (marked.size() == 1) step.learn(*marked.begin(), "ProfilerStep#N", Confidence::stated);
}

} // namespace

std::optional<int> stepOfCapture(const CapturePlan& plan, int captureIndex)
{
    std::vector<int> firsts = plan.steps;
    std::ranges::sort(firsts);
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    if (plan.isContinuous) {
        std::vector<int> groups;
        for (size_t i = 0; i < firsts.size(); ++i) {
            if (i == 0 || firsts[i] != firsts[i - 1] + 1) groups.push_back(firsts[i]);
        }
        firsts = std::move(groups);
    }
    const int index = (captureIndex - 1) / std::max(1, plan.stagesPerStep);
    if (captureIndex < 1 || index >= static_cast<int>(firsts.size())) return std::nullopt;
    return firsts[static_cast<size_t>(index)];
}

std::shared_ptr<const Report> withResolvedIdentity(std::unique_ptr<Report> report)
{
    ResolvedIdentity resolved = resolveIdentity(*report);
    report->identity = std::move(resolved.identity);
    std::string others;
    for (const int step : resolved.otherSteps)
        others += (others.empty() ? "" : ", ") + std::to_string(step);
    if (!others.empty()) report->facts.emplace_back(kOtherStepsFact, others);
    for (const std::string& conflict : resolved.conflicts) {
        report->notes.add(
            "identity.conflict", NoteSeverity::warning,
            "File name and content disagree on what this report is; using the more reliable source",
            conflict);
    }
    return report;
}

ResolvedIdentity resolveIdentity(const Report& report, const CapturePlan& plan)
{
    ResolvedIdentity out;
    Joiner joiner(out);
    joiner.add(report.identity);
    joiner.add(identityOfOnlyProcess(report));
    joiner.add(identityFromEnvironment(report));
    joiner.add(identityFromPath(report.provenance.path));
    joiner.add(identityFromProcesses(report));
    joiner.add(identityFromRanges(report));
    Identity& identity = out.identity;
    settleReplicaRank(identity);
    settleStep(profilerSteps(report), out);
    if (identity.captureIndex.isKnown()) {
        if (const auto step = stepOfCapture(plan, *identity.captureIndex.value)) {
            identity.step.learn(*step, "capture index and the steps of the session", Confidence::stated);
        }
    }
    return out;
}

} // namespace lockstep
