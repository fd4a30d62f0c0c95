// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/run_history.h"

#include <algorithm>
#include <charconv>

#include "capture/agent/event_log.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

constexpr int64_t kMaxCommands = 10'000; // limit in case the log is corrupt

void recallCommand(RunHistory::CommandHistory& command, const std::string& kind, const Json& event)
{
    if (kind == "started" && !boolAt(event, "waiting")) command.isStartReported = true;
    if (kind == "exit") command.isExitReported = true;
    if (kind == "step") {
        command.step = numberAt(event, "step").value_or(0);
        command.stepMark = textAt(event, "mark");
    }
    if (kind == "stdout" || kind == "stderr") {
        RunHistory::Log& log = kind == "stdout" ? command.out : command.err;
        log.to = countAt(event, "to");
        log.isOpen = boolAt(event, "open");
    }
    if (event.contains("at")) {
        RunHistory::Log& log = textAt(event, "log") == "stderr" ? command.err : command.out;
        log.findingsTo = std::max(log.findingsTo, countAt(event, "at"));
    }
}

} // namespace

void RunHistory::recall(const Json& event)
{
    const std::string kind = textAt(event, "kind");
    if (started_ns == 0) started_ns = numberAt(event, "t_ns").value_or(0);
    if (kind == "exit" && boolAt(event, "run")) hasEnded = true;
    if (kind == "started" && !event.contains("command")) hasStarted = true;
    if (kind == "launch") ++launches;
    if (kind == "error") failures.insert(textAt(event, "failure"));
    if (event.contains("capture_log")) captureLogs[textAt(event, "capture_log")] = countAt(event, "to");
    if (kind == "capture" && textAt(event, "state") == "stopping") {
        stop = {numberAt(event, "t_ns").value_or(0), realAt(event, "grace_s")};
    }
    if (kind == "report") {
        const std::string hex = textAt(event, "path_hex");
        const std::string path = hex.empty() ? textAt(event, "path") : bytesOfHex(hex);
        if (boolAt(event, "gone")) {
            reports.erase(path);
        } else {
            reports[path] = {countAt(event, "size_bytes"), boolAt(event, "complete"),
                             textAt(event, "reason")};
        }
    }
    const int64_t command = numberAt(event, "command").value_or(-1);
    if (command >= 0 && command < kMaxCommands)
        recallCommand(commands[static_cast<size_t>(command)], kind, event);
}

RunHistory readRunHistory(const RunFolder& folder)
{
    RunHistory history;
    EventReader reader(folder.eventsFile());
    for (std::string_view line = reader.next(); !line.empty(); line = reader.next()) {
        const Json event = jsonFrom(line);
        if (event.is_object()) history.recall(event);
    }
    return history;
}

std::string hexOf(std::string_view bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        hex += kDigits[static_cast<unsigned char>(c) >> 4];
        hex += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return hex;
}

std::string bytesOfHex(std::string_view hex)
{
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        unsigned char byte = 0;
        const auto [stop, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
        if (error != std::errc() || stop != hex.data() + i + 2) return {};
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

} // namespace lockstep::agent
