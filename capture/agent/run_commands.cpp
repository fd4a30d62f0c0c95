// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/clock_pair.h"
#include "capture/agent/clock_peers.h"
#include "capture/agent/command_monitor.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/supervisor.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/session/shell_quote.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Returns the value after an option, or "" if the option is missing.
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

// Prints an event that is in no log and has no sequence number, for a reader that has received nothing for a
// while.
void printTransient(bool isWaitingForSpace)
{
    const auto now_ns = static_cast<long long>(wallClock_ns());
    if (isWaitingForSpace) {
        std::printf("{\"seq\":0,\"t_ns\":%lld,\"kind\":\"waiting\",\"text\":\"ended; waiting for disk space "
                    "for its run folder\"}\n",
                    now_ns);
    } else {
        std::printf("{\"seq\":0,\"t_ns\":%lld,\"kind\":\"alive\"}\n", now_ns);
    }
    std::fflush(stdout);
}

// Prints the existing events starting at `from`, without starting anything.
int printRecorded(const RunFolder& folder, uint64_t from)
{
    EventReader reader(folder.eventsFile());
    for (std::string_view line = reader.next(); !line.empty(); line = reader.next()) {
        if (seqOfLine(line) < from) continue;
        std::fwrite(line.data(), 1, line.size(), stdout);
        std::fputc('\n', stdout);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}

// Prints events starting at `from` until the end of the run. Starts a new supervisor if the old one died.
// Returns the exit code of the run.
int followRun(const RunFolder& folder, uint64_t from, const Secrets& secrets)
{
    EventReader reader(folder.eventsFile());
    const auto interval = folder.pollingInterval(50ms);
    auto lastCheck = std::chrono::steady_clock::now();
    auto lastPrint = lastCheck;
    bool wasWaiting = false;
    while (true) {
        const std::string_view line = reader.next();
        if (line.empty()) {
            if (std::fflush(stdout) != 0) return 1; // the reader is gone
            if (std::chrono::steady_clock::now() - lastCheck > 1s) {
                lastCheck = std::chrono::steady_clock::now();
                if (const auto watched = startSupervisor(folder, secrets); !watched)
                    return printError(watched.error().message, 1);
                const bool isWaiting = folder.waitsForSpace();
                const bool isNewlyWaiting = isWaiting && !std::exchange(wasWaiting, isWaiting);
                if (isNewlyWaiting || lastCheck - lastPrint > std::chrono::seconds(Heartbeat::kEvery_s)) {
                    lastPrint = lastCheck;
                    printTransient(isWaiting);
                }
            }
            std::this_thread::sleep_for(interval);
            continue;
        }
        if (seqOfLine(line) >= from) {
            std::fwrite(line.data(), 1, line.size(), stdout);
            if (std::fputc('\n', stdout) == EOF) return 1;
            lastPrint = std::chrono::steady_clock::now();
        }
        if (!isRunEnd(line)) continue;
        const Json event = jsonFrom(line);
        return std::fflush(stdout) == 0 ? static_cast<int>(numberAt(event, "code").value_or(1)) : 1;
    }
}

// With --secrets, the first line of standard input contains values that are not stored anywhere else.
Result<Secrets> secretsOf(Arguments arguments)
{
    if (!has(arguments, "--secrets")) return Secrets();
    std::string line;
    std::getline(std::cin, line);
    return secretsFromJson(line);
}

// "-" is standard input; the plan follows the secrets there.
Result<std::string> planTextOf(const std::string& planFile)
{
    if (planFile != "-") return readTextFile(planFile);
    return std::string{std::istreambuf_iterator<char>(std::cin), {}};
}

// If the folder already contains an equal plan, it belongs to the same run: a client that lost the response
// sends its request again.
Status prepareFolder(const RunFolder& folder, const std::string& plan, const std::string& until, bool stays)
{
    if (const auto existing = readTextFile(folder.planFile())) {
        if (*existing == plan) return {};
        return makeError(ErrorKind::invalid,
                         folder.path().string() + ": contains another run; choose another folder");
    }
    LOCKSTEP_TRY(writeTextFile(folder.startFolderFile(), fs::current_path().string()));
    if (!until.empty()) LOCKSTEP_TRY(writeTextFile(folder.goFile(), until));
    if (stays) LOCKSTEP_TRY(writeTextFile(folder.stayFile(), ""));
    folder.makeReserve();
    return writeTextFile(folder.planFile(), plan);
}

// Kills the daemons that the commands of an ended run left behind.
void endLeftovers(const RunFolder& folder, double grace_s)
{
    std::vector<fs::path> commands;
    std::error_code error;
    for (size_t i = 0; fs::exists(folder.commandFolder(i), error); ++i)
        commands.push_back(folder.commandFolder(i));
    const auto isAnyAlive = [&] { return std::ranges::any_of(commands, hasLiveProcesses); };
    if (!isAnyAlive()) return;
    const auto signalAll = [&](int signal) {
        for (const fs::path& command : commands)
            signalCommand(command, signal);
    };
    constexpr auto kKillTimeout = 10s;
    const auto killAt = std::chrono::steady_clock::now() + std::chrono::duration<double>(grace_s);
    signalAll(SIGTERM);
    while (isAnyAlive() && std::chrono::steady_clock::now() < killAt + kKillTimeout) {
        if (std::chrono::steady_clock::now() >= killAt) signalAll(SIGKILL);
        std::this_thread::sleep_for(50ms);
    }
}

bool isRun(const RunFolder& folder)
{
    std::error_code error;
    return fs::exists(folder.planFile(), error);
}

void print(const Json& object)
{
    std::printf("%s\n", jsonLine(object).c_str());
}

} // namespace

int printError(const std::string& text, int status)
{
    std::fprintf(stderr, "lockstep-agent: %s\n", text.c_str());
    return status;
}

int runCommand(Arguments arguments)
{
    const std::string planFile = valueOf(arguments, "--plan"), runDir = valueOf(arguments, "--run-dir");
    const std::string until = valueOf(arguments, "--until");
    if (planFile.empty() || runDir.empty()) return printError("run needs --plan FILE and --run-dir DIR", 2);
    if (!until.empty() && !parseInt(until)) return printError("--until: not a number: " + until, 2);
    const auto secrets = secretsOf(arguments);
    if (!secrets) return printError(secrets.error().message, 1);
    const auto text = planTextOf(planFile);
    if (!text) return printError(text.error().message, 1);
    const auto plan = nodePlanFromJson(*text);
    if (!plan) return printError(planFile + ": " + plan.error().message, 1);
    if (!plan->unresolved.empty())
        return printError("not set on this host: " + shellLine(plan->unresolved) +
                              "; write the value into the session, or $$ for a literal dollar",
                          1);
    const RunFolder folder(fs::absolute(runDir));
    const auto prepared = prepareFolder(folder, *text, until, has(arguments, "--stay"));
    if (!prepared) return printError(prepared.error().message, 1);
    if (const auto started = startSupervisor(folder, *secrets); !started)
        return printError(started.error().message, 1);
    if (!has(arguments, "--detach")) return followRun(folder, 1, *secrets);
    print({{"run_dir", folder.path().string()}});
    return 0;
}

int goCommand(Arguments arguments)
{
    if (arguments.empty()) return printError("go needs a run folder", 2);
    const RunFolder folder(fs::absolute(arguments[0]));
    const std::string until = valueOf(arguments, "--until");
    if (!until.empty() && !parseInt(until)) return printError("--until: not a number: " + until, 2);
    if (!isRun(folder)) return printError(arguments[0] + ": not a run folder", 1);
    const auto secrets = secretsOf(arguments);
    if (!secrets) return printError(secrets.error().message, 1);
    const std::string order = until.empty() ? std::to_string(std::numeric_limits<int>::max()) : until;
    if (const auto written = writeTextFile(folder.goFile(), order); !written)
        return printError(written.error().message, 1);
    if (const auto watched = startSupervisor(folder, *secrets); !watched)
        return printError(watched.error().message, 1);
    return 0;
}

int attachCommand(Arguments arguments)
{
    if (arguments.empty()) return printError("attach needs a run folder", 2);
    const RunFolder folder(fs::absolute(arguments[0]));
    const std::string fromText = valueOf(arguments, "--from");
    const auto from = fromText.empty() ? std::optional<int64_t>(1) : parseInt(fromText);
    if (!from || *from < 0) return printError("--from: not a sequence number: " + fromText, 2);
    if (!isRun(folder)) return printError(arguments[0] + ": not a run folder", 1);
    if (has(arguments, "--recorded")) return printRecorded(folder, static_cast<uint64_t>(*from));
    const auto secrets = secretsOf(arguments);
    if (!secrets) return printError(secrets.error().message, 1);
    return followRun(folder, static_cast<uint64_t>(*from), *secrets);
}

int stopCommand(Arguments arguments)
{
    if (arguments.empty()) return printError("stop needs a run folder", 2);
    const RunFolder folder(fs::absolute(arguments[0]));
    const std::string graceText = valueOf(arguments, "--grace");
    const auto grace = graceText.empty() ? std::optional<double>(30.0) : parseDouble(graceText);
    if (!grace || *grace < 0) return printError("--grace: not a number of seconds: " + graceText, 2);
    if (!isRun(folder)) return printError(arguments[0] + ": not a run folder", 1);
    const Json requested{{"grace_s", *grace}, {"keep", has(arguments, "--keep")}};
    const auto writeRequest = [&] { return writeTextFile(folder.stopFile(), jsonLine(requested)); };
    auto requestWritten = writeRequest();
    if (!requestWritten) folder.releaseReserve(); // a full disk must not prevent stopping a run
    if (!requestWritten) requestWritten = writeRequest();
    if (!requestWritten) return printError(requestWritten.error().message, 1);
    EventReader reader(folder.eventsFile());
    auto lastHeartbeat = std::chrono::steady_clock::now();
    for (bool hasEnded = false; !hasEnded;) {
        const std::string_view line = reader.next();
        hasEnded = isRunEnd(line);
        if (!line.empty()) continue;
        if (const auto watched = startSupervisor(folder); !watched)
            return printError(watched.error().message, 1);
        std::this_thread::sleep_for(folder.pollingInterval(100ms));
        if (std::chrono::steady_clock::now() - lastHeartbeat < std::chrono::seconds(Heartbeat::kEvery_s))
            continue;
        lastHeartbeat = std::chrono::steady_clock::now();
        printHeartbeat();
    }
    if (!has(arguments, "--keep")) endLeftovers(folder, *grace);
    print({{"stopped", true}});
    return 0;
}

int clockCommand(Arguments arguments)
{
    const bool follows = has(arguments, "--follow");
    for (int byte = '\n'; byte != EOF; byte = follows ? std::getchar() : EOF) {
        if (byte != '\n') continue;
        const ClockReading reading = readClocks();
        print({{"realtime_ns", reading.realtime_ns},
               {"monotonic_ns", reading.monotonic_ns},
               {"monotonic_raw_ns", reading.monotonicRaw_ns},
               {"boottime_ns", reading.boottime_ns},
               {"uncertainty_ns", reading.uncertainty_ns},
               {"boot_id", reading.bootId}});
        std::fflush(stdout);
    }
    return 0;
}

namespace {

namespace fs = std::filesystem;

// Returns the number of bytes that a folder uses on disk; links are not followed.
int64_t bytesBelow(const fs::path& folder)
{
    int64_t total_bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        struct stat status = {};
        if (::lstat(entry->path().c_str(), &status) == 0) total_bytes += int64_t(status.st_blocks) * 512;
    }
    return total_bytes;
}

bool hasLiveCommands(const RunFolder& folder)
{
    std::error_code error;
    for (size_t i = 0; fs::exists(folder.commandFolder(i), error); ++i) {
        if (hasLiveProcesses(folder.commandFolder(i))) return true;
    }
    return false;
}

} // namespace

// Prints {"removed_bytes": N}; N is 0 if the folder does not exist. Rejects a folder that is not a run folder
// or that contains reports. Also rejects a run whose supervisor or processes are alive.
int removeCommand(Arguments arguments)
{
    if (arguments.size() != 1) return printError("remove needs a run folder", 2);
    const fs::path path = fs::absolute(arguments[0]).lexically_normal();
    const RunFolder folder(path);
    std::error_code error;
    int64_t removed_bytes = 0;
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
        if (fs::is_symlink(path, error) || !fs::is_regular_file(folder.planFile(), error))
            return printError(path.string() + ": not a run folder", 1);
        if (folder.supervisor() || hasLiveCommands(folder))
            return printError(path.string() + ": the run has not ended", 1);
        const auto roots = reportRootsOfRun(folder);
        for (const std::string& root : roots.value_or(std::vector<std::string>())) {
            if (fs::exists(root, error) && (root + "/").starts_with(path.string() + "/"))
                return printError(root + ": reports are stored inside the run folder; move them first", 1);
        }
        const Heartbeat heartbeat;
        removed_bytes = bytesBelow(path);
        fs::remove_all(path, error);
        if (error) return printError(path.string() + ": cannot remove: " + error.message(), 1);
        ::rmdir(path.parent_path()
                    .c_str()); // fails if other hosts of the run still have folders in it on this machine
    }
    std::printf("{\"removed_bytes\":%lld}\n", static_cast<long long>(removed_bytes));
    return 0;
}

// Reads standard input, because the token must not be on a command line.
int peersCommand(Arguments arguments)
{
    if (arguments.empty()) return printError("peers needs a run folder", 2);
    const RunFolder folder(std::filesystem::absolute(arguments[0]));
    std::error_code error;
    if (!std::filesystem::exists(folder.planFile(), error))
        return printError(arguments[0] + ": not a run folder", 1);
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    if (const auto peers = clockPeersFromJson(text); !peers) return printError(peers.error().message, 1);
    const auto written = writeTextFile(folder.clockPeersFile(), text);
    return written ? 0 : printError(written.error().message, 1);
}

} // namespace lockstep::agent
