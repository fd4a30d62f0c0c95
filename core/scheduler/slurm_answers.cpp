// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/slurm_answers.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNodeCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr size_t kLongestNode_bytes = 200;

template<class Take>
void forEachLine(std::string_view text, Take take)
{
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
            line.remove_suffix(1);
        if (!line.empty()) take(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// Returns the value of " KEY=" in a line of scontrol, up to the next space, or "" if the key is missing.
// Values that may contain spaces (names, paths) end at the next key, `before`.
std::string_view valueOf(std::string_view line, std::string_view key, std::string_view before = " ")
{
    const size_t at = line.find(key);
    if (at == line.npos) return {};
    line.remove_prefix(at + key.size());
    const std::string_view value = line.substr(0, line.find(before));
    return value == "(null)" || value == "Unknown" || value == "N/A" ? std::string_view() : value;
}

// Parses "1:0" (exit status 1) or "0:9" (killed by signal 9).
void takeExit(std::string_view text, JobAnswer& answer)
{
    const size_t colon = text.find(':');
    if (colon == text.npos) return;
    const auto status = parseInt(text.substr(0, colon)), signal = parseInt(text.substr(colon + 1));
    if (status) answer.exitStatus = static_cast<int>(*status);
    if (signal && *signal != 0) answer.signal = static_cast<int>(*signal);
}

// Returns "CANCELLED" for "CANCELLED by 1000".
std::string firstWord(std::string_view text)
{
    return std::string(text.substr(0, text.find_first_of(" +")));
}

struct PendingReason {
    std::string_view word, text;
};
// From job_reason_string() in Slurm 22.05, src/common/slurm_protocol_defs.c. An entry also matches longer
// reasons that begin with it.
constexpr std::array<PendingReason, 26> kReasons{
    {{"JobHeldUser", "held by its owner"},
     {"JobHeldAdmin", "held by an administrator"},
     {"PartitionNodeLimit",
      "it requests more nodes than its partition allows and cannot start unless it is changed"},
     {"PartitionTimeLimit",
      "its time limit exceeds that of its partition, so it cannot start unless it is changed"},
     {"PartitionDown", "its partition is down"},
     {"PartitionInactive", "its partition is inactive"},
     {"BeginTime", "its begin time is in the future"},
     {"Resources", "waiting for free nodes"},
     {"Priority", "jobs of higher priority are ahead of it"},
     {"Dependency", "a job that it depends on has not finished"},
     {"DependencyNeverSatisfied", "a job that it depends on failed, so it will not start"},
     {"Licenses", "waiting for licenses"},
     {"ReqNodeNotAvail", "a node that it needs is down, drained or reserved"},
     {"Nodes_required_for_job_are_DOWN", "nodes that it needs are down, drained or reserved"},
     {"Reservation", "waiting for its reservation"},
     {"NodeDown", "a node that it needs is down"},
     {"BadConstraints", "no node satisfies its constraints, so it cannot start unless it is changed"},
     {"InvalidAccount", "its account is not valid"},
     {"InvalidQOS", "its QOS is not valid"},
     {"QOSNotAllowed", "its QOS is not allowed in this partition"},
     {"QOS", "a limit of its QOS is reached"},
     {"MaxNode", "a limit of its QOS or account is reached"},
     {"Assoc", "a limit of its account is reached"},
     {"AccountNotAllowed", "its account may not use this partition"},
     {"JobArrayTaskLimit", "the limit of concurrent tasks is reached"},
     {"None", "Slurm has not considered it yet"}}};

std::string unitText(int64_t count, const char* unit)
{
    return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

} // namespace

SlurmFailure slurmFailureFrom(std::string_view errorText)
{
    constexpr std::array<std::string_view, 3> kUnknown{"Invalid job id specified", "Invalid job id",
                                                       "not found in the database"};
    constexpr std::array<std::string_view, 10> kNoAnswer{"Unable to contact slurm controller",
                                                         "Socket timed out",
                                                         "Connection refused",
                                                         "Connection timed out",
                                                         "timed out",
                                                         "Communication connection failure",
                                                         "Zero Bytes were transmitted",
                                                         "Resource temporarily unavailable",
                                                         "Could not establish a configuration",
                                                         "Slurm backup controller in standby mode"};
    const auto isIn = [errorText](std::string_view text) { return errorText.find(text) != text.npos; };
    if (std::ranges::any_of(kNoAnswer, isIn)) return SlurmFailure::noAnswer;
    if (std::ranges::any_of(kUnknown, isIn)) return SlurmFailure::unknownJob;
    return SlurmFailure::refused;
}

std::string slurmErrorText(std::string_view errorText)
{
    constexpr std::string_view kMark = "error: ";
    if (const size_t at = errorText.find(kMark); at != errorText.npos)
        errorText.remove_prefix(at + kMark.size());
    std::string first;
    forEachLine(errorText, [&first](std::string_view line) {
        if (first.empty()) first = printable(line);
    });
    return first;
}

bool isSlurmJobId(std::string_view text)
{
    return !text.empty() && text.size() < 20 && text.find_first_not_of(kDigits) == text.npos;
}

std::optional<SlurmJobId> slurmJobIdFrom(std::string_view output)
{
    std::optional<SlurmJobId> id;
    size_t count = 0;
    forEachLine(output, [&](std::string_view line) {
        const size_t semicolon = std::min(line.find(';'), line.size());
        if (!isSlurmJobId(line.substr(0, semicolon))) return;
        const std::string_view cluster = line.substr(std::min(semicolon + 1, line.size()));
        if (cluster.find_first_not_of(kNodeCharacters) != cluster.npos) return;
        ++count;
        id = SlurmJobId{std::string(line.substr(0, semicolon)), std::string(cluster)};
    });
    return count == 1 ? id : std::nullopt;
}

std::optional<std::string> slurmJobOfScript(std::string_view output, std::string_view script)
{
    std::optional<std::string> newest;
    int64_t newestId = -1;
    forEachLine(output, [&](std::string_view line) {
        const size_t bar = line.find('|');
        if (bar == line.npos) return;
        // "9+0" is the first component of the heterogeneous job 9.
        const std::string id = firstWord(line.substr(0, bar));
        const std::string_view command = line.substr(bar + 1);
        const bool isScript =
            command == script || (command.starts_with(script) && command[script.size()] == ' ');
        if (!isSlurmJobId(id) || !isScript || *parseInt(id) <= newestId) return;
        newestId = *parseInt(id);
        newest = id;
    });
    return newest;
}

JobPhase slurmPhase(std::string_view state)
{
    constexpr std::array<std::string_view, 7> kPending{
        "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "CONFIGURING", "RESV_DEL_HOLD"};
    constexpr std::array<std::string_view, 6> kRunning{"RUNNING", "SUSPENDED", "RESIZING",
                                                       "STOPPED", "SIGNALING", "STAGE_OUT"};
    if (std::ranges::find(kPending, state) != kPending.end()) return JobPhase::pending;
    if (std::ranges::find(kRunning, state) != kRunning.end()) return JobPhase::running;
    return state == "COMPLETING" ? JobPhase::ending : JobPhase::ended;
}

Result<JobAnswer> slurmAnswerFromScontrol(std::string_view output)
{
    JobAnswer answer;
    bool hasState = false;
    forEachLine(output, [&](std::string_view line) {
        const std::string_view state = valueOf(line, " JobState=");
        if (state.empty()) return;
        const auto component = parseInt(valueOf(line, " HetJobOffset="));
        if (const std::string_view nodes = valueOf(line, " NodeList="); !nodes.empty())
            answer.nodeLists.emplace_back(static_cast<int>(component.value_or(-1)), std::string(nodes));
        // The components of one job begin and end together. The script of the first component is the script
        // of the job.
        if (hasState) return;
        hasState = true;
        answer.state = state;
        answer.phase = slurmPhase(state);
        answer.reason = valueOf(line, " Reason=");
        // For a held job, Slurm keeps an outdated expected start.
        if (answer.phase == JobPhase::pending && !answer.reason.starts_with("JobHeld")) {
            if (const auto start = parseInt(valueOf(line, " StartTime="))) answer.expectedStart_s = *start;
        }
        answer.outputFile = valueOf(line, " StdOut=", " Power=");
        answer.timeLimit = valueOf(line, " TimeLimit=");
        if (const auto restarts = parseInt(valueOf(line, " Restarts="))) {
            answer.restarts = static_cast<int>(std::clamp<int64_t>(*restarts, 0, kMaxRestarts));
        }
        if (answer.phase == JobPhase::ended) takeExit(valueOf(line, " ExitCode="), answer);
    });
    if (!hasState) return makeError(ErrorKind::corrupt, "scontrol printed no job state");
    return answer;
}

std::optional<JobAnswer> slurmAnswerFromSacct(std::string_view output)
{
    std::optional<JobAnswer> answer;
    forEachLine(output, [&answer](std::string_view line) {
        if (answer) return;
        JobAnswer one;
        const size_t bar = std::min(line.find('|'), line.size());
        one.state = firstWord(line.substr(0, bar));
        one.phase = slurmPhase(one.state);
        if (one.phase == JobPhase::ended) takeExit(line.substr(std::min(bar + 1, line.size())), one);
        if (!one.state.empty()) answer = one;
    });
    return answer;
}

std::vector<std::string> slurmNodesFrom(std::string_view output)
{
    std::vector<std::string> nodes;
    forEachLine(output, [&nodes](std::string_view line) {
        // A node name becomes a folder name, so only safe names are accepted.
        const bool isName = line.size() < kLongestNode_bytes && line.front() != '.' && line.front() != '-' &&
                            line.find_first_not_of(kNodeCharacters) == line.npos;
        if (isName) nodes.emplace_back(line);
    });
    return nodes;
}

std::string slurmPendingText(std::string_view job, std::string_view reason)
{
    if (reason.empty()) return {};
    const PendingReason* best = nullptr;
    for (const PendingReason& known : kReasons) {
        if (reason.starts_with(known.word) && (best == nullptr || known.word.size() > best->word.size()))
            best = &known;
    }
    if (best == nullptr) return printable(reason);
    std::string text = std::string(best->text) + " (" + printable(reason) + ")";
    if (best->word == "JobHeldUser") text += "; run scontrol release " + std::string(job) + " to release it";
    return text;
}

std::string slurmLengthText(std::string_view limit)
{
    std::array<int64_t, 4> parts{}; // days, hours, minutes, seconds
    std::string_view rest = limit;
    if (const size_t dash = rest.find('-'); dash != rest.npos) {
        const auto days = parseInt(rest.substr(0, dash));
        if (!days) return std::string(limit);
        parts[0] = *days;
        rest.remove_prefix(dash + 1);
    }
    for (size_t i = 1; i < parts.size(); ++i) {
        const size_t colon = std::min(rest.find(':'), rest.size());
        const auto value = parseInt(rest.substr(0, colon));
        if (!value) return std::string(limit);
        parts[i] = *value;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    constexpr std::array<const char*, 4> kUnits{"day", "hour", "minute", "second"};
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] != 0) text += (text.empty() ? "" : " ") + unitText(parts[i], kUnits[i]);
    }
    return text.empty() ? std::string(limit) : text;
}

std::string exitStatusText(int status)
{
    std::string text = "exit status " + std::to_string(status);
    if (status == 137) return text + ": ended by SIGKILL, which the kernel sends when memory runs out";
    if (status == 143) return text + ": ended by SIGTERM";
    if (status > 128 && status < 160) return text + ": ended by signal " + std::to_string(status - 128);
    return text;
}

std::string slurmEndText(const JobAnswer& answer, bool isStopped)
{
    const std::string word = " (" + printable(answer.state) + ")";
    if (answer.state == "COMPLETED") return {};
    if (answer.state == "CANCELLED")
        return isStopped ? "canceled as requested" : "canceled outside Lockstep" + word;
    if (answer.state == "TIMEOUT") {
        const std::string limit = slurmLengthText(answer.timeLimit);
        return (limit.empty() ? "its time limit was" : "time limit of " + limit) + " reached" + word;
    }
    if (answer.state == "OUT_OF_MEMORY")
        return "it used more memory than it requested" + word + "; request more with --mem";
    if (answer.state == "NODE_FAIL") return "one of its nodes failed" + word;
    if (answer.state == "PREEMPTED") return "preempted by a job of higher priority" + word;
    if (answer.state == "BOOT_FAIL") return "its nodes did not boot" + word;
    if (answer.state == "DEADLINE") return "its deadline passed" + word;
    if (answer.state == "FAILED" && answer.signal)
        return "its script was ended by signal " + std::to_string(*answer.signal) + word;
    if (answer.state == "FAILED" && answer.exitStatus && *answer.exitStatus != 0)
        return exitStatusText(*answer.exitStatus) + word;
    const std::string reason = answer.reason.empty() || answer.reason == "None" ? "" : ": " + answer.reason;
    return printable(answer.state + reason);
}

} // namespace lockstep
