// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "capture/agent/agent_commands.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/host_probe.h"
#include "capture/agent/own_home.h"

namespace lockstep::agent {

// probe [--checkout DIR]... [--disk DIR]... [--python PROGRAM] [--folder DIR]... [--write DIR]... [--file
// FILE]...
//       [--program WORD]... [--path PATH] [--name HOST]...
int probeCommand(Arguments arguments)
{
    ProbeTargets targets;
    for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
        const std::string& option = arguments[i];
        const std::string& value = arguments[i + 1];
        if (option == "--checkout") targets.checkouts.emplace_back(withOwnHome(value));
        if (option == "--disk") targets.disks.emplace_back(value);
        if (option == "--python") targets.python = withOwnHome(value);
        if (option == "--folder") targets.folders.emplace_back(value);
        if (option == "--write") targets.writable.emplace_back(value);
        if (option == "--file") targets.files.emplace_back(value);
        if (option == "--program") targets.programs.push_back(value);
        if (option == "--path") ::setenv("PATH", withOwnHome(value).c_str(), 1);
        if (option == "--name") targets.names.push_back(value);
    }
    const Heartbeat heartbeat; // version queries of programs may be slow
    std::printf("%s\n", jsonFromHostFacts(probeHost(targets)).c_str());
    return 0;
}

} // namespace lockstep::agent
