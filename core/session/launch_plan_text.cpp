// SPDX-License-Identifier: Apache-2.0
// The launch plan for people: what `lockstep --plan` prints and the preview pane shows.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/import_nrl_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

// One line, whatever the text contains.
static std::string commentLine(std::string_view text)
{
    return "# " + printable(text) + "\n";
}

static std::string hostText(const HostPlan& host)
{
    const bool hasAddress = !host.address.empty() && host.address != host.host;
    std::string text =
        "\n" + commentLine("host " + host.host + (hasAddress ? " (" + host.address + ")" : std::string()));
    if (host.commands.empty() && host.files.empty()) text += "# nothing is started here; Ray reaches it\n";
    text += libraryText(host);
    for (const PlannedFile& file : host.files)
        text += commentLine("writes " + file.path) + shellComments(file.content, "#   | ");
    for (const PlannedCommand& command : host.commands) {
        text += commentLine(std::to_string(command.order) + ". " + command.purpose) +
                shellText(host, command) + "\n";
    }
    return text;
}

std::string libraryText(const HostPlan& host)
{
    const std::string& library = host.captureLibrary;
    if (library.empty()) return {};
    return commentLine("puts liblockstep_capture.so at " + library +
                       (library.starts_with('~') ? ", below a folder that its version and digest name"
                                                 : " (0700, proved by sha256)")) +
           "# adds LOCKSTEP_RUN, the run's id, at the launch\n";
}

std::string planText(const LaunchPlan& plan)
{
    std::string session = "session " + (plan.session.empty() ? "(unnamed)" : plan.session) + ", " +
                          std::string(recipeFor(plan.framework).label);
    if (plan.schema) session += ", settings of " + std::string(wordOf(*plan.schema));
    std::string text = commentLine(session) +
                       commentLine("steps " + (plan.steps.empty() ? "none" : stepListText(plan.steps)));
    if (std::ranges::any_of(plan.hosts, &HostPlan::exchangesClocks))
        text +=
            "# hosts compare their clocks during the run: UDP between them, ports of the kernel's choice\n";
    for (const HostPlan& host : plan.hosts)
        text += hostText(host);
    return text;
}

} // namespace lockstep
