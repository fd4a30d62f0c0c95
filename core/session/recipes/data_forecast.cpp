// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/host_reference.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/recipes/data_parts.h"
#include "core/session/recipes/nsys_command.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr int64_t kMaxForecastRanks = 100'000;

// Returns the ranks that a writer has, or nullopt if they are not known or not ranks of the run.
std::optional<std::vector<int64_t>> writerRanks(const RecipeWriter& writer, const SessionScope& scope)
{
    if (writer.ranks == "none") return std::nullopt;
    RecipeValue list;
    if (writer.ranks == "gated") {
        list = scope.value("ranks");
        if (scope.value("all_ranks").isTrue()) list = RecipeValue::unknown();
        if (list.kind == RecipeValue::Kind::list && list.items.empty()) list = RecipeValue::fromInts({0});
    } else if (writer.ranks != "all") {
        list = scope.value(writer.ranks);
    }
    const bool isAll = writer.ranks == "all" || (writer.ranks == "gated" && !list.isKnown());
    if (isAll) {
        const RecipeValue world = scope.value("world");
        if (world.kind != RecipeValue::Kind::integer || world.number < 1 || world.number > kMaxForecastRanks)
            return std::nullopt;
        std::vector<int64_t> ranks(static_cast<size_t>(world.number));
        for (size_t i = 0; i < ranks.size(); ++i)
            ranks[i] = static_cast<int64_t>(i);
        return ranks;
    }
    if (list.kind != RecipeValue::Kind::list) return std::nullopt;
    std::vector<int64_t> ranks;
    for (const RecipeValue& item : list.items) {
        if (item.kind == RecipeValue::Kind::integer) ranks.push_back(item.number);
    }
    return ranks;
}

// Returns the size of a report with this number of steps, or of one stage of a step.
int64_t roughSize(ReportKind kind, const SessionConfig& config, size_t steps, bool isStage)
{
    steps = isStage ? 1 : std::max<size_t>(1, steps);
    TorchOptions torch = config.torch;
    if (isStage) torch.discrete = true;
    switch (kind) {
    case ReportKind::nsysReport:
        return nsysReportSize(steps, isStage);
    case ReportKind::torchTrace:
        return torchTraceSize(torch, steps);
    case ReportKind::memorySnapshot:
        return memorySnapshotSize(config.torchMemory);
    case ReportKind::npuProfile:
        return npuProfileSize(steps, isStage);
    case ReportKind::samples:
        return samplesSize();
    case ReportKind::captureSpool:
        break;
    }
    return captureSpoolSize(steps);
}

// Returns the steps of a rank's reports, in report order: one group for each report, or all steps in one.
std::vector<std::vector<int64_t>> stepsOfReports(const SessionConfig& config, int64_t reports)
{
    const auto groups = stepGroups(config);
    if (!groups.empty() && reports % static_cast<int64_t>(groups.size()) == 0) return groups;
    if (reports == 1 && !groups.empty()) return {sortedSteps(config)};
    return {};
}

// Returns why a number of files is unknown; `name` is the value that is not known.
std::string unknownText(const std::string& name)
{
    if (name.empty()) return "the number of files is known only during the run";
    if (name == "gpus_per_host" || name == "world") return kGpusUnknown;
    if (name == "entry") return "the command does not show which program it starts";
    return name + " is not known";
}

// Returns the line of a writer without counts. Reports of the nsys that Lockstep starts lie where its output
// option says.
ExpectedFile fileOfWriter(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope)
{
    ExpectedFile file;
    file.kind = *writer.kind;
    file.role = writer.role.find('{') == std::string::npos ? writer.role : scope.expanded(writer.role, "");
    file.folder = scope.expanded(writer.folder, "*");
    file.pattern = writer.names;
    file.size_bytes = roughSize(file.kind, input.config, sortedSteps(input.config).size(), false);
    if (file.kind != ReportKind::nsysReport || !recipeOf(input).startsNsys) return file;
    file.folder = nsysFolder(input.config);
    applyCustomOutput(input.config, file);
    return file;
}

void addExpected(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope,
                 std::vector<ExpectedFile>& files)
{
    ExpectedFile file = fileOfWriter(writer, input, scope);
    if (input.hosts.size() == 1) file.host = input.hosts[0].name;
    const RecipeValue count = writer.count ? writer.count->evaluate(scope) : RecipeValue::unknown();
    if (count.kind != RecipeValue::Kind::integer || count.number < 0) {
        file.unknownReason = unknownText(count.text);
        files.push_back(std::move(file));
        return;
    }
    if (count.number == 0) return;
    const std::optional<std::vector<int64_t>> ranks = writerRanks(writer, scope);
    const auto ranked = static_cast<int64_t>(ranks ? ranks->size() : 0);
    const auto finish = [&](ExpectedFile& one) {
        if (writer.isUpperBound) one.optionalPerRank = one.reportsPerRank;
        if (!writer.isWholeRun && one.kind != ReportKind::samples)
            one.steps = stepsOfReports(input.config, one.reportsPerRank);
        files.push_back(std::move(one));
    };
    if (ranked > 0 && count.number % ranked == 0) {
        for (HostRanks& part : ranksByHost(input.hosts, *ranks)) {
            ExpectedFile one = file;
            if (!part.host.empty()) one.host = part.host;
            one.ranks = std::move(part.ranks);
            one.reportsPerRank = count.number / ranked;
            finish(one);
        }
        return;
    }
    const auto hosts = static_cast<int64_t>(input.hosts.size());
    if (writer.ranks == "first_per_node" && hosts > 0 && count.number % hosts == 0) {
        for (const Host& host : input.hosts) {
            ExpectedFile one = file;
            one.host = host.name;
            one.rankCount = 1;
            one.reportsPerRank = count.number / hosts;
            finish(one);
        }
        return;
    }
    const bool isOneProcess = writer.ranks == "controller" || writer.ranks == "first_per_cluster";
    file.rankCount = isOneProcess ? 1 : count.number;
    file.reportsPerRank = isOneProcess ? count.number : 1;
    finish(file);
}

// Places the files of nsys that the framework starts: `dir` is the folder of relative names. The session's
// option for the output may name another folder.
void applyWorkerOutput(const NsightOptions& options, ExpectedFile& file)
{
    const std::string output = nsysOutput(options);
    if (output.empty()) return;
    const size_t slash = output.rfind('/');
    const std::string folder = slash == std::string::npos ? std::string() : output.substr(0, slash);
    if (isAbsoluteOrHomePath(output)) {
        file.folder = folder;
    } else if (!folder.empty()) {
        file.folder += "/" + folder;
    }
    const bool hasRange = file.pattern.find("(?<range>") != std::string::npos;
    file.pattern = nsysNamePattern(output) + (hasRange ? R"(\.(?<range>\d+)\.nsys-rep)" : R"(\.nsys-rep)");
}

// Adds a line per host for a writer with a number of files for each rank.
void addOfRanks(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope,
                std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    ExpectedFile file = fileOfWriter(writer, input, scope);
    const RecipeValue each = writer.each->evaluate(scope);
    if (each.kind != RecipeValue::Kind::integer || each.number < 0) {
        file.unknownReason = unknownText(each.text);
        files.push_back(std::move(file));
        return;
    }
    const RecipeValue certain = writer.certain ? writer.certain->evaluate(scope) : each;
    const bool isCertain = certain.kind == RecipeValue::Kind::integer && !writer.isUpperBound;
    file.reportsPerRank = each.number;
    file.optionalPerRank = each.number - std::clamp<int64_t>(isCertain ? certain.number : 0, 0, each.number);
    const bool isStage = writer.stage && writer.stage->evaluate(scope).isTrue();
    const auto groups = stepGroups(config);
    file.steps = isStage || each.number % std::max<int64_t>(1, static_cast<int64_t>(groups.size())) == 0
                     ? groups
                     : stepsOfReports(config, each.number);
    if (writer.isWholeRun) file.steps.clear();
    const size_t steps = file.steps.empty() ? sortedSteps(config).size() : file.steps.front().size();
    SessionConfig sized = config; // with the role's own settings
    if (const std::optional<Role> role = enumFromWord<Role>(scope.value("role").text)) {
        const RoleProfile& own = config.role(*role);
        if (own.torch.isSet()) sized.torch = own.torch;
        if (own.torchMemory.maxEntries) sized.torchMemory.maxEntries = own.torchMemory.maxEntries;
        if (own.torchMemory.stackDepth) sized.torchMemory.stackDepth = own.torchMemory.stackDepth;
    }
    file.size_bytes = roughSize(file.kind, sized, steps, isStage);
    if (file.kind == ReportKind::nsysReport && writer.ranks != "controller")
        applyWorkerOutput(config.workerOptions, file);
    if (writer.ranks == "controller") {
        applyWorkerOutput(config.controllerOptions, file);
        file.size_bytes = controllerReportSize();
        file.rankCount = 1;
        file.host = input.hosts.size() == 1 ? input.hosts[0].name : "";
        files.push_back(std::move(file));
        return;
    }
    std::optional<std::vector<int64_t>> ranks = writerRanks(writer, scope);
    if (!ranks) {
        file.unknownReason = unknownText(scope.value(writer.ranks).text);
        file.host = input.hosts.size() == 1 ? input.hosts[0].name : "";
        files.push_back(std::move(file));
        return;
    }
    std::ranges::sort(*ranks);
    ranks->erase(std::unique(ranks->begin(), ranks->end()), ranks->end());
    if (each.number == 0 || ranks->empty()) return;
    for (HostRanks& part : ranksByHost(input.hosts, *ranks)) {
        ExpectedFile one = file;
        one.host = part.host;
        one.ranks = std::move(part.ranks);
        files.push_back(std::move(one));
    }
}

// Adds a line for a writer that may write files, unless another writer has the same files.
void addUncertain(const RecipeWriter& writer, const std::string& unknown, const RecipeInput& input,
                  const SessionScope& scope, std::vector<ExpectedFile>& files)
{
    ExpectedFile file = fileOfWriter(writer, input, scope);
    if (input.hosts.size() == 1) file.host = input.hosts[0].name;
    file.unknownReason = unknownText(unknown);
    const bool isKnown = std::ranges::any_of(files, [&](const ExpectedFile& other) {
        return other.pattern == file.pattern && other.folder == file.folder;
    });
    if (!isKnown) files.push_back(std::move(file));
}

void forecastNsysAround(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const SessionConfig& config = input.config;
    const LaunchRecipe& recipe = recipeOf(input);
    const SessionConfig effective = withNsysOptions(recipe, config);
    const NsightOption* end = findOption(effective.workerOptions, "capture-range-end");
    const bool isOneRange = end != nullptr && end->value == "stop";
    const auto groups = stepGroups(config);
    for (const Host& host : input.hosts) {
        ExpectedFile file;
        file.host = host.name;
        file.rankCount = 1;
        const bool hasRanges = !groups.empty() && !isOneRange;
        file.reportsPerRank = hasRanges ? static_cast<int64_t>(groups.size()) : 1;
        file.steps = stepsOfReports(config, file.reportsPerRank);
        file.folder = nsysFolder(config);
        file.pattern = R"(report_(?<host>.+?))";
        file.pattern += hasRanges ? R"(\.(?<range>\d+)\.nsys-rep)" : R"(\.nsys-rep)";
        file.size_bytes = nsysReportSize(groups.empty() ? 4 : groups.front().size(), false);
        applyCustomOutput(config, file);
        files.push_back(std::move(file));
        if (!recipe.runsOnEveryHost) break;
    }
}

} // namespace

// Evaluates the writer, for one role if the scope has one.
static void addWriter(const RecipeWriter& writer, const RecipeInput& input, const SessionScope& scope,
                      std::vector<ExpectedFile>& files)
{
    const RecipeValue condition = writer.when ? writer.when->evaluate(scope) : RecipeValue::fromBool(true);
    if (!condition.isKnown()) return addUncertain(writer, condition.text, input, scope, files);
    if (!condition.isTrue()) return;
    if (writer.each) {
        addOfRanks(writer, input, scope, files);
    } else {
        addExpected(writer, input, scope, files);
    }
}

// nsys numbers the ranges of a process, not of a role. Joins the lines of the roles that run in the same
// process, for each set of ranks that have the same roles.
static void joinRoles(const std::vector<ExpectedFile>& lines, std::vector<ExpectedFile>& files)
{
    // The lines of each process. Reports of different processes have another place or rank.
    std::map<std::tuple<std::string, std::string, std::string, int64_t>, std::vector<size_t>> processes;
    std::map<std::vector<size_t>, std::vector<int64_t>> sets; // lines, and the ranks that have all of them
    for (size_t i = 0; i < lines.size(); ++i) {
        for (const int64_t rank : lines[i].ranks)
            processes[{lines[i].host, lines[i].folder, lines[i].pattern, rank}].push_back(i);
        if (lines[i].ranks.empty()) sets[{i}];
    }
    for (const auto& [process, with] : processes)
        sets[with].push_back(std::get<int64_t>(process));
    for (const auto& [with, ranks] : sets) {
        ExpectedFile joined = lines[with.front()];
        joined.ranks = ranks;
        for (size_t i = 1; i < with.size(); ++i) {
            const ExpectedFile& other = lines[with[i]];
            joined.role += ", " + other.role;
            joined.reportsPerRank += other.reportsPerRank;
            joined.optionalPerRank += other.optionalPerRank;
            joined.size_bytes = std::max(joined.size_bytes, other.size_bytes);
        }
        files.push_back(std::move(joined));
    }
}

void forecastData(const RecipeInput& input, std::vector<ExpectedFile>& files)
{
    const LaunchRecipe& recipe = recipeOf(input);
    if (input.config.tool == Tool::capture) forecastCapture(input, files);
    const bool hasWriter = std::ranges::any_of(
        recipe.writers, [](const RecipeWriter& writer) { return writer.kind == ReportKind::nsysReport; });
    if (isAroundCommand(recipe, input.config) && !hasWriter) forecastNsysAround(input, files);
    const SessionScope scope(recipe, input);
    const std::vector<std::string> known = scope.roleNames();
    for (const RecipeWriter& writer : recipe.writers) {
        if (!writer.kind || !scope.applies(writer.limits)) continue;
        if (writer.roles.empty()) addWriter(writer, input, scope, files);
        std::vector<ExpectedFile> ofRoles;
        const bool isJoined = writer.kind == ReportKind::nsysReport;
        for (const std::string& role : writer.roles) {
            if (std::ranges::find(known, role) != known.end())
                addWriter(writer, input, *scope.forRole(role), isJoined ? ofRoles : files);
        }
        joinRoles(ofRoles, files);
    }
}

} // namespace lockstep
