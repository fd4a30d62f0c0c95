// SPDX-License-Identifier: Apache-2.0
// The launch plan for people: what `lockstep --plan` prints and the preview pane shows.
#include <algorithm>

#include "core/session/import_nrl_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/typed_value.h"

namespace lockstep {

// Lines of a file, set off by a bar so that its content cannot be taken for the plan's own words.
static std::string barred(std::string_view content)
{
    std::string text;
    while (!content.empty()) {
        const size_t end = std::min(content.find('\n'), content.size());
        text += "  | " + std::string(content.substr(0, end)) + "\n";
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return text;
}

static std::string hostText(const HostPlan& host)
{
    std::string text = "\n# host " + host.host;
    if (!host.address.empty() && host.address != host.host) text += " (" + host.address + ")";
    text += "\n";
    if (host.commands.empty() && host.files.empty()) text += "# nothing is started here; Ray reaches it\n";
    text += libraryText(host);
    for (const PlannedFile& file : host.files)
        text += "# writes " + file.path + "\n" + barred(file.content);
    for (const PlannedCommand& command : host.commands) {
        text += "# " + std::to_string(command.order) + ". " + command.purpose + "\n" +
                shellText(host, command) + "\n";
    }
    return text;
}

std::string libraryText(const HostPlan& host)
{
    const std::string& library = host.captureLibrary;
    if (library.empty()) return {};
    return "# puts liblockstep_capture.so at " + library +
           (library.starts_with('~') ? ", below a folder that its version and digest name\n"
                                     : " (0700, proved by sha256)\n") +
           "# adds LOCKSTEP_RUN, the run's id, at the launch\n";
}

std::string planText(const LaunchPlan& plan)
{
    std::string text = "# session " + (plan.session.empty() ? "(unnamed)" : plan.session) + ", " +
                       std::string(recipeFor(plan.framework).label);
    if (plan.schema) text += ", settings of " + std::string(wordOf(*plan.schema));
    text += "\n# steps " + (plan.steps.empty() ? "none" : stepListText(plan.steps)) + "\n";
    if (std::ranges::any_of(plan.hosts, &HostPlan::exchangesClocks))
        text +=
            "# hosts compare their clocks during the run: UDP between them, ports of the kernel's choice\n";
    for (const HostPlan& host : plan.hosts)
        text += hostText(host);
    return text;
}

} // namespace lockstep
