// SPDX-License-Identifier: Apache-2.0
// A training program for the tests' runs on a node, as seen through NVTX: rank_program STEPS. Two processes
// (only one in a Slurm task) with one rank each, numbered from first_rank (a file in its folder). Each step
// is a range "step N" that contains 20 nested pairs and two stages of domain "lockstep". Files make a rank R
// misbehave: setenv_R (NAME=VALUE lines), skip_R (records nothing), kill_R (SIGKILL in step 2). While a file
// hold_N exists, all wait in step N.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "capture/demo/nvtx_client.h"

namespace {

bool isThere(const std::string& file)
{
    struct stat status = {};
    return stat(file.c_str(), &status) == 0;
}

void takeVariables(const std::string& rank)
{
    std::ifstream file("setenv_" + rank);
    for (std::string line; std::getline(file, line);) {
        const size_t equals = line.find('=');
        if (equals != std::string::npos)
            setenv(line.substr(0, equals).c_str(), line.substr(equals + 1).c_str(), 1);
    }
}

// Returns the size of the capture that this process has open, in bytes.
uintmax_t captureSize()
{
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        const auto file = std::filesystem::read_symlink(entry, error);
        if (!error && file.extension() == ".lsc") return std::filesystem::file_size(file, error);
    }
    return 0;
}

// Returns once everything recorded before the call is on disk. A round of the writer adds at most two blocks
// (META and RECORDS), so the third one belongs to a round that began after the call.
void waitForWriter()
{
    for (int times = 0; times < 3; ++times) {
        for (const uintmax_t before = captureSize(); captureSize() == before;)
            usleep(1000);
    }
}

void stage(client::Domain domain, const char* name, int pairs)
{
    const uint64_t id = client::start(domain, name);
    for (int i = 0; i < pairs; ++i) {
        client::push("forward");
        client::pop();
    }
    client::end(domain, id);
}

void work(const std::string& rank, int steps)
{
    const client::Domain stages = client::domain("lockstep");
    for (int step = 1; step <= steps; ++step) {
        client::push(("step " + std::to_string(step)).c_str());
        stage(stages, "rollout", 10);
        stage(stages, "update", 10);
        std::printf("step:%d - loss:0.5\n", step);
        std::fflush(stdout);
        while (isThere("hold_" + std::to_string(step)))
            usleep(20'000);
        if (step == 2 && isThere("kill_" + rank)) {
            waitForWriter();
            kill(getpid(), SIGKILL);
        }
        client::pop();
    }
}

} // namespace

int main(int count, char** arguments)
{
    const int steps = count > 1 ? std::atoi(arguments[1]) : 2;
    if (const char* const task = std::getenv("SLURM_PROCID")) { // a task is already one rank
        work(task, steps);
        return 0;
    }
    int first = 0;
    std::ifstream("first_rank") >> first;
    pid_t children[2];
    for (int local = 0; local < 2; ++local) {
        const std::string rank = std::to_string(first + local);
        children[local] = fork();
        if (children[local] != 0) continue;
        setenv("RANK", rank.c_str(), 1);
        setenv("LOCAL_RANK", std::to_string(local).c_str(), 1);
        takeVariables(rank);
        if (!isThere("skip_" + rank)) work(rank, steps);
        return 0;
    }
    int worst = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) > worst) worst = WEXITSTATUS(status);
    }
    return worst;
}
