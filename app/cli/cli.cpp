// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

#include <algorithm>
#include <array>

#include "app/cli/cli_machine.h"
#include "app/cli/cli_record.h"
#include "app/cli/cli_scope.h"
#include "app/cli/cli_session.h"
#include "app/cli/go_to.h"
#include "core/analysis/analysis.h"
#include "core/base/text.h"
#include "core/timeline/picture_limits.h"

namespace lockstep {

tl::unexpected<Error> usage(const std::string& message)
{
    return makeError(ErrorKind::invalid, message);
}

namespace {

std::vector<std::string> splitAtCommas(std::string_view text)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// Applies the value of one option.
using SetOption = Status (*)(CommandLine& line, std::string_view value);

Status setWhat(CommandLine& line, std::string_view value)
{
    line.task = Task::exportFiles;
    for (const std::string& what : splitAtCommas(value)) {
        if (isTable(what)) LOCKSTEP_TRY(resolveAnalysis(what));
        if (std::ranges::find(line.what, what) == line.what.end()) line.what.push_back(what);
    }
    if (line.what.empty())
        return usage("--export needs the name of at least one table, picture or file, for example inventory");
    return {};
}

Status setSql(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--sql needs a query or a file that contains one");
    line.task = Task::exportFiles;
    line.sql = value;
    return {};
}

Status setFormat(CommandLine& line, std::string_view value)
{
    line.tableFormat = tableFormatNamed(value);
    if (line.tableFormat) return {};
    if (value == "png" || value == "svg" || value == "pdf") {
        line.pictureFormat = value == "png"   ? PictureFormat::png
                             : value == "svg" ? PictureFormat::svg
                                              : PictureFormat::pdf;
        return {};
    }
    if (value == "html") { // HTML is the only format of a report
        line.isHtml = true;
        return {};
    }
    return usage(
        "--format '" + std::string(value) +
        "': unknown format; tables: table csv tsv json jsonl markdown, pictures: png svg pdf, report: html");
}

Status setOutput(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--output needs a file, a folder, or - for standard output");
    line.output = value;
    return {};
}

Status setAlign(CommandLine& line, std::string_view value)
{
    if (value.starts_with("manual:")) {
        line.align.mode = AlignMode::manual;
        line.manualShifts = value.substr(7);
        return {};
    }
    const size_t colon = value.find(':'); // step:N, marker:TEXT
    const std::string_view word = value.substr(0, colon),
                           rest = colon == value.npos ? "" : value.substr(colon + 1);
    const auto mode = alignModeNamed(word);
    if (!mode || *mode == AlignMode::manual) {
        return usage(
            "--align '" + std::string(value) +
            "': use auto, collectives, host, wallclock, zero, step, step:N, marker:TEXT or manual:FILE");
    }
    line.align.mode = *mode;
    if (*mode == AlignMode::step && !rest.empty()) {
        line.align.step = parseInt(rest);
        if (!line.align.step) return usage("--align '" + std::string(value) + "': the step is not a number");
    }
    if (*mode == AlignMode::marker) line.align.marker = rest;
    if (*mode == AlignMode::marker && rest.empty())
        return usage("--align marker needs text, for example --align marker:train_batch");
    return {};
}

Status setTimeUnit(CommandLine& line, std::string_view value)
{
    const auto unit = timeUnitNamed(value);
    if (!unit) return usage("--timeunit '" + std::string(value) + "': use ns, us, ms or s");
    line.timeUnit = *unit;
    return {};
}

Status setRows(CommandLine& line, std::string_view value)
{
    const auto rows = parseInt(value);
    if (!rows || *rows < 0)
        return usage("--rows '" + std::string(value) + "': use a whole number; 0 means all rows");
    line.rows = static_cast<size_t>(*rows);
    return {};
}

Status setSize(CommandLine& line, std::string_view value)
{
    const size_t x = value.find('x');
    const auto width = parseInt(value.substr(0, x));
    const auto height = x == value.npos ? std::nullopt : parseInt(value.substr(x + 1));
    const bool fits = width && height && *width >= kMinPictureWidth && *width <= kMaxPicturePixels &&
                      *height >= kMinPictureHeight && *height <= kMaxPicturePixels;
    if (!fits) {
        return usage("--size '" + std::string(value) + "': use WIDTHxHEIGHT in pixels, " +
                     std::to_string(kMinPictureWidth) + "x" + std::to_string(kMinPictureHeight) + " to " +
                     std::to_string(kMaxPicturePixels) + "x" + std::to_string(kMaxPicturePixels) +
                     ", for example 1920x1080");
    }
    line.width = static_cast<int>(*width);
    line.height = static_cast<int>(*height);
    return {};
}

Status setTheme(CommandLine& line, std::string_view value)
{
    if (value != "light" && value != "dark")
        return usage("--theme '" + std::string(value) + "': use light or dark");
    line.isDark = value == "dark";
    return {};
}

Status setLanes(CommandLine& line, std::string_view value)
{
    LOCKSTEP_TRY(Pattern::compile(value));
    line.lanes = value;
    return {};
}

template<std::string CommandLine::*kText>
Status setText(CommandLine& line, std::string_view value)
{
    line.*kText = value;
    return {};
}

Status setFailOn(CommandLine& line, std::string_view value)
{
    line.failOn.push_back(LOCKSTEP_TRY(parseFailCondition(value)));
    return {};
}

template<Task kTask>
Status setTask(CommandLine& line, std::string_view)
{
    line.task = kTask;
    return {};
}

template<bool CommandLine::*kFlag>
Status setFlag(CommandLine& line, std::string_view)
{
    line.*kFlag = true;
    return {};
}

Status setByStage(CommandLine& line, std::string_view)
{
    line.recorded.recording.isByStage = true;
    return {};
}

struct Option {
    std::string_view name;
    std::string_view letter; // "" = no short form
    bool takesValue;
    SetOption set; // nullptr for a documented option that this build does not support
};

constexpr std::array<Option, 59> kOptions{{
    {"--help", "-h", false, setTask<Task::help>},
    {"--version", "", false, setTask<Task::version>},
    {"--export", "", true, setWhat},
    {"--sql", "", true, setSql},
    {"--sql-schema", "", false, setTask<Task::sqlSchema>},
    {"--format", "", true, setFormat},
    {"--output", "-o", true, setOutput},
    {"--by", "", true, setBy},
    {"--filter", "", true, setFilter},
    {"--time-range", "", true, setTimeRange},
    {"--align", "", true, setAlign},
    {"--timeunit", "", true, setTimeUnit},
    {"--rows", "", true, setRows},
    {"--size", "", true, setSize},
    {"--theme", "", true, setTheme},
    {"--lanes", "", true, setLanes},
    {"--fold", "", false, setFlag<&CommandLine::isFolded>},
    {"--identity", "", true, setText<&CommandLine::identityFile>},
    {"--fail-on", "", true, setFailOn},
    {"--provenance", "", false, setFlag<&CommandLine::withProvenance>},
    {"--jobs", "", true, setJobs},
    {"--memory-limit", "", true, setMemoryLimit},
    {"--cache", "", true, setCache},
    {"--cache-limit", "", true, setCacheLimit},
    {"--cache-check", "", true, setCacheCheck},
    {"--raw", "", false, setFlag<&CommandLine::isRaw>},
    {"--quiet", "-q", false, setFlag<&CommandLine::isQuiet>},
    {"--verbose", "-v", false, setFlag<&CommandLine::isVerbose>},
    {"--screenshot", "", true, setText<&CommandLine::screenshot>},
    {"--goto", "", true, setGoTo},
    {"--clip", "", true, setClip},
    {"--baseline", "", true, setBaseline},
    {"--plan", "", true, setPlan},
    {"--run", "", true, setRun},
    {"--attach", "", true, setAttach},
    {"--live", "", false, setFlag<&CommandLine::isLive>},
    {"--stop", "", true, setStop},
    {"--grace", "", true, setGrace},
    {"--remove-runs", "", false, setRemoveRuns},
    {"--older-than", "", true, setOlderThan},
    {"--import", "", true, setImport},
    {"--set", "", true, setValue},
    {"--patience", "", true, setPatience},
    {"--batch", "", true, setBatch},
    {"--batch-task", "", true, setBatchTask},
    {"--force", "", false, setForce},
    {"--strict", "", false, setStrict},
    {"--reduced", "", false, setReduced},
    {"--demo", "", false, setTask<Task::demo>},
    {"--host-facts", "", true, setHostFacts},
    {"--resolve", "", false, setFlag<&CommandLine::isResolved>},
    {"--yes", "", false, setFlag<&CommandLine::isAgreed>},
    {"--record", "", true, setRecord},
    {"--steps", "", true, setSteps},
    {"--seconds", "", true, setSeconds},
    {"--server", "", true, setServer},
    {"--folder", "", true, setFolder},
    {"--timeout", "", true, setTimeout},
    {"--by-stage", "", false, setByStage},
}};

// Applies the option at arguments[at] with its value. Returns the number of arguments used.
Result<size_t> takeOption(CommandLine& line, std::span<const std::string> arguments, size_t at)
{
    const std::string_view argument = arguments[at];
    const size_t equals = argument.starts_with("--") ? argument.find('=') : argument.npos;
    const std::string_view name = argument.substr(0, equals);
    const auto option =
        std::ranges::find_if(kOptions, [&](const Option& o) { return o.name == name || (o.letter == name); });
    if (option == kOptions.end())
        return usage("unknown option '" + std::string(name) + "'; see lockstep --help");
    if (option->set == nullptr) return usage(std::string(name) + " is not available in this build");
    if (!option->takesValue) {
        if (equals != argument.npos) return usage(std::string(name) + " takes no value");
        LOCKSTEP_TRY(option->set(line, ""));
        return 1;
    }
    if (equals != argument.npos) {
        LOCKSTEP_TRY(option->set(line, argument.substr(equals + 1)));
        return 1;
    }
    if (at + 1 >= arguments.size()) return usage(std::string(name) + " needs a value");
    LOCKSTEP_TRY(option->set(line, arguments[at + 1]));
    return 2;
}

// Returns true if the name has the extension of an output file and is not an existing folder.
bool isDocumentName(const std::string& output)
{
    static constexpr std::array<std::string_view, 11> kExtensions{
        ".csv", ".tsv", ".json", ".jsonl", ".md", ".txt", ".png", ".svg", ".pdf", ".html", ".lockstep"};
    const std::filesystem::path path = output;
    std::error_code ignored;
    return std::ranges::find(kExtensions, lowerAscii(path.extension().string())) != kExtensions.end() &&
           !std::filesystem::is_directory(path, ignored);
}

// Rejects options whose effect can be expressed in the query itself.
Status checkSql(const CommandLine& line)
{
    if (!line.what.empty()) return usage("--sql and --export cannot be combined; run lockstep once for each");
    if (line.scope.by != GroupBy::total)
        return usage("--by does not apply to --sql; use GROUP BY in the query");
    if (!line.scope.description().empty())
        return usage("--filter and --time-range do not apply to --sql; use WHERE in the query, for example "
                     "WHERE start_ns < 2000000");
    return {};
}

Status checkTogether(const CommandLine& line)
{
    if (line.task == Task::demo && line.inputs.size() > 1) return usage("--demo takes at most one folder");
    LOCKSTEP_TRY(checkRecord(line));
    LOCKSTEP_TRY(checkSession(line));
    LOCKSTEP_TRY(checkScope(line));
    if (line.task != Task::exportFiles) return {};
    if (line.inputs.empty()) {
        return usage(std::string(line.sql.empty() ? "--export" : "--sql") +
                     " needs reports or folders to read; '-' reads a list of paths from standard input");
    }
    const bool hasPicture = std::ranges::any_of(line.what, isPicture);
    const bool hasWorkspace = std::ranges::any_of(line.what, isWorkspace);
    const bool hasTable = !line.sql.empty() || std::ranges::any_of(line.what, isTable);
    if (!line.sql.empty()) LOCKSTEP_TRY(checkSql(line));
    if (std::ranges::any_of(line.what, isSceneFile) && line.output == "-")
        return usage(
            "sqlite, chrome and perfetto cannot be written to standard output; specify a file with --output");
    if (hasWorkspace && line.output == "-")
        return usage("a workspace cannot be written to standard output; specify a file with --output");
    const bool hasFile = hasWorkspace || std::ranges::any_of(line.what, isSceneFile);
    if (hasFile && (line.scope.by != GroupBy::total || !line.scope.description().empty()))
        return usage("workspace, sqlite, chrome and perfetto always contain all inputs; --by, --filter and "
                     "--time-range apply only to tables and reports");
    const bool hasReport = std::ranges::any_of(line.what, isReportDocument);
    if (hasReport && !line.baseline.empty())
        return usage("--baseline does not apply to --export report, which describes one run");
    if (line.isHtml && !hasReport) return usage("--format html requires --export report");
    if (line.isRaw && !hasWorkspace) return usage("--raw requires --export workspace");
    if (line.what.size() > 1 && isDocumentName(line.output)) {
        return usage("--output " + line.output + " names one file, but " + std::to_string(line.what.size()) +
                     " documents were requested; specify a folder");
    }
    if (line.tableFormat && !hasTable) {
        return usage("--format " + std::string(tableFormatName(*line.tableFormat)) +
                     " applies only to tables; use png, svg or pdf for pictures");
    }
    if (line.pictureFormat && !hasPicture) return usage("--format png, svg and pdf apply only to pictures");
    if (line.output == "-" && (hasPicture || hasReport) && line.what.size() > 1) {
        return usage("a " + std::string(hasPicture ? "picture" : "report") +
                     " cannot share standard output with other documents; specify a folder with --output");
    }
    return {};
}

} // namespace

bool isTable(std::string_view what)
{
    return !isPicture(what) && !isWorkspace(what) && !isSceneFile(what) && !isReportDocument(what);
}

bool isPicture(std::string_view what)
{
    return what == "timeline" || what == "memory" || what == "memory:stack" || isStepChart(what);
}

bool isStepChart(std::string_view what)
{
    return what == "step_chart";
}

bool isSceneFile(std::string_view what)
{
    return what == "sqlite" || what == "chrome" || what == "perfetto";
}

bool isReportDocument(std::string_view what)
{
    return what == "report";
}

bool isWorkspace(std::string_view what)
{
    return what == "workspace";
}

std::vector<OptionName> optionNames()
{
    std::vector<OptionName> names;
    for (const Option& option : kOptions)
        names.push_back({option.name, option.letter, option.takesValue});
    return names;
}

Result<CommandLine> parseCommandLine(std::span<const std::string> arguments)
{
    CommandLine line;
    bool onlyInputs = false;
    for (size_t at = 0; at < arguments.size();) {
        const std::string& argument = arguments[at];
        if (argument == "--" && !onlyInputs) {
            onlyInputs = true;
            ++at;
        } else if (onlyInputs || argument == "-" || !argument.starts_with('-')) {
            if (argument.empty()) return usage("empty input path");
            line.inputs.push_back(argument);
            ++at;
        } else {
            at += LOCKSTEP_TRY(takeOption(line, arguments, at));
        }
        if (line.task == Task::help || line.task == Task::version) return line;
    }
    LOCKSTEP_TRY(checkTogether(line));
    return line;
}

} // namespace lockstep
