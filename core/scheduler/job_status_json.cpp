// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/job_status_json.h"

#include "core/scheduler/slurm_answers.h"

namespace lockstep {

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
