// lockstep-agent: what Lockstep runs on a node. One static file, no Qt, no root.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/agent_commands.h"

namespace {

using lockstep::agent::Arguments;

struct Word {
    std::string_view name;
    int (*function)(Arguments);
};

constexpr std::array<Word, 7> kWords{{{"probe", lockstep::agent::probeCommand},
                                      {"run", lockstep::agent::runCommand},
                                      {"attach", lockstep::agent::attachCommand},
                                      {"stop", lockstep::agent::stopCommand},
                                      {"list", lockstep::agent::listCommand},
                                      {"reduce", lockstep::agent::reduceCommand},
                                      {"clock", lockstep::agent::clockCommand}}};

constexpr const char* kHelp =
    "lockstep-agent " LOCKSTEP_VERSION ", the part of Lockstep that runs on a node\n"
    "  probe                                     facts about this host as JSON\n"
    "  run --plan FILE --run-dir DIR [--detach]  start a plan's commands; events as JSON lines\n"
    "  attach DIR [--from N]                     replay a run's events from number N, then follow them\n"
    "  stop DIR [--grace S]                      SIGTERM, wait S seconds for reports to be flushed, then SIGKILL\n"
    "  list DIR... | --run DIR                   reports with size, sha256, kind, complete or not and why\n"
    "  reduce FILE... -o OUT                     reports to compact columns, so that little crosses the network\n"
    "  clock                                     readings of this host's clocks at one moment\n"
    "A run lives in its folder and goes on whatever happens to the connection that started it.\n";

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string word = arguments.empty() ? "--help" : arguments[0];
    if (word == "--help" || word == "--version") {
        std::fputs(word == "--help" ? kHelp : "lockstep-agent " LOCKSTEP_VERSION "\n", stdout);
        return arguments.empty() ? 2 : 0;
    }
    for (const Word& known : kWords) {
        if (known.name == word) return known.function(Arguments(arguments).subspan(1));
    }
    std::fprintf(stderr, "lockstep-agent: no such word: %s; see lockstep-agent --help\n", word.c_str());
    return 2;
}
