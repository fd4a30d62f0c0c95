// SPDX-License-Identifier: Apache-2.0
// lockstep-agent: the part of Lockstep that runs on a node. One static file, no Qt, no root privileges.
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/agent_commands.h"
#include "capture/agent/launch_shim.h"
#include "capture/agent/run_folder.h"

namespace {

using lockstep::agent::Arguments;

struct Word {
    std::string_view name;
    int (*function)(Arguments);
};

constexpr std::array<Word, 15> kWords{{{"probe", lockstep::agent::probeCommand},
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
                                       {"launch", lockstep::agent::launchCommand},
                                       {"shared-disk", lockstep::agent::sharedDiskCommand}}};

constexpr const char* kHelp =
    "lockstep-agent " LOCKSTEP_VERSION ", the part of Lockstep that runs on a node\n"
    "  probe [--checkout DIR] [--disk DIR] [--python PROGRAM]\n"
    "                               print information about this host as JSON\n"
    "  run --plan FILE|- --run-dir DIR [--detach] [--until ORDER] [--stay] [--secrets]\n"
    "                               start the commands of a plan and print events as JSON lines. If the folder\n"
    "                               already contains this plan, the run is resumed. --until: hold commands of\n"
    "                               higher order; --stay: keep watching after the last command until stop, as for\n"
    "                               a plan without commands (a node that Ray reaches). --secrets (also for attach\n"
    "                               and go): the first line of standard input is JSON with the values of the\n"
    "                               plan's secrets, which are kept in memory only\n"
    "  go DIR [--until ORDER]       start held commands up to ORDER, or all\n"
    "  attach DIR [--from N] [--recorded]\n"
    "                               print a run's events from number N, then follow new ones; --recorded: print\n"
    "                               only the existing events\n"
    "  live DIR [--last 30s] [--rate BYTES_PER_S] [--have]\n"
    "                               stream a run's capture files while they grow, block by block, in frames for a\n"
    "                               program (FORMAT.md), until the run or standard input ends. --have: the first\n"
    "                               line of standard input lists what the reader already has\n"
    "  stop DIR [--grace S] [--keep]\n"
    "                               send SIGTERM, wait S seconds (30) for reports to be flushed, then send SIGKILL.\n"
    "                               Also ends processes that an ended run left behind. --keep: stop watching only\n"
    "                               and let the processes run\n"
    "  list DIR... | --run DIR      list reports with size, sha256, kind, completeness and reason; --quick: no sha256\n"
    "  reduce FILE... -o OUT        convert reports to compact columns, to save network transfer\n"
    "  remove DIR                   delete the folder of a run that has ended; its reports stay\n"
    "  clock [--follow]             print readings of this host's clocks; --follow: one more per line of standard\n"
    "                               input\n"
    "  peers DIR                    read JSON from standard input: the hosts whose clocks the run is compared with,\n"
    "                               and the token that authenticates them to each other\n"
    "  slurm ...                    used by runs: submit a Slurm job and follow it to its end\n"
    "  ray-job ...                  the same for a Ray job\n"
    "  launch ...                   used by runs: run a launch script and add the profiling settings to the training\n"
    "  shared-disk --plan FILE      exit with status 0 if all reports of the plan are on disks that other machines see\n"
    "A run is stored in its folder and continues even if the connection that started it is lost.\n";

int runSubcommand(const std::string& word, Arguments arguments)
{
    for (const Word& known : kWords) {
        if (known.name == word) return known.function(arguments);
    }
    std::fprintf(stderr, "lockstep-agent: unknown command: %s; see lockstep-agent --help\n", word.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 1) return 2;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string word = arguments.empty() ? "--help" : arguments[0];
    lockstep::agent::keepFilesPrivate();
    try {
        if (const auto status = lockstep::agent::runAsShim({argv, argv + argc}); status) return *status;
        if (word == "--help" || word == "--version") {
            std::fputs(word == "--help" ? kHelp : "lockstep-agent " LOCKSTEP_VERSION "\n", stdout);
            return arguments.empty() ? 2 : 0;
        }
        return runSubcommand(word, Arguments(arguments).subspan(1));
    } catch (const std::exception&
                 failure) { // thrown by a library, for example if memory ran out or a folder was removed
        std::fprintf(stderr, "lockstep-agent: %s: %s\n", word.c_str(), failure.what());
        return 1;
    }
}
