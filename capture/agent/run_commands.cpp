#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include <nlohmann/json.hpp>

#include "capture/agent/agent_commands.h"
#include "capture/agent/clock_pair.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/supervisor.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
namespace fs = std::filesystem;

int complain(const std::string& text, int status)
{
    std::fprintf(stderr, "lockstep-agent: %s\n", text.c_str());
    return status;
}

// The value behind an option, or "" when the option is not there.
std::string valueOf(Arguments arguments, std::string_view option)
{
    for (size_t i = 0; i + 1 < arguments.size(); ++i) {
        if (arguments[i] == option) return arguments[i + 1];
    }
    return {};
}

bool has(Arguments arguments, std::string_view option)
{
    return std::ranges::find(arguments, option) != arguments.end();
}

// Prints events from `from` on until the run's end; the run's exit code. A supervisor that died is replaced.
int followRun(const RunFolder& folder, uint64_t from)
{
    EventReader reader(folder.eventsFile());
    auto lastLook = std::chrono::steady_clock::now();
    while (true) {
        const std::string_view line = reader.next();
        if (line.empty()) {
            if (std::fflush(stdout) != 0) return 1; // nobody listens
            if (std::chrono::steady_clock::now() - lastLook > 1s) {
                lastLook = std::chrono::steady_clock::now();
                if (const auto watched = startSupervisor(folder); !watched) return complain(watched.error().message, 1);
            }
            std::this_thread::sleep_for(50ms);
            continue;
        }
        if (seqOfLine(line) >= from) {
            std::fwrite(line.data(), 1, line.size(), stdout);
            if (std::fputc('\n', stdout) == EOF) return 1;
        }
        if (!isRunEnd(line)) continue;
        const json event = json::parse(line, nullptr, false);
        return std::fflush(stdout) == 0 && event.is_object() ? event.value("code", 1) : 1;
    }
}

json describe(const FoundReport& report)
{
    json out{{"path", report.path.string()}, {"size_bytes", report.size_bytes}, {"modified_ns", report.modified_ns},
             {"kind", report.kind}, {"complete", report.isComplete}, {"reason", report.reason}};
    const auto digest = sha256OfFile(report.path, Progress());
    out["sha256"] = digest ? json(*digest) : json(nullptr);
    return out;
}

} // namespace

int runCommand(Arguments arguments)
{
    const std::string planFile = valueOf(arguments, "--plan"), runDir = valueOf(arguments, "--run-dir");
    if (planFile.empty() || runDir.empty()) return complain("run needs --plan FILE and --run-dir DIR", 2);
    const auto text = readTextFile(planFile);
    if (!text) return complain(text.error().message, 1);
    if (const auto plan = parseNodePlan(*text); !plan) return complain(planFile + ": " + plan.error().message, 1);
    const RunFolder folder(fs::absolute(runDir));
    std::error_code error;
    if (fs::exists(folder.eventsFile(), error)) {
        return complain(runDir + ": holds a run already; attach to it, or choose another folder", 1);
    }
    if (const auto kept = writeTextFile(folder.planFile(), *text); !kept) return complain(kept.error().message, 1);
    if (const auto started = startSupervisor(folder); !started) return complain(started.error().message, 1);
    if (!has(arguments, "--detach")) return followRun(folder, 1);
    std::printf("%s\n", json{{"run_dir", folder.path().string()}}.dump().c_str());
    return 0;
}

int attachCommand(Arguments arguments)
{
    if (arguments.empty()) return complain("attach needs the run's folder", 2);
    const RunFolder folder(fs::absolute(arguments[0]));
    const std::string fromText = valueOf(arguments, "--from");
    const auto from = fromText.empty() ? std::optional<int64_t>(1) : parseInt(fromText);
    if (!from || *from < 0) return complain("--from: not a sequence number: " + fromText, 2);
    std::error_code error;
    if (!fs::exists(folder.planFile(), error)) return complain(arguments[0] + ": no run here", 1);
    return followRun(folder, static_cast<uint64_t>(*from));
}

int stopCommand(Arguments arguments)
{
    if (arguments.empty()) return complain("stop needs the run's folder", 2);
    const RunFolder folder(fs::absolute(arguments[0]));
    const std::string graceText = valueOf(arguments, "--grace");
    const auto grace = graceText.empty() ? std::optional<double>(30.0) : parseDouble(graceText);
    if (!grace || *grace < 0) return complain("--grace: not a number of seconds: " + graceText, 2);
    std::error_code error;
    if (!fs::exists(folder.planFile(), error)) return complain(arguments[0] + ": no run here", 1);
    const auto asked = writeTextFile(folder.stopFile(), json{{"grace_s", *grace}}.dump());
    if (!asked) return complain(asked.error().message, 1);
    while (!readPast(folder).hasEnded) {
        if (const auto watched = startSupervisor(folder); !watched) return complain(watched.error().message, 1);
        std::this_thread::sleep_for(200ms);
    }
    std::printf("%s\n", json{{"stopped", true}}.dump().c_str());
    return 0;
}

int listCommand(Arguments arguments)
{
    std::vector<std::string> roots;
    if (const std::string run = valueOf(arguments, "--run"); !run.empty()) {
        const auto text = readTextFile(RunFolder(run).planFile());
        if (!text) return complain(text.error().message, 1);
        const auto plan = parseNodePlan(*text);
        if (!plan) return complain(plan.error().message, 1);
        roots = plan->reportRoots;
    } else {
        roots.assign(arguments.begin(), arguments.end());
    }
    if (roots.empty()) return complain("list needs a folder, or --run DIR", 2);
    for (const FoundReport& report : scanReports(roots)) std::printf("%s\n", describe(report).dump().c_str());
    return 0;
}

int clockCommand(Arguments)
{
    const ClockReading reading = readClocks();
    const json out{{"realtime_ns", reading.realtime_ns}, {"monotonic_ns", reading.monotonic_ns},
                   {"monotonic_raw_ns", reading.monotonicRaw_ns}, {"boottime_ns", reading.boottime_ns},
                   {"uncertainty_ns", reading.uncertainty_ns}, {"boot_id", reading.bootId}};
    std::printf("%s\n", out.dump().c_str());
    return 0;
}

} // namespace lockstep::agent
