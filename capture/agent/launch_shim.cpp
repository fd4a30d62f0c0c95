// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/launch_shim.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/run_folder.h"
#include "core/base/host_reference.h"
#include "core/base/json_fields.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/script_launch.h"
#include "core/session/secrets.h"
#include "core/session/session_yaml.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderVariable = "LOCKSTEP_LAUNCH";           // the folder script/ of the run
constexpr const char* kBashEnvVariable = "LOCKSTEP_LAUNCH_BASH_ENV"; // the user's own BASH_ENV
constexpr std::string_view kPathPrefix = "path-";
constexpr int kNotFound = 127, kCannotRun = 126; // exit statuses of a shell

std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : std::string();
}

// What `launch` stores for the shims.
struct ShimSettings {
    fs::path folder; // script/ in the run folder
    std::string session;
    std::string host;
    std::string startFolder; // in which the script was started
    bool isRecordOnly = false;

    fs::path launchesFile() const { return folder.parent_path() / "launches.jsonl"; }
};

Status write(const ShimSettings& settings)
{
    const Json object{{"session", settings.session},
                      {"host", settings.host},
                      {"start_folder", settings.startFolder},
                      {"record_only", settings.isRecordOnly}};
    return writeTextFile(settings.folder / "settings.json", jsonLine(object));
}

Result<ShimSettings> settingsIn(const fs::path& folder)
{
    const std::string text = LOCKSTEP_TRY(readTextFile(folder / "settings.json"));
    const Json object = LOCKSTEP_TRY(objectFromJson(text, (folder / "settings.json").string()));
    ShimSettings settings{folder, textAt(object, "session"), textAt(object, "host"),
                          textAt(object, "start_folder"), boolAt(object, "record_only")};
    return settings;
}

Result<SessionConfig> sessionOf(const ShimSettings& settings)
{
    useRecipeFolder(fs::path(settings.session).parent_path() / "recipes");
    return loadSession(settings.session);
}

std::vector<std::string> entriesOf(std::string_view path)
{
    std::vector<std::string> entries;
    while (true) {
        const size_t end = std::min(path.find(':'), path.size());
        entries.emplace_back(path.substr(0, end));
        if (end == path.size()) return entries;
        path.remove_prefix(end + 1);
    }
}

bool isFolderOfLinks(std::string_view entry, const fs::path& folder)
{
    const std::string prefix = (folder / kPathPrefix).string();
    return entry.starts_with(prefix);
}

// Returns the value of PATH without the folders of links.
std::string withoutLinks(std::string_view path, const fs::path& folder)
{
    std::string kept;
    bool isFirst = true;
    for (const std::string& entry : entriesOf(path)) {
        if (isFolderOfLinks(entry, folder)) continue;
        kept += (isFirst ? "" : ":") + entry;
        isFirst = false;
    }
    return kept;
}

bool isRunnableFile(const fs::path& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Returns the program that a shell would start for a name, "" if there is none.
std::string findProgram(const std::string& name, std::string_view path)
{
    for (const std::string& entry : entriesOf(path)) {
        const fs::path candidate = fs::path(entry.empty() ? "." : entry) / name;
        if (isRunnableFile(candidate)) return candidate.string();
    }
    return {};
}

std::set<std::string> linkedNames(const SessionConfig& session, std::string_view path)
{
    std::set<std::string> names;
    for (const std::string& entry : entriesOf(path)) {
        std::error_code error;
        for (fs::directory_iterator at(entry, error), end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().string();
            if (!names.contains(name) && needsShim(session, name) && isRunnableFile(at->path()))
                names.insert(name);
        }
    }
    return names;
}

uint64_t hashOf(std::string_view text) // FNV-1a
{
    uint64_t hash = 0xCBF29CE484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return hash;
}

// Returns the value of PATH with a folder of links in front, which is created if needed. Several processes
// may create it at the same time: each fills a folder of its own, and the first one to rename it wins.
Result<std::string> withLinks(const ShimSettings& settings, std::string_view path)
{
    const std::string own = withoutLinks(path, settings.folder);
    const fs::path folder = settings.folder / (std::string(kPathPrefix) + std::to_string(hashOf(own)));
    std::error_code error;
    if (fs::is_directory(folder, error)) return folder.string() + ":" + own;
    const SessionConfig session = LOCKSTEP_TRY(sessionOf(settings));
    const fs::path agent = fs::read_symlink("/proc/self/exe", error);
    const fs::path filled = settings.folder / ("new-" + std::to_string(::getpid()));
    fs::create_directories(filled, error);
    for (const std::string& name : linkedNames(session, own)) {
        if (!error) fs::create_symlink(agent, filled / name, error);
    }
    if (error) return makeError(ErrorKind::io, filled.string() + ": " + error.message());
    fs::rename(filled, folder, error);
    if (error) fs::remove_all(filled, error);
    if (!fs::is_directory(folder, error)) return makeError(ErrorKind::io, "cannot create " + folder.string());
    return folder.string() + ":" + own;
}

// The text that bash reads before a script. The trap costs one comparison per command. Errors of the agent
// leave PATH as the script set it. Redirecting the output of the group keeps the trap out of a trace (set
// -x).
std::string bashEnvironment(const ShimSettings& settings)
{
    std::error_code error;
    const std::string agent = shellQuoted(fs::read_symlink("/proc/self/exe", error).string());
    const std::string run = shellQuoted(settings.folder.parent_path().string());
    return "if [ -n \"${" + std::string(kBashEnvVariable) + "-}\" ]; then . \"$" + kBashEnvVariable +
           "\"; fi\n"
           "set -T\n"
           "trap '{ [[ ${PATH-} == \"${_lockstep_path-}\" ]] || { _lockstep_path=$(" +
           // Within single quotes, a quoted word needs its own quotes escaped.
           [](std::string text) {
               for (size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 4)
                   text.replace(at, 1, "'\\''");
               return text;
           }(agent + " launch --run " + run) +
           " --path \"${PATH-}\") && PATH=$_lockstep_path; _lockstep_path=${PATH-}; }; } 2> /dev/null' DEBUG\n";
}

// The environment of the process as pairs, in its order.
TextPairs ownEnvironment()
{
    TextPairs pairs;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const size_t equals = text.find('=');
        if (equals != text.npos) pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return pairs;
}

void setVariable(TextPairs& environment, std::string_view name, const std::string& value)
{
    const auto found = std::ranges::find(environment, name, [](const auto& pair) { return pair.first; });
    if (found != environment.end()) {
        found->second = value;
    } else {
        environment.emplace_back(name, value);
    }
}

void eraseVariable(TextPairs& environment, std::string_view name)
{
    std::erase_if(environment, [name](const auto& pair) { return pair.first == name; });
}

// bash sets _ to the path of the program, which is that of the link. Other programs pass on what they got.
void replaceLink(TextPairs& environment, const ShimSettings& settings, const std::string& program)
{
    for (auto& [name, value] : environment) {
        if (name == "_" && isFolderOfLinks(value, settings.folder)) value = program;
    }
}

// Removes what `launch` added to the environment.
void restore(TextPairs& environment, const ShimSettings& settings)
{
    for (auto& [name, value] : environment) {
        if (name == "PATH") value = withoutLinks(value, settings.folder);
    }
    const std::string bashEnv = variable(kBashEnvVariable);
    if (variable("BASH_ENV") == (settings.folder / "bash_env").string()) { // otherwise the script changed it
        if (bashEnv.empty()) {
            eraseVariable(environment, "BASH_ENV");
        } else {
            setVariable(environment, "BASH_ENV", bashEnv);
        }
    }
    eraseVariable(environment, kBashEnvVariable);
    eraseVariable(environment, kFolderVariable);
}

// Replaces this process. Returns the status of a shell if that fails.
int execute(const std::string& program, const std::vector<std::string>& argv, const TextPairs& environment)
{
    std::vector<std::string> entries;
    for (const auto& [name, value] : environment)
        entries.push_back(name + "=" + value);
    std::vector<char*> words, variables;
    for (const std::string& word : argv)
        words.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& entry : entries)
        variables.push_back(const_cast<char*>(entry.c_str()));
    words.push_back(nullptr);
    variables.push_back(nullptr);
    restoreFileMask();
    ::execve(program.c_str(), words.data(), variables.data());
    const int reason = errno;
    std::fprintf(stderr, "lockstep: %s: %s\n", program.c_str(), std::strerror(reason));
    return reason == ENOENT ? kNotFound : kCannotRun;
}

int runUnchanged(const ShimSettings& settings, const std::string& program, std::vector<std::string> argv)
{
    // A program that searches PATH for its own name, such as Python, would find the link.
    argv.front() = program;
    TextPairs environment = ownEnvironment();
    replaceLink(environment, settings, program);
    return execute(program, argv, environment);
}

// Appends one line with a single write, so that the lines of several processes do not mix.
Status append(const fs::path& file, const std::string& line)
{
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return makeError(ErrorKind::io, file.string() + ": " + std::strerror(errno));
    const ssize_t written = ::write(fd, line.data(), line.size());
    ::close(fd);
    const bool isWhole = written == static_cast<ssize_t>(line.size());
    return isWhole ? Status() : makeError(ErrorKind::io, file.string() + ": cannot write");
}

// As a list, because readers limit the number of keys of an object.
Json environmentJson(const TextPairs& environment)
{
    Json list = Json::array();
    for (const auto& [name, value] : environment)
        list.push_back(name + "=" + value);
    return list;
}

// Returns the record of a launch without secrets. environment: what the training would get without Lockstep.
std::string recordOf(const SessionConfig& session, const ShimmedLaunch& launch,
                     const std::vector<std::string>& argv, const TextPairs& environment)
{
    SessionConfig hidden;
    hidden.secrets = session.secrets;
    hidden.command = argv;
    hidden.scriptArguments = launch.argv;
    hidden.otherOverrides = launch.added;
    hidden.environment = environment;
    hidden = hideSecrets(hidden).config;
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::error_code error;
    Json record{{"t_ns", wallClock_ns()},
                {"outcome", enumName(launch.outcome)},
                {"framework", launch.framework},
                {"node", host.data()},
                {"pid", ::getpid()},
                {"folder", fs::current_path(error).string()},
                {"argv", hidden.command},
                {"profiled_argv", hidden.scriptArguments},
                {"added", hidden.otherOverrides},
                {"added_environment", environmentJson(launch.environment)},
                {"environment", environmentJson(writtenEnvironment(hidden))}};
    if (!launch.problem.empty()) record["text"] = launch.problem;
    return jsonLine(record) + "\n";
}

void makeReportFolder(const std::string& folder)
{
    if (folder.empty()) return;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) std::fprintf(stderr, "lockstep: %s: %s\n", folder.c_str(), error.message().c_str());
}

int runTraining(const ShimSettings& settings, const ShimmedLaunch& launch, const std::string& program,
                const std::vector<std::string>& argv, TextPairs environment)
{
    const bool isProfiled = launch.outcome == ShimmedLaunch::Outcome::profiled;
    if (settings.isRecordOnly) {
        std::fprintf(stderr, "lockstep: recorded, not started: %s\n", launch.framework.c_str());
        return 0;
    }
    if (!isProfiled)
        std::fprintf(stderr, "lockstep: no profiling settings were added: %s\n", launch.problem.c_str());
    if (!isProfiled) return execute(program, argv, environment);
    for (const auto& [name, value] : launch.environment)
        setVariable(environment, name, value);
    restoreFileMask();
    makeReportFolder(launch.folder);
    const std::vector<std::string>& words = launch.argv;
    if (words.front() == argv.front()) return execute(program, words, environment);
    const std::string path = withoutLinks(variable("PATH"), settings.folder);
    const std::string first = findProgram(words.front(), path);
    if (first.empty()) {
        std::fprintf(stderr, "lockstep: %s: command not found\n", words.front().c_str());
        return kNotFound;
    }
    return execute(first, words, environment);
}

// Returns the session as the training sees it. The script may have changed the folder, so the folders of
// reports do not depend on it.
SessionConfig placed(SessionConfig session, const ShimSettings& settings, const TextPairs& environment)
{
    session.environment = environment;
    session.workingFolder = settings.startFolder;
    const bool isOwn = session.tool == Tool::capture || session.framework == Framework::torchrun;
    if (isOwn && session.savePath && !isAbsoluteOrHomePath(*session.savePath))
        session.savePath = settings.startFolder + "/" + *session.savePath;
    return session;
}

// The log of the capture library belongs to the run, like that of a planned command.
ShimmedLaunch withRunFolder(const ShimSettings& settings, ShimmedLaunch launch)
{
    const auto has = [&launch](std::string_view name) {
        return std::ranges::any_of(launch.environment,
                                   [name](const auto& pair) { return pair.first == name; });
    };
    if (has("LOCKSTEP_OUTPUT") && !has("LOCKSTEP_CAPTURE_LOG"))
        launch.environment.emplace_back("LOCKSTEP_CAPTURE_LOG",
                                        (settings.folder.parent_path() / "capture.log").string());
    return launch;
}

// Returns the folder script/ of the launch that this program was started in, or an empty path.
fs::path launchFolder(const std::string& name)
{
    std::error_code error;
    const fs::path folder = variable(kFolderVariable);
    if (!folder.empty() && fs::exists(folder / "settings.json", error)) return folder;
    // Started by the path of the link, with an environment of its own.
    const fs::path parent = fs::path(name).parent_path();
    const bool isLink = parent.filename().string().starts_with(kPathPrefix);
    return isLink && fs::exists(parent.parent_path() / "settings.json", error) ? parent.parent_path()
                                                                               : fs::path();
}

std::string optionValue(Arguments options, std::string_view name)
{
    for (size_t i = 0; i + 1 < options.size(); ++i) {
        if (options[i] == name) return options[i + 1];
    }
    return {};
}

} // namespace

std::optional<int> runAsShim(const std::vector<std::string>& arguments)
{
    const std::string name = fs::path(arguments.front()).filename().string();
    if (name.starts_with("lockstep-agent")) return std::nullopt;
    const fs::path folder = launchFolder(arguments.front());
    if (folder.empty()) return std::nullopt;
    const std::string program = findProgram(name, withoutLinks(variable("PATH"), folder));
    if (program.empty()) {
        std::fprintf(stderr, "%s: command not found\n", name.c_str());
        return kNotFound;
    }
    std::vector<std::string> argv = arguments;
    argv.front() = name;
    const auto settings = settingsIn(folder);
    const auto session = settings ? sessionOf(*settings) : tl::make_unexpected(settings.error());
    if (!session) {
        std::fprintf(stderr, "lockstep: no profiling settings were added: %s\n",
                     session.error().message.c_str());
        return runUnchanged(ShimSettings{folder, {}, {}, {}, false}, program, std::move(argv));
    }
    TextPairs environment = ownEnvironment();
    restore(environment, *settings);
    replaceLink(environment, *settings, program);
    const auto resolve = [&settings](const std::string& text) {
        return resolvedHere(text, settings->startFolder);
    };
    const ShimmedLaunch launch = withRunFolder(
        *settings, shimmedLaunch(placed(*session, *settings, environment), settings->host, argv, resolve));
    if (launch.outcome == ShimmedLaunch::Outcome::unrelated)
        return runUnchanged(*settings, program, std::move(argv));
    const Status recorded = append(settings->launchesFile(), recordOf(*session, launch, argv, environment));
    if (!recorded) std::fprintf(stderr, "lockstep: %s\n", recorded.error().message.c_str());
    return runTraining(*settings, launch, program, argv, std::move(environment));
}

int launchCommand(Arguments arguments)
{
    const auto dashes = std::ranges::find(arguments, "--");
    const Arguments options = arguments.first(static_cast<size_t>(dashes - arguments.begin()));
    const std::string run = optionValue(options, "--run");
    if (run.empty()) return printError("launch needs --run DIR", 2);
    std::error_code error;
    const fs::path folder = fs::absolute(run, error) / "script";
    if (const auto path = std::ranges::find(options, "--path"); path != options.end()) {
        const auto settings = settingsIn(folder);
        if (!settings) return printError(settings.error().message, 1);
        const auto value = withLinks(*settings, optionValue(options, "--path"));
        if (!value) return printError(value.error().message, 1);
        std::printf("%s\n", value->c_str());
        return 0;
    }
    const std::vector<std::string> words(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    const std::string session = optionValue(options, "--session");
    if (words.empty() || session.empty()) return printError("launch needs --session FILE and a program", 2);
    ShimSettings settings{folder, fs::absolute(session, error).string(), optionValue(options, "--host"),
                          fs::current_path(error).string(),
                          std::ranges::find(options, "--record-only") != options.end()};
    fs::create_directories(folder, error);
    Status done = write(settings);
    if (done) done = writeTextFile(folder / "bash_env", bashEnvironment(settings));
    if (!done) return printError(done.error().message, 1);
    const auto path = withLinks(settings, variable("PATH"));
    if (!path) return printError(path.error().message, 1);
    TextPairs environment = ownEnvironment();
    setVariable(environment, "PATH", *path);
    setVariable(environment, kFolderVariable, folder.string());
    if (const std::string bashEnv = variable("BASH_ENV"); !bashEnv.empty())
        setVariable(environment, kBashEnvVariable, bashEnv);
    setVariable(environment, "BASH_ENV", (folder / "bash_env").string());
    const std::string program = words.front().find('/') != std::string::npos
                                    ? words.front()
                                    : findProgram(words.front(), variable("PATH"));
    if (program.empty()) return printError(words.front() + ": command not found", kNotFound);
    return execute(program, words, environment);
}

LaunchWatch::LaunchWatch(const fs::path& runFolder, size_t reported, EventLog& log)
    : m_reader(runFolder / "launches.jsonl"), m_reported(reported), m_log(log)
{
}

void LaunchWatch::reportNew()
{
    for (std::string_view line = m_reader.next(); !line.empty(); line = m_reader.next()) {
        Json record = jsonFrom(line);
        if (!record.is_object()) continue;
        const std::string outcome = textAt(record, "outcome");
        const bool isProfiled = outcome == enumName(ShimmedLaunch::Outcome::profiled);
        if (isProfiled) ++m_profiled;
        if (++m_read <= m_reported) continue;
        record.erase("t_ns");
        const std::string problem =
            "the script starts a training that is not recorded: " + textAt(record, "text");
        m_log.add("launch", std::move(record));
        if (!isProfiled) m_log.add("error", {{"failure", "launch_" + outcome}, {"text", problem}});
    }
}

} // namespace lockstep::agent
