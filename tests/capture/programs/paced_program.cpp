// SPDX-License-Identifier: Apache-2.0
// A training program at a steady pace, for runs watched live: paced_program SECONDS RATE. Two processes with
// one rank each, numbered from first_rank (a file in its folder). Each makes RATE ranges per second, nested
// in a one-second range "step N" and a stage per tenth of it; "training" encloses all. It ends with the step
// in which a file `enough` appears in its folder.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "capture/demo/nvtx_client.h"

namespace {

using Clock = std::chrono::steady_clock;

void work(int seconds, int rate)
{
    const auto begin = Clock::now();
    const auto tick = std::chrono::milliseconds(5);
    int64_t made = 0;
    client::push("training");
    for (int step = 1; step <= seconds && ::access("enough", F_OK) != 0; ++step) {
        client::push(("step " + std::to_string(step)).c_str());
        for (int part = 0; part < 10; ++part) {
            const auto end = begin + std::chrono::milliseconds((step - 1) * 1000 + (part + 1) * 100);
            client::push(part < 4 ? "rollout" : "update");
            while (Clock::now() < end) {
                const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin).count();
                for (const auto due = static_cast<int64_t>(elapsed_s * rate); made < due; ++made) {
                    client::push(made % 3 == 0 ? "attention" : "mlp");
                    client::pop();
                }
                std::this_thread::sleep_for(tick);
            }
            client::pop();
        }
        client::pop();
    }
    client::pop();
}

} // namespace

int main(int count, char** arguments)
{
    const int seconds = count > 1 ? std::atoi(arguments[1]) : 10;
    const int rate = count > 2 ? std::atoi(arguments[2]) : 2000;
    int first = 0;
    std::ifstream("first_rank") >> first;
    pid_t children[2];
    for (int local = 0; local < 2; ++local) {
        children[local] = fork();
        if (children[local] != 0) continue;
        setenv("RANK", std::to_string(first + local).c_str(), 1);
        setenv("LOCAL_RANK", std::to_string(local).c_str(), 1);
        work(seconds, rate);
        return 0;
    }
    int worst = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) worst = 1;
    }
    return worst;
}
