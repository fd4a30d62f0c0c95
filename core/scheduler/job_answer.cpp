// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/job_answer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "core/scheduler/slurm_answers.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 6> kPhases{"submitting", "pending", "running",
                                                  "ending",     "ended",   "forgotten"};

std::string formatted(const std::tm& time, const char* format)
{
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

// Returns "Slurm" or "Ray".
std::string_view schedulerName(SchedulerKind kind)
{
    return kind == SchedulerKind::slurm ? "Slurm" : "Ray";
}

// Returns "Slurm job 12", "Ray job raysubmit_x", or "the Slurm job" before it has an ID.
std::string jobName(const JobStatus& status)
{
    const std::string scheduler(schedulerName(status.scheduler));
    return status.job.empty() ? "the " + scheduler + " job" : scheduler + " job " + status.job;
}

std::string phaseText(const JobStatus& status)
{
    switch (status.phase) {
    case JobPhase::submitting:
        return "is being submitted";
    case JobPhase::pending:
        return "is pending" + (status.text.empty() ? "" : ": " + status.text);
    case JobPhase::running:
        return "is running";
    case JobPhase::ending:
        return "is ending";
    case JobPhase::ended:
        return status.text.empty() ? "has ended" : "ended: " + status.text;
    case JobPhase::forgotten:
        break;
    }
    return "is no longer known to " + std::string(schedulerName(status.scheduler)) +
           (status.text.empty() ? "" : "; " + status.text);
}

} // namespace

std::string_view jobPhaseName(JobPhase phase)
{
    return kPhases[static_cast<size_t>(phase)];
}

std::optional<JobPhase> jobPhaseNamed(std::string_view name)
{
    const auto found = std::ranges::find(kPhases, name);
    if (found == kPhases.end()) return std::nullopt;
    return static_cast<JobPhase>(found - kPhases.begin());
}

std::string clockText(int64_t time_s, int64_t now_s)
{
    const auto local = [](int64_t seconds) {
        const std::time_t time = seconds;
        std::tm parts{};
        ::localtime_r(&time, &parts);
        return parts;
    };
    const std::tm time = local(time_s), now = local(now_s);
    const bool isToday = time.tm_yday == now.tm_yday && time.tm_year == now.tm_year;
    return formatted(time, isToday ? "%H:%M" : "%Y-%m-%d %H:%M");
}

std::string jobSentence(const JobStatus& status)
{
    const int64_t now_s =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    if (status.silentSince_s) {
        std::string text = std::string(schedulerName(status.scheduler)) + " has not responded since " +
                           clockText(*status.silentSince_s, now_s);
        if (!status.silence.empty()) text += " (" + status.silence + ")";
        if (status.job.empty()) return text + "; it is not yet known whether the job was submitted";
        return text + "; the last known state of job " + status.job + " is " +
               std::string(jobPhaseName(status.phase));
    }
    std::string text = jobName(status) + " " + phaseText(status);
    const bool isRequeued = status.restarts > 0 && status.phase == JobPhase::pending;
    if (isRequeued)
        text += "; requeued " + (status.restarts == 1 ? "once" : std::to_string(status.restarts) + " times");
    if (status.phase == JobPhase::pending && status.expectedStart_s)
        text += "; expected start " + clockText(*status.expectedStart_s, now_s);
    return text;
}

namespace {

// Maximum number of nodes per job, as a limit on corrupt or hostile records.
constexpr size_t kMaxNodes = 8192;

} // namespace

Json jsonFromJobStatus(const JobStatus& status)
{
    Json object{{"scheduler", status.scheduler == SchedulerKind::slurm ? "slurm" : "ray"},
                {"job", status.job},
                {"phase", jobPhaseName(status.phase)},
                {"state", status.state},
                {"reason", status.reason},
                {"text", status.text}};
    if (status.expectedStart_s) object["expected_start_s"] = *status.expectedStart_s;
    if (status.silentSince_s) object["silent_since_s"] = *status.silentSince_s;
    if (status.restarts > 0) object["restarts"] = status.restarts;
    if (!status.silence.empty()) object["silence"] = status.silence;
    Json& nodes = object["nodes"] = Json::array();
    for (const JobNode& node : status.nodes) {
        nodes.push_back({{"name", node.name}});
        if (node.component >= 0) nodes.back()["component"] = node.component;
    }
    return object;
}

JobStatus jobStatusFromJson(const Json& object)
{
    JobStatus status;
    status.scheduler = textAt(object, "scheduler") == "ray" ? SchedulerKind::ray : SchedulerKind::slurm;
    status.job = textAt(object, "job");
    status.phase = jobPhaseNamed(textAt(object, "phase")).value_or(JobPhase::submitting);
    status.state = textAt(object, "state");
    status.reason = textAt(object, "reason");
    status.text = textAt(object, "text");
    status.expectedStart_s = numberAt(object, "expected_start_s");
    status.silentSince_s = numberAt(object, "silent_since_s");
    status.silence = textAt(object, "silence");
    status.restarts = static_cast<int>(std::min<uint64_t>(kMaxRestarts, countAt(object, "restarts")));
    for (const Json& node : listAt(object, "nodes")) {
        const std::string name = textAt(node, "name");
        const int64_t component = numberAt(node, "component").value_or(-1);
        const bool isNode = slurmNodesFrom(name) == std::vector<std::string>{name};
        if (isNode && component >= -1 && component < 1000 && status.nodes.size() < kMaxNodes)
            status.nodes.push_back({name, static_cast<int>(component)});
    }
    return status;
}

} // namespace lockstep
