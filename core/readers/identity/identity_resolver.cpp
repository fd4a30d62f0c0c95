// SPDX-License-Identifier: Apache-2.0
#include "core/readers/identity/identity_resolver.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/text.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/identity/name_scan.h"
#include "core/session/recipes/framework_names.h"
#include "core/trace/report.h"
#include "core/trace/report_identity.h"

namespace lockstep {

namespace {

// Derives an identity from the content of a report, in addition to what the reader stored in
// Report::identity.

// Some timers of a controller have the names of stages of workers, so several of them must be present.
constexpr size_t kControllerNames = 3;

constexpr const char* kRangeSource = "range names";

bool isRange(RowKind kind)
{
    return kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd || kind == RowKind::userAnnotation ||
           kind == RowKind::gpuAnnotation;
}

std::vector<std::string_view> rangeNames(const Report& report)
{
    std::vector<bool> seen(report.strings.size());
    std::vector<std::string_view> names;
    for (size_t row = 0; row < report.slices.size(); ++row) {
        const StringId name = report.slices.name[row];
        if (!isRange(report.slices.kind[row]) || name.value >= seen.size() || seen[name.value]) continue;
        seen[name.value] = true;
        names.push_back(report.strings.at(name));
    }
    return names;
}

// Returns the value of an environment variable that the reader stored as a fact.
std::optional<std::string_view> variable(const Report& report, std::string_view name)
{
    for (const auto& [key, value] : report.facts) {
        const size_t cut = key.find_last_of(". :");
        const std::string_view last = std::string_view(key).substr(cut == std::string::npos ? 0 : cut + 1);
        if (last == name && !value.empty()) return value;
    }
    return std::nullopt;
}

void learnNumber(const Report& report, Sourced<int>& field, std::string_view name, Confidence confidence)
{
    const auto text = variable(report, name);
    const auto number = text ? parseInt(*text) : std::nullopt;
    if (!number || *number < 0 || *number > 1'000'000'000) return;
    field.learn(static_cast<int>(*number), "environment " + std::string(name), confidence);
}

void learnText(const Report& report, Sourced<std::string>& field, std::string_view name,
               Confidence confidence)
{
    if (const auto text = variable(report, name)) {
        field.learn(std::string(*text), "environment " + std::string(name), confidence);
    }
}

// "actor", "rollout", "ref" of one hybrid worker become one role.
std::string joinedRole(const std::set<std::string_view>& roles)
{
    std::string out;
    for (const std::string_view role : {"actor", "rollout", "ref", "critic", "reward"}) {
        if (roles.contains(role)) out += (out.empty() ? "" : "_") + std::string(role);
    }
    return out;
}

void learnStages(const std::vector<std::string_view>& names, Identity& out)
{
    const FrameworkNames& known = frameworkNames();
    std::map<std::string_view, std::string_view> roleOf; // of a stage
    for (const RangeNames& range : known.ranges) {
        for (const std::string& name : range.names) {
            if (!range.role.empty()) roleOf.try_emplace(name, range.role);
        }
    }
    std::set<std::string_view> roles, stages;
    size_t controller = 0;
    for (const std::string_view name : names) {
        const auto stage = roleOf.find(name);
        if (stage != roleOf.end()) {
            roles.insert(stage->second);
            stages.insert(stage->first);
        }
        controller += std::ranges::find(known.controller, name) != known.controller.end();
    }
    if (controller >= kControllerNames) {
        out.role.learn("controller", kRangeSource, Confidence::guessed);
        return;
    }
    if (!roles.empty()) out.role.learn(joinedRole(roles), kRangeSource, Confidence::guessed);
    if (stages.size() == 1) out.stage.learn(std::string(*stages.begin()), kRangeSource, Confidence::stated);
}

void learnWorker(const std::vector<std::string_view>& names, Identity& out)
{
    for (const std::string_view name : names) {
        for (const auto& [begin, role] : frameworkNames().workers) {
            if (name.starts_with(begin)) out.role.learn(role, kRangeSource, Confidence::guessed);
        }
    }
}

// Derives the identity from RANK, LOCAL_RANK, WORLD_SIZE, SLURM_PROCID, OMPI_COMM_WORLD_RANK, ... among the
// report's facts. The part of a fact's name up to the last '.', ' ' or ':' is ignored. Under Ray, Slurm's
// values belong to the node daemon and are not used.
Identity identityFromEnvironment(const Report& report)
{
    Identity out;
    learnNumber(report, out.rank, "RANK", Confidence::stated);
    learnNumber(report, out.localRank, "LOCAL_RANK", Confidence::stated);
    learnNumber(report, out.worldSize, "WORLD_SIZE", Confidence::stated);
    learnText(report, out.run, "TORCHELASTIC_RUN_ID", Confidence::guessed);
    const bool isRay = variable(report, "WG_BACKEND") || variable(report, "RAY_LOCAL_WORLD_SIZE") ||
                       variable(report, "RAY_JOB_ID");
    if (!isRay) {
        learnNumber(report, out.rank, "OMPI_COMM_WORLD_RANK", Confidence::stated);
        learnNumber(report, out.rank, "SLURM_PROCID", Confidence::stated);
        learnNumber(report, out.localRank, "OMPI_COMM_WORLD_LOCAL_RANK", Confidence::stated);
        learnNumber(report, out.localRank, "SLURM_LOCALID", Confidence::stated);
        learnNumber(report, out.worldSize, "OMPI_COMM_WORLD_SIZE", Confidence::stated);
        learnNumber(report, out.worldSize, "SLURM_NTASKS", Confidence::stated);
    }
    learnText(report, out.host, "SLURMD_NODENAME", Confidence::stated);
    learnText(report, out.host, "HOSTNAME", Confidence::guessed);
    if (const auto job = variable(report, "SLURM_JOB_ID")) {
        out.run.learn("slurm " + std::string(*job), "environment SLURM_JOB_ID", Confidence::stated);
    }
    const auto roleName = variable(report, "ROLE_NAME");
    if (roleName && *roleName != "default") learnText(report, out.role, "ROLE_NAME", Confidence::stated);
    return out;
}

// Derives the identity from process names such as "ray::WorkerDict_0:3" (local rank after the colon), but
// only if exactly one process has such a name.
Identity identityFromProcesses(const Report& report)
{
    Identity out;
    size_t matches = 0;
    for (const Process& process : report.processes) {
        const std::string_view name = report.strings.at(process.name);
        const size_t colon = name.rfind(':');
        if (!name.starts_with("ray::") || colon == std::string_view::npos || colon < 5) continue;
        NameScan scan(name.substr(colon + 1));
        const auto local = scan.takeNumber();
        if (!local || *local > 1'000'000) continue;
        ++matches;
        out.localRank.learn(static_cast<int>(*local), "process name", Confidence::guessed);
        out.pid.learn(process.pid, "process name", Confidence::guessed);
    }
    return matches == 1 ? out : Identity();
}

// Derives the identity from NVTX and annotation names: the stages and workers in the recipes, and a
// controller's timers.
Identity identityFromRanges(const Report& report)
{
    Identity out;
    const std::vector<std::string_view> names = rangeNames(report);
    learnWorker(names, out);
    if (!out.role.isKnown()) learnStages(names, out);
    return out;
}

// Returns every N of ProfilerStep#N. Returns none if an RL framework is detected, because such frameworks
// count their own steps.
std::set<int> profilerSteps(const Report& report)
{
    std::set<int> steps;
    if (identityFromRanges(report).role.isKnown()) return steps;
    for (const std::string_view name : rangeNames(report)) {
        NameScan scan(name);
        const auto step = scan.takeNumberAfter("ProfilerStep#");
        if (step && scan.isAtEnd() && *step < 1'000'000'000) steps.insert(static_cast<int>(*step));
    }
    return steps;
}

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
        visitParts(
            [&](std::string_view part, auto& current, const auto& other) { join(part, current, other); },
            m_out.identity, from);
    }

  private:
    template<class T>
    void join(std::string_view part, Sourced<T>& current, const Sourced<T>& other)
    {
        if (!other.isKnown()) return;
        if (!current.isKnown()) {
            current = other;
        } else if (current.value == other.value) {
            if (current.confidence >= Confidence::stated && other.confidence >= Confidence::stated) {
                current.confidence = Confidence::confirmed;
            } else {
                current.confidence = std::max(current.confidence, other.confidence);
            }
            // The reader's own description of the source is shorter.
            if (other.source.starts_with(current.source)) {
                current.source = other.source;
            } else {
                current.source += ", " + other.source;
            }
        } else {
            const bool replaces = other.confidence > current.confidence;
            const Sourced<T>& lost = replaces ? current : other;
            const Sourced<T>& kept = replaces ? other : current;
            if (lost.confidence >= Confidence::stated) {
                m_out.conflicts.push_back(std::string(part) + ": " + textOf(*kept.value) + " (" +
                                          kept.source + "), not " + textOf(*lost.value) + " (" + lost.source +
                                          ")");
            }
            if (replaces) current = other;
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
void resolveReplicaRank(Identity& identity)
{
    if (identity.rank.isKnown() || identity.replica.isKnown() || !identity.replicaRank.isKnown()) return;
    identity.rank.learn(*identity.replicaRank.value, identity.replicaRank.source, Confidence::guessed);
}

// The file's own steps take precedence over a number in its name. A number from a training framework
// counts the steps of the framework, which PyTorch's profiler does not know. This number is kept as well, and
// both numbers are reported.
void resolveStep(const std::set<int>& marked, ResolvedIdentity& out)
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
    resolveReplicaRank(identity);
    resolveStep(profilerSteps(report), out);
    if (identity.captureIndex.isKnown()) {
        if (const auto step = stepOfCapture(plan, *identity.captureIndex.value)) {
            identity.step.learn(*step, "capture index and the steps of the session", Confidence::stated);
        }
    }
    return out;
}

} // namespace lockstep
