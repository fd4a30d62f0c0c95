#include "capture/agent/run_past.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "capture/agent/event_log.h"

namespace lockstep::agent {

namespace {

constexpr size_t kMostCommands = 10'000; // a damaged log must not ask for more

void recallCommand(RunPast::CommandPast& command, const std::string& kind, const nlohmann::json& event)
{
    if (kind == "started" && !event.value("waiting", false)) command.isStartTold = true;
    if (kind == "exit") command.isExitTold = true;
    if (kind == "step") command.step = event.value("step", int64_t(0));
    if (kind == "stdout" || kind == "stderr") {
        RunPast::Log& log = kind == "stdout" ? command.out : command.err;
        log.to = event.value("to", uint64_t(0));
        log.isOpen = event.value("open", false);
    }
    if (event.contains("at")) {
        RunPast::Log& log = event.value("log", std::string()) == "stderr" ? command.err : command.out;
        log.signsTo = std::max(log.signsTo, event.value("at", uint64_t(0)));
    }
}

} // namespace

void RunPast::recall(const nlohmann::json& event)
{
    const std::string kind = event.value("kind", std::string());
    if (started_ns == 0) started_ns = event.value("t_ns", int64_t(0));
    if (kind == "exit" && event.value("run", false)) hasEnded = true;
    if (kind == "started" && !event.contains("command")) hasStarted = true;
    if (kind == "error") failures.insert(event.value("failure", std::string()));
    if (kind == "capture" && event.value("state", std::string()) == "stopping") {
        stop = {event.value("t_ns", int64_t(0)), event.value("grace_s", 0.0)};
    }
    if (kind == "report") {
        const std::string hex = event.value("path_hex", std::string());
        reports[hex.empty() ? event.value("path", std::string()) : bytesOfHex(hex)] = {
            event.value("size_bytes", uint64_t(0)), event.value("complete", false),
            event.value("reason", std::string())};
    }
    const size_t command = event.value("command", kMostCommands);
    if (command < kMostCommands) recallCommand(commands[command], kind, event);
}

RunPast readPast(const RunFolder& folder)
{
    RunPast past;
    EventReader reader(folder.eventsFile());
    for (std::string_view line = reader.next(); !line.empty(); line = reader.next()) {
        const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
        if (event.is_object()) past.recall(event);
    }
    return past;
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
