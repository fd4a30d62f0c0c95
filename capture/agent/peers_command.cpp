// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <iterator>

#include "capture/agent/agent_commands.h"
#include "capture/agent/clock_peers.h"
#include "capture/agent/run_folder.h"

namespace lockstep::agent {

// Reads standard input, because the token must not be on a command line.
int peersCommand(Arguments arguments)
{
    if (arguments.empty()) return complain("peers needs a run folder", 2);
    const RunFolder folder(std::filesystem::absolute(arguments[0]));
    std::error_code error;
    if (!std::filesystem::exists(folder.planFile(), error))
        return complain(arguments[0] + ": not a run folder", 1);
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    if (const auto peers = clockPeersFromJson(text); !peers) return complain(peers.error().message, 1);
    const auto written = writeTextFile(folder.clockPeersFile(), text);
    return written ? 0 : complain(written.error().message, 1);
}

} // namespace lockstep::agent
