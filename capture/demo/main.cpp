// SPDX-License-Identifier: Apache-2.0
// lockstep-demo-rank: the program that the demo runs and records. When started on a host, it starts two ranks
// and waits for them, as torchrun does. A rank is the same program. Environment variables control everything:
// the launcher sets LOCKSTEP_DEMO_FIRST_RANK and LOCKSTEP_DEMO_MEETING (the socket of the ranks), and each
// rank gets RANK, LOCAL_RANK and WORLD_SIZE. LOCKSTEP_DEMO_OWNER ("PID START", as in /proc) is the lockstep
// process that runs the demo: the ranks end when it ends, for whatever reason. LOCKSTEP_DEMO_HOLD specifies a
// file; the last step does not begin while that file exists.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "capture/demo/training.h"

namespace {

using namespace lockstep::demo;

constexpr uint32_t kRanksOfHost = 2, kRanks = 4;

std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

uint32_t numberOf(const char* name)
{
    return static_cast<uint32_t>(std::strtoul(variable(name).c_str(), nullptr, 10));
}

// Returns the start time of the process in clock ticks, or an empty string if there is no such process. The
// process name, in parentheses, may contain any characters.
std::string startOf(const std::string& pid)
{
    std::string text, word;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), text, '\0');
    const size_t nameEnd = text.rfind(')');
    if (nameEnd == std::string::npos) return {};
    size_t at = nameEnd + 1;
    for (int field = 3; field <= 22; ++field) {
        at = text.find_first_not_of(' ', at);
        const size_t end = text.find(' ', at);
        if (at == std::string::npos) return {};
        word = text.substr(at, end - at);
        if (field == 3 && word == "Z") return {};
        at = end;
    }
    return word;
}

bool isOwnerThere()
{
    static const std::string owner = variable("LOCKSTEP_DEMO_OWNER");
    if (owner.empty()) return true;
    const size_t blank = owner.find(' ');
    return blank != std::string::npos && startOf(owner.substr(0, blank)) == owner.substr(blank + 1);
}

int runRank()
{
    if (numberOf("RANK") >= kRanks || variable("LOCKSTEP_DEMO_MEETING").empty()) return 2;
    return train({numberOf("RANK"), kRanks, numberOf("LOCAL_RANK"), variable("LOCKSTEP_DEMO_MEETING")});
}

// Starts a process that ends when this process ends.
pid_t startRank(uint32_t localRank)
{
    const std::string rank = std::to_string(numberOf("LOCKSTEP_DEMO_FIRST_RANK") + localRank);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("RANK", rank.c_str(), 1);
    ::setenv("LOCAL_RANK", std::to_string(localRank).c_str(), 1);
    ::setenv("WORLD_SIZE", std::to_string(kRanks).c_str(), 1);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);
    ::execl("/proc/self/exe", "lockstep-demo-rank", "rank", nullptr);
    std::perror("lockstep-demo-rank");
    std::_Exit(127);
}

// Reports a rank that has ended.
int handleEnd(size_t localRank, int status)
{
    const uint32_t rank = numberOf("LOCKSTEP_DEMO_FIRST_RANK") + static_cast<uint32_t>(localRank);
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    std::fprintf(stderr, "rank %u was killed by signal %d (%s)\n", rank, WTERMSIG(status),
                 ::strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

int runHost()
{
    std::vector<pid_t> ranks;
    for (uint32_t i = 0; i < kRanksOfHost; ++i)
        ranks.push_back(startRank(i));
    int worst = 0;
    for (size_t left = ranks.size(); left > 0;) {
        for (size_t i = 0; i < ranks.size(); ++i) {
            int status = 0;
            if (ranks[i] < 0) {
                std::perror("lockstep-demo-rank: cannot start a process");
                worst = 127;
            } else if (ranks[i] == 0 || ::waitpid(ranks[i], &status, WNOHANG) != ranks[i]) {
                continue;
            } else {
                worst = std::max(worst, handleEnd(i, status));
            }
            ranks[i] = 0;
            --left;
        }
        if (!isOwnerThere()) return 1; // and the ranks end with this process
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return worst;
}

} // namespace

int main(int count, char** arguments)
{
    if (count == 2 && std::strcmp(arguments[1], "rank") == 0) return runRank();
    if (count > 1 || variable("LOCKSTEP_DEMO_MEETING").empty()) {
        std::fputs("lockstep-demo-rank: run `lockstep --demo` instead, which starts this program\n", stderr);
        return 2;
    }
    return runHost();
}
