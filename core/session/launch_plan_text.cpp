// SPDX-License-Identifier: Apache-2.0
// Formats the launch plan as text, for `lockstep --plan` and the preview.
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

// Returns comment lines about the capture library, or "" if Lockstep does not install it.
static std::string libraryText(const HostPlan& host)
{
    const std::string& library = host.captureLibrary;
    if (library.empty()) return {};
    return commentLine("Check hosts, Launch: copy liblockstep_capture.so to " + library +
                       (library.starts_with('~') ? ", in a folder named after its version and digest"
                                                 : " (mode 0700, verified by sha256)")) +
           "# Launch: sets LOCKSTEP_RUN to the run's id\n";
}

// Returns comment lines about the steps that Lockstep adds to the commands of a pasted plan.
static std::string addedStepsText(const HostPlan& host)
{
    const bool isDefault = host.agentFolder.empty();
    const std::string agents = isDefault ? "~/.cache/lockstep" : host.agentFolder;
    const std::string runs = isDefault ? "~/.local/state/lockstep" : host.agentFolder;
    std::string text =
        commentLine("Check hosts, Launch: copy lockstep-agent to " + agents +
                    "/agent/VERSION-DIGEST/ (mode 0700, verified by sha256), unless it is there") +
        libraryText(host) + "# Check hosts, Launch: read the hardware, software, folders and clock\n";
    if (!host.commands.empty() || !host.files.empty())
        text += commentLine("Launch: the agent runs the commands and writes its log to " + runs +
                            "/agent-runs/RUN/");
    if (host.exchangesClocks)
        text +=
            "# Launch: hosts compare their clocks during the run over UDP, on ports chosen by the kernel\n";
    return text;
}

std::string planText(const HostPlan& host)
{
    const bool hasAddress = !host.address.empty() && host.address != host.host;
    std::string text =
        commentLine("host " + host.host + (hasAddress ? " (" + host.address + ")" : std::string())) +
        addedStepsText(host);
    if (host.commands.empty() && host.files.empty())
        text += "# no commands here; Ray starts the workers on this host\n";
    for (const PlannedFile& file : host.files)
        text += "\n" + commentLine("Launch: writes " + file.path) + shellComments(file.content, "#   | ");
    for (const PlannedCommand& command : host.commands) {
        text += "\n" + commentLine(std::to_string(command.order) + ". " + command.purpose) +
                shellText(host, command) + "\n";
    }
    return text;
}

std::string planText(const LaunchPlan& plan)
{
    std::string session = "session " + (plan.session.empty() ? "(unnamed)" : plan.session) + ", " +
                          std::string(recipeFor(plan.framework).label);
    if (plan.schema) session += ", settings of " + std::string(enumName(*plan.schema));
    std::string text = commentLine(session) +
                       commentLine("steps " + (plan.steps.empty() ? "none" : stepListText(plan.steps)));
    for (const HostPlan& host : plan.hosts)
        text += "\n" + planText(host);
    return text;
}

} // namespace lockstep
