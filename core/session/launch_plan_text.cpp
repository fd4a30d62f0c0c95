// SPDX-License-Identifier: Apache-2.0
// Formats the launch plan as text, for `lockstep --plan` and the preview.
#include <algorithm>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/session/import_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/script_launch.h"
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
    const auto isShimSession = [](const PlannedFile& file) { return file.path.ends_with(kShimSessionPath); };
    if (std::ranges::any_of(host.files, isShimSession))
        text +=
            "# Launch: a folder of links to lockstep-agent comes first in the PATH of the script; it adds the "
            "settings to the training\n";
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

std::string launchText(const LaunchPlan& plan, std::string_view host)
{
    std::string text;
    for (const RecordedLaunch& launch : plan.launches) {
        if (launch.host != host) continue;
        text += "\n# dry run on " + printable(launch.host) + ": the script starts\n";
        if (!launch.problem.empty()) text += shellComments("without profiling settings: " + launch.problem);
        for (const std::string& variable : launch.environment) {
            const size_t equals = std::min(variable.find('='), variable.size());
            text += shellAssignment(variable.substr(0, equals),
                                    variable.substr(std::min(equals + 1, variable.size()))) +
                    " \\\n";
        }
        text += shellBlock(launch.problem.empty() ? launch.profiledArgv : launch.argv) + "\n";
    }
    return text;
}

std::string planText(const LaunchPlan& plan)
{
    std::string session = "session " + (plan.session.empty() ? "(unnamed)" : plan.session) + ", " +
                          std::string(recipeFor(plan.framework).label);
    if (!plan.schema.empty()) session += ", settings of " + plan.schema;
    std::string text = commentLine(session) +
                       commentLine("steps " + (plan.steps.empty() ? "none" : stepListText(plan.steps)));
    if (!plan.addedWords.empty() || !plan.addedEnvironment.empty()) {
        text += "# added where the script starts the training (--resolve shows the exact command):\n";
        std::string added;
        for (const auto& [name, value] : plan.addedEnvironment)
            added += shellAssignment(name, value) + " \\\n";
        text += shellComments(added + shellBlock(plan.addedWords), "#   ");
    }
    for (const HostPlan& host : plan.hosts)
        text += "\n" + planText(host) + launchText(plan, host.host);
    return text;
}

namespace {

Json hostJson(const HostPlan& host)
{
    Json object{{"host", host.host}, {"address", host.address}, {"working_folder", host.workingFolder}};
    if (!host.agentFolder.empty()) object["agent_folder"] = host.agentFolder;
    if (!host.captureLibrary.empty()) object["capture_library"] = host.captureLibrary;
    Json& environment = object["environment"] = Json::object();
    for (const auto& [name, value] : host.environment)
        environment[name] = value;
    if (!host.secrets.empty()) object["secrets"] = host.secrets;
    if (host.exchangesClocks) object["clock_exchange"] = true;
    Json& files = object["files"] = Json::array();
    for (const PlannedFile& file : host.files) {
        files.push_back({{"path", file.path}, {"content", file.content}, {"executable", file.isExecutable}});
    }
    Json& commands = object["commands"] = Json::array();
    for (const PlannedCommand& command : host.commands) {
        commands.push_back({{"order", command.order},
                            {"purpose", command.purpose},
                            {"argv", command.argv},
                            {"shell", shellText(host, command)}});
    }
    object["reports"] = host.reportFolders;
    return object;
}

Json planHead(const LaunchPlan& plan)
{
    Json object{{"lockstep_plan", 1}, {"session", plan.session}, {"framework", enumName(plan.framework)}};
    if (!plan.schema.empty()) object["schema"] = plan.schema;
    object["steps"] = plan.steps;
    object["overrides"] = plan.overrides;
    if (!plan.addedWords.empty()) object["added_words"] = plan.addedWords;
    for (const auto& [name, value] : plan.addedEnvironment)
        object["added_environment"][name] = value;
    return object;
}

tl::unexpected<Error> notPlan(std::string_view reason)
{
    return makeError(ErrorKind::corrupt, "not a launch plan: " + std::string(reason));
}

Result<PlannedCommand> commandFrom(const Json& object)
{
    PlannedCommand command;
    command.purpose = textAt(object, "purpose");
    if (!object.is_object() || !object.contains("argv") || !object["argv"].is_array() ||
        object["argv"].empty()) {
        return notPlan("a command needs argv, a list of strings");
    }
    for (const Json& word : object["argv"]) {
        if (!word.is_string()) return notPlan("argv contains a value that is not a string");
        command.argv.push_back(word.get<std::string>());
    }
    if (const auto order = numberAt(object, "order"); order && *order == static_cast<int>(*order))
        command.order = static_cast<int>(*order);
    return command;
}

} // namespace

std::string jsonFromHostPlan(const LaunchPlan& plan, const HostPlan& host)
{
    Json object = planHead(plan);
    object.update(hostJson(host));
    for (const LogFailure& failure : host.failures)
        object["failures"].push_back({{"id", failure.id}, {"log", failure.pattern}, {"text", failure.text}});
    for (const auto& [kind, pattern] : host.signs)
        object["signs"].push_back({{"kind", kind}, {"log", pattern}});
    return indentedJson(object);
}

std::string jsonFromPlan(const LaunchPlan& plan)
{
    Json object = planHead(plan);
    Json& hosts = object["hosts"] = Json::array();
    for (const HostPlan& host : plan.hosts)
        hosts.push_back(hostJson(host));
    return indentedJson(object);
}

Result<HostPlan> hostPlanFromJson(std::string_view text)
{
    const Json root = jsonFrom(text);
    if (!root.is_object() || !root.contains("lockstep_plan"))
        return notPlan("the key lockstep_plan is missing");
    if (root["lockstep_plan"] != 1) return notPlan("the value of lockstep_plan is not 1");
    HostPlan host;
    host.host = textAt(root, "host");
    host.address = textAt(root, "address");
    host.agentFolder = textAt(root, "agent_folder");
    host.captureLibrary = textAt(root, "capture_library");
    host.workingFolder = textAt(root, "working_folder");
    host.exchangesClocks = boolAt(root, "clock_exchange");
    if (root.contains("environment")) {
        if (!root["environment"].is_object()) return notPlan("environment must be an object of strings");
        for (const auto& [name, value] : root["environment"].items()) {
            if (!value.is_string()) return notPlan("environment must be an object of strings");
            host.environment.emplace_back(name, value.get<std::string>());
        }
    }
    for (const Json& name : root.value("secrets", Json::array())) {
        if (!name.is_string() || !isEnvironmentName(name.get<std::string>()))
            return notPlan("a secret is not a valid variable name");
        host.secrets.push_back(name.get<std::string>());
    }
    for (const Json& file : root.value("files", Json::array())) {
        if (!isTextAt(file, "path") || !isTextAt(file, "content"))
            return notPlan("a file needs path and content");
        const bool executable = boolAt(file, "executable");
        host.files.push_back({textAt(file, "path"), textAt(file, "content"), executable});
    }
    for (const Json& command : root.value("commands", Json::array())) {
        host.commands.push_back(LOCKSTEP_TRY(commandFrom(command)));
    }
    for (const Json& folder : root.value("reports", Json::array())) {
        if (!folder.is_string()) return notPlan("a report folder is not a string");
        host.reportFolders.push_back(folder.get<std::string>());
    }
    for (const Json& failure : root.value("failures", Json::array())) {
        if (!isTextAt(failure, "id") || !isTextAt(failure, "log") || !isTextAt(failure, "text"))
            return notPlan("a failure needs id, log and text");
        host.failures.push_back({textAt(failure, "id"), textAt(failure, "log"), textAt(failure, "text")});
    }
    for (const Json& sign : root.value("signs", Json::array())) {
        if (!isTextAt(sign, "kind") || !isTextAt(sign, "log")) return notPlan("a sign needs kind and log");
        host.signs.emplace_back(textAt(sign, "kind"), textAt(sign, "log"));
    }
    return host;
}

} // namespace lockstep
