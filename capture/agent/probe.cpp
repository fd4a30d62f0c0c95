#include <cstdio>

#include "capture/agent/agent_commands.h"
#include "capture/agent/host_probe.h"

namespace lockstep::agent {

// probe [--checkout DIR]... [--disk DIR]... [--python PROGRAM]
int probeCommand(Arguments arguments)
{
    ProbeWishes wishes;
    for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
        if (arguments[i] == "--checkout")
            wishes.checkouts.emplace_back(arguments[i + 1]);
        else if (arguments[i] == "--disk")
            wishes.disks.emplace_back(arguments[i + 1]);
        else if (arguments[i] == "--python")
            wishes.python = arguments[i + 1];
    }
    std::printf("%s\n", jsonFromHostFacts(probeHost(wishes)).c_str());
    return 0;
}

} // namespace lockstep::agent
