// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/command_exit.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>

#include "capture/agent/event_log.h"
#include "capture/agent/run_folder.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Returns the number after `word` at the beginning of a line, or -1 if no line begins with it.
int64_t countIn(const fs::path& path, const std::string& word)
{
    std::ifstream file(path);
    std::string name;
    for (int64_t value = 0; file >> name >> value;) {
        if (name == word) return value;
    }
    return -1;
}

std::string signalName(int signal)
{
    const char* const name = ::sigabbrev_np(signal);
    const std::string number = "signal " + std::to_string(signal);
    return name != nullptr ? "SIG" + std::string(name) + " (" + number + ")" : number;
}

const char* meaningOf(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return ": invalid memory access";
    case SIGBUS:
        return ": access to memory whose file or page no longer exists; a full /dev/shm causes this";
    case SIGABRT:
        return ": the program aborted itself; its last output lines give the reason";
    case SIGILL:
        return ": illegal instruction; the program was built for another processor";
    case SIGFPE:
        return ": arithmetic error, such as an integer division by zero";
    case SIGXCPU:
        return ": CPU time limit exceeded";
    case SIGXFSZ:
        return ": file size limit exceeded";
    case SIGPIPE:
        return ": the reader of its output had exited";
    default:
        return "";
    }
}

} // namespace

int CommandExit::shellStatus() const
{
    if (code >= 0) return code;
    return signal != 0 ? 128 + signal : 1;
}

Status writeExit(const fs::path& folder, const CommandExit& exit)
{
    const Json json{{"code", exit.code},
                    {"signal", exit.signal},
                    {"reason", exit.reason},
                    {"dropped_bytes", exit.droppedBytes},
                    {"oom_kills", exit.oomKills}};
    return writeTextFile(folder / "exit.json", jsonLine(json));
}

Result<CommandExit> readExit(const fs::path& folder)
{
    const std::string text = LOCKSTEP_TRY(readTextFile(folder / "exit.json"));
    const Json json = LOCKSTEP_TRY(objectFromJson(text, (folder / "exit.json").string()));
    return CommandExit{static_cast<int>(numberAt(json, "code").value_or(-1)),
                       static_cast<int>(numberAt(json, "signal").value_or(0)), textAt(json, "reason"),
                       countAt(json, "dropped_bytes"), numberAt(json, "oom_kills").value_or(0)};
}

std::string exitText(const CommandExit& exit)
{
    if (!exit.reason.empty()) return exit.reason;
    if (exit.isSuccess()) return {};
    // A shell that ran the program reports the program's signal as 128 + signal.
    const bool isShells = exit.signal == 0 && exit.code > 128 && exit.code <= 128 + 64;
    const int signal = isShells ? exit.code - 128 : exit.signal;
    if (signal == 0) {
        if (exit.code == 127) return "ended with status 127: a shell did not find the program";
        if (exit.code == 126) return "ended with status 126: a shell could not run the program";
        return "ended with status " + std::to_string(exit.code);
    }
    std::string text =
        (isShells ? "ended with status " + std::to_string(exit.code) + ", the exit status of a shell for "
                  : "killed by ") +
        signalName(signal) + meaningOf(signal);
    if (signal == SIGKILL && exit.oomKills > 0) text += ": the kernel killed it because memory ran out";
    return text;
}

int64_t oomKillCount(const fs::path& proc, const fs::path& cgroups)
{
    std::ifstream file(proc / "self" / "cgroup");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("0::/")) continue; // cgroup v2
        const int64_t own = countIn(cgroups / line.substr(4) / "memory.events", "oom_kill");
        if (own >= 0) return own;
    }
    return std::max<int64_t>(0, countIn(proc / "vmstat", "oom_kill"));
}

} // namespace lockstep::agent
