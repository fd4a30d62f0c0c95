// SPDX-License-Identifier: Apache-2.0
// Formats the launch plan as text, for `lockstep --plan` and the preview.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/import_nrl_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

// Returns a one-line comment, regardless of what the text contains.
static std::string commentLine(std::string_view text)
{
    return "# " + printable(text) + "\n";
}

static std::string hostText(const HostPlan& host)
{
    const bool hasAddress = !host.address.empty() && host.address != host.host;
    std::string text =
        "\n" + commentLine("host " + host.host + (hasAddress ? " (" + host.address + ")" : std::string()));
    if (host.commands.empty() && host.files.empty())
        text += "# no commands here; Ray starts the workers on this host\n";
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
    return commentLine("installs liblockstep_capture.so at " + library +
                       (library.starts_with('~') ? ", in a folder named after its version and digest"
                                                 : " (mode 0700, verified by sha256)")) +
           "# sets LOCKSTEP_RUN to the run's id at launch\n";
}

std::string planText(const LaunchPlan& plan)
{
    std::string session = "session " + (plan.session.empty() ? "(unnamed)" : plan.session) + ", " +
                          std::string(recipeFor(plan.framework).label);
    if (plan.schema) session += ", settings of " + std::string(enumName(*plan.schema));
    std::string text = commentLine(session) +
                       commentLine("steps " + (plan.steps.empty() ? "none" : stepListText(plan.steps)));
    if (std::ranges::any_of(plan.hosts, &HostPlan::exchangesClocks))
        text += "# hosts compare their clocks during the run over UDP, on ports chosen by the kernel\n";
    for (const HostPlan& host : plan.hosts)
        text += hostText(host);
    return text;
}

} // namespace lockstep
