#include "capture/agent/node_plan.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace lockstep::agent {

namespace {

using nlohmann::json;

Result<std::map<std::string, std::string>> textMap(const json& object, const std::string& place)
{
    std::map<std::string, std::string> out;
    if (object.is_null()) return out;
    if (!object.is_object()) return makeError(ErrorKind::invalid, "plan: " + place + " is no object");
    for (const auto& [name, value] : object.items()) {
        if (!value.is_string()) return makeError(ErrorKind::invalid, "plan: " + place + "." + name + " is no text");
        out[name] = value.get<std::string>();
    }
    return out;
}

std::string textOf(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Command> commandOf(const json& object, const std::string& place, const std::map<std::string, std::string>& shared)
{
    Command command;
    if (!object.is_object() || !object.contains("argv") || !object["argv"].is_array() || object["argv"].empty()) {
        return makeError(ErrorKind::invalid, "plan: " + place + " has no argv");
    }
    for (const json& word : object["argv"]) {
        if (!word.is_string()) return makeError(ErrorKind::invalid, "plan: " + place + ".argv holds what is no text");
        command.argv.push_back(word.get<std::string>());
    }
    command.name = textOf(object, "name").empty() ? command.argv[0] : textOf(object, "name");
    command.workingFolder = textOf(object, "cwd");
    command.environment = shared;
    for (const auto& [name, value] : LOCKSTEP_TRY(textMap(object.value("environment", json()), place + ".environment"))) {
        command.environment[name] = value;
    }
    return command;
}

Result<PlannedFile> fileOf(const json& object, const std::string& place)
{
    PlannedFile file;
    file.path = object.is_object() ? textOf(object, "path") : std::string();
    if (file.path.empty()) return makeError(ErrorKind::invalid, "plan: " + place + " has no path");
    file.content = textOf(object, "content");
    const std::string mode = textOf(object, "mode");
    if (!mode.empty()) {
        const auto [stop, error] = std::from_chars(mode.data(), mode.data() + mode.size(), file.mode, 8);
        if (error != std::errc() || stop != mode.data() + mode.size() || file.mode > 07777) {
            return makeError(ErrorKind::invalid, "plan: " + place + ".mode is no octal number");
        }
    }
    return file;
}

} // namespace

Result<NodePlan> parseNodePlan(std::string_view text)
{
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object()) return makeError(ErrorKind::invalid, "plan: not a JSON object");
    NodePlan plan;
    const auto shared = LOCKSTEP_TRY(textMap(root.value("environment", json()), "environment"));
    const json files = root.value("files", json::array()), commands = root.value("commands", json::array());
    if (!files.is_array() || !commands.is_array()) {
        return makeError(ErrorKind::invalid, "plan: files and commands must be lists");
    }
    for (size_t i = 0; i < files.size(); ++i) {
        plan.files.push_back(LOCKSTEP_TRY(fileOf(files[i], "files[" + std::to_string(i) + "]")));
    }
    for (size_t i = 0; i < commands.size(); ++i) {
        plan.commands.push_back(LOCKSTEP_TRY(commandOf(commands[i], "commands[" + std::to_string(i) + "]", shared)));
    }
    if (plan.commands.empty()) return makeError(ErrorKind::invalid, "plan: no commands");
    const json roots = root.value("reports", json::array());
    for (const json& folder : roots) {
        if (folder.is_string()) plan.reportRoots.push_back(folder.get<std::string>());
    }
    return plan;
}

} // namespace lockstep::agent
