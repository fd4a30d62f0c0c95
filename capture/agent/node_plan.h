// NodePlan: one node's part of a launch plan, as the JSON that `lockstep-agent run --plan FILE` reads.
//   {"files": [{"path", "content", "mode"}], "commands": [{"name", "argv": [], "cwd", "environment": {}}],
//    "environment": {}, "reports": ["/folder", ...]}
// Unknown keys are ignored, so that an older agent runs a newer plan's commands.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capture/agent/shepherd.h"
#include "core/base/result.h"

namespace lockstep::agent {

struct PlannedFile {
    std::filesystem::path path;
    std::string content;
    unsigned mode = 0644;
};

struct NodePlan {
    std::vector<PlannedFile> files;      // written before the first command
    std::vector<Command> commands;       // run one after the other; the first that fails ends the run
    std::vector<std::string> reportRoots; // folders to look for reports in; "~/" and one trailing "*" component allowed
};

// invalid with the place of the first thing that is wrong.
Result<NodePlan> parseNodePlan(std::string_view json);

} // namespace lockstep::agent
