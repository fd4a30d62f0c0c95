// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_event.h"

#include <array>

#include "core/base/peer_json.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

namespace {

// The names in the order of EventKind.
constexpr std::array<std::string_view, 16> kKindNames{
    "started", "stdout",    "stderr",         "step", "capture", "gpu",    "report", "exit",
    "error",   "heartbeat", "clock_exchange", "job",  "waiting", "launch", "alive",  ""};

constexpr size_t kMaxAddresses = 8; // the maximum that an agent accepts per peer

HostUsage useFrom(const Json& object)
{
    HostUsage use;
    use.cpu_percent = realAt(object, "cpu_percent");
    use.memoryUsed_bytes = numberAt(object, "memory_used_bytes").value_or(0);
    use.memoryTotal_bytes = numberAt(object, "memory_total_bytes").value_or(0);
    use.received_bytesPerSecond = realAt(object, "received_bytes_per_s");
    use.sent_bytesPerSecond = realAt(object, "sent_bytes_per_s");
    use.diskFree_bytes = numberAt(object, "disk_free_bytes").value_or(0);
    for (const Json& gpu : listAt(object, "gpus")) {
        if (!gpu.is_object()) continue;
        use.gpus.push_back({static_cast<int>(numberAt(gpu, "index").value_or(0)), realAt(gpu, "busy_percent"),
                            numberAt(gpu, "used_bytes").value_or(0),
                            numberAt(gpu, "total_bytes").value_or(0)});
    }
    return use;
}

std::string firstText(const Json& object, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        if (std::string text = textAt(object, key); !text.empty()) return text;
    }
    return {};
}

std::vector<std::string> textsAt(const Json& object, const char* key)
{
    std::vector<std::string> texts;
    for (const Json& text : listAt(object, key)) {
        if (text.is_string()) texts.push_back(text.get<std::string>());
    }
    return texts;
}

void readLaunch(const Json& object, RunEvent& event)
{
    event.outcome = textAt(object, "outcome");
    event.framework = textAt(object, "framework");
    event.argv = textsAt(object, "argv");
    event.profiledArgv = textsAt(object, "profiled_argv");
    event.addedEnvironment = textsAt(object, "added_environment");
}

} // namespace

std::string_view eventKindName(EventKind kind)
{
    return kKindNames[static_cast<size_t>(kind)];
}

std::string bytesFromHex(std::string_view hex)
{
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>((digit(hex[i]) & 15) << 4 | (digit(hex[i + 1]) & 15));
    return bytes;
}

Result<RunEvent> runEventFromLine(std::string_view line)
{
    const Json object = jsonFromPeer(line);
    if (!object.is_object()) return makeError(ErrorKind::corrupt, "an event is not a JSON object");
    const auto seq = numberAt(object, "seq");
    const std::string kind = textAt(object, "kind");
    const bool isUnnumbered =
        kind == eventKindName(EventKind::waiting) || kind == eventKindName(EventKind::alive);
    if (!seq || *seq < 0 || (*seq == 0 && !isUnnumbered) || kind.empty())
        return makeError(ErrorKind::corrupt, "an event has an invalid seq or no kind");
    RunEvent event;
    event.seq = static_cast<uint64_t>(*seq);
    event.time_ns = numberAt(object, "t_ns").value_or(0);
    for (size_t i = 0; i + 1 < kKindNames.size(); ++i) {
        if (kKindNames[i] == kind) event.kind = static_cast<EventKind>(i);
    }
    event.command = numberAt(object, "command");
    event.text = firstText(object, {"text", "reason"});
    event.line = textAt(object, "line");
    event.word = firstText(object, {"failure", "state"});
    event.name = textAt(object, "name");
    event.step = numberAt(object, "step");
    event.isStepEnd = textAt(object, "mark") == "end";
    event.order = numberAt(object, "order");
    event.isWaiting = boolAt(object, "waiting");
    event.cut_bytes = numberAt(object, "cut_bytes").value_or(0);
    event.path = textAt(object, "path");
    if (const std::string hex = textAt(object, "path_hex"); !hex.empty()) event.path = bytesFromHex(hex);
    event.type = textAt(object, "type");
    event.size_bytes = numberAt(object, "size_bytes").value_or(0);
    event.modified_ns = numberAt(object, "modified_ns").value_or(0);
    event.inode = numberAt(object, "inode").value_or(0);
    event.isComplete = boolAt(object, "complete");
    event.isFlushing = boolAt(object, "flushing");
    event.isOld = boolAt(object, "old");
    event.isFinal = boolAt(object, "final");
    event.exitStatus = numberAt(object, "exit_status");
    event.isShared = boolAt(object, "shared");
    event.isGone = event.kind == EventKind::report && boolAt(object, "gone");
    event.isRunEnd = event.kind == EventKind::exit && boolAt(object, "run");
    event.wasStopped = boolAt(object, "stopped");
    event.code = numberAt(object, "code");
    event.dropped_bytes = numberAt(object, "dropped_bytes").value_or(0);
    event.signal = numberAt(object, "signal");
    event.controller = textAt(object, "controller");
    event.worker = textAt(object, "worker");
    event.peer = textAt(object, "peer");
    event.port = numberAt(object, "port").value_or(0);
    for (const Json& address : listAt(object, "addresses")) {
        if (address.is_string() && event.addresses.size() < kMaxAddresses)
            event.addresses.push_back(address.get<std::string>());
    }
    if (event.kind == EventKind::launch) readLaunch(object, event);
    if (event.kind == EventKind::sample) event.use = useFrom(object);
    if (event.kind == EventKind::job) event.job = jobStatusFromJson(object);
    return event;
}

} // namespace lockstep
