// SPDX-License-Identifier: Apache-2.0
// lockstep-agent: what Lockstep runs on a node. One static file, no Qt, no root.
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/agent_commands.h"
#include "capture/agent/run_folder.h"

namespace {

using lockstep::agent::Arguments;

struct Word {
    std::string_view name;
    int (*function)(Arguments);
};

constexpr std::array<Word, 14> kWords{{{"probe", lockstep::agent::probeCommand},
                                       {"run", lockstep::agent::runCommand},
                                       {"go", lockstep::agent::goCommand},
                                       {"attach", lockstep::agent::attachCommand},
                                       {"live", lockstep::agent::liveCommand},
                                       {"stop", lockstep::agent::stopCommand},
                                       {"list", lockstep::agent::listCommand},
                                       {"reduce", lockstep::agent::reduceCommand},
                                       {"remove", lockstep::agent::removeCommand},
                                       {"clock", lockstep::agent::clockCommand},
                                       {"peers", lockstep::agent::peersCommand},
                                       {"slurm", lockstep::agent::slurmCommand},
                                       {"ray-job", lockstep::agent::rayJobCommand},
                                       {"shared-disk", lockstep::agent::sharedDiskCommand}}};

constexpr const char* kHelp =
    "lockstep-agent " LOCKSTEP_VERSION ", the part of Lockstep that runs on a node\n"
    "  probe [--checkout DIR] [--disk DIR] [--python PROGRAM]\n"
    "                               facts about this host as JSON\n"
    "  run --plan FILE|- --run-dir DIR [--detach] [--until ORDER] [--stay] [--secrets]\n"
    "                               start a plan's commands; events as JSON lines. --secrets (of attach and go, "
    "too):\n"
    "                               the first line of standard input is JSON with the values of the plan's secrets, "
    "which\n"
    "                               are kept in memory only. With the plan that the "
    "folder\n"
    "                               holds already, the run is picked up. --until holds commands of higher "
    "order back;\n"
    "                               --stay goes on watching behind the last command until stop, as a plan "
    "without\n"
    "                               commands does (a node that Ray reaches)\n"
    "  go DIR [--until ORDER]       let held commands start: up to ORDER, or all\n"
    "  attach DIR [--from N] [--recorded]\n"
    "                               replay a run's events from number N, then follow them; --recorded: only those "
    "that are there\n"
    "  live DIR [--last 30s] [--rate BYTES_PER_S] [--have]\n"
    "                               a run's capture spools while they grow, block by block, in frames for a "
    "program\n"
    "                               to read (FORMAT.md), until the run or standard input ends; the first line "
    "there\n"
    "                               with --have: what the reader has already\n"
    "  stop DIR [--grace S] [--keep]\n"
    "                               SIGTERM, wait S seconds (30) for reports to be flushed, then SIGKILL; "
    "--keep ends\n"
    "                               the watching and lets processes live. Also for what an ended run left behind\n"
    "  list DIR... | --run DIR      reports with size, sha256, kind, complete or not and why; --quick: no "
    "sha256\n"
    "  reduce FILE... -o OUT        reports to compact columns, so that little crosses the network\n"
    "  remove DIR                   delete the folder of a run that has ended; its reports stay\n"
    "  clock [--follow]             readings of this host's clocks at one moment; --follow: one more for "
    "each line\n"
    "                               of standard input\n"
    "  peers DIR                    take from standard input, as JSON, whom a run's clocks are compared with "
    "and the\n"
    "                               token that they know each other by\n"
    "  slurm ...                    started by a run: submit its Slurm job and follow it to its end\n"
    "  ray-job ...                  the same for a Ray job\n"
    "  shared-disk --plan FILE      exit status 0 where all reports of the plan are on disks that other machines see\n"
    "A run lives in its folder and goes on whatever happens to the connection that started it.\n";

int runWord(const std::string& word, Arguments arguments)
{
    for (const Word& known : kWords) {
        if (known.name == word) return known.function(arguments);
    }
    std::fprintf(stderr, "lockstep-agent: no such word: %s; see lockstep-agent --help\n", word.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string word = arguments.empty() ? "--help" : arguments[0];
    if (word == "--help" || word == "--version") {
        std::fputs(word == "--help" ? kHelp : "lockstep-agent " LOCKSTEP_VERSION "\n", stdout);
        return arguments.empty() ? 2 : 0;
    }
    lockstep::agent::keepFilesPrivate();
    try {
        return runWord(word, Arguments(arguments).subspan(1));
    } catch (const std::exception& failure) { // of a library: out of memory, a folder that vanished
        std::fprintf(stderr, "lockstep-agent: %s: %s\n", word.c_str(), failure.what());
        return 1;
    }
}
