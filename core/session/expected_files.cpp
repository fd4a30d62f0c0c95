// SPDX-License-Identifier: Apache-2.0
#include "core/session/expected_files.h"

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/session/import_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/script_launch.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr int64_t kMega = 1'000'000;

int64_t multiplied(int64_t a, int64_t b)
{
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t added(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Returns "0, 8" or "0..7, 12"; runs of three or more ranks are abbreviated.
std::string ranksText(const ExpectedFile& file)
{
    if (file.ranks.empty()) return file.rankCount ? std::to_string(*file.rankCount) : "unknown";
    std::string text;
    size_t parts = 0;
    for (size_t i = 0; i < file.ranks.size(); ++parts) {
        size_t last = i;
        while (last + 1 < file.ranks.size() && file.ranks[last + 1] == file.ranks[last] + 1)
            ++last;
        if (last == i + 1) last = i;
        text += (i > 0 ? ", " : "") + std::to_string(file.ranks[i]);
        if (last > i) text += ".." + std::to_string(file.ranks[last]);
        i = last + 1;
    }
    return parts <= 4 ? text : std::to_string(file.ranks.size()) + " ranks";
}

// Returns the patterns on one line.
std::string patternText(std::string patterns)
{
    for (size_t at = patterns.find('\n'); at != std::string::npos; at = patterns.find('\n', at))
        patterns.replace(at, 1, " or ");
    return patterns;
}

std::string padded(std::string text, size_t width)
{
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

std::string megaText(int64_t size_bytes)
{
    return "~" + std::to_string(std::max<int64_t>(1, size_bytes / kMega)) + " MB";
}

} // namespace

std::span<const std::string_view> enumNames(ReportKind)
{
    static constexpr std::array<std::string_view, 6> kWords{"nsys",    "torch", "torch_memory",
                                                            "capture", "npu",   "samples"};
    return kWords;
}

int64_t ExpectedFile::count() const
{
    return multiplied(std::max<int64_t>(0, rankCount.value_or(static_cast<int64_t>(ranks.size()))),
                      reportsPerRank);
}

int64_t ExpectedFile::requiredCount() const
{
    if (count() == 0) return 0;
    return count() / reportsPerRank *
           (reportsPerRank - std::clamp<int64_t>(optionalPerRank, 0, reportsPerRank));
}

int64_t ExpectedFile::totalSize_bytes() const
{
    return multiplied(count(), size_bytes);
}

bool ExpectedFile::isOptional(int64_t order) const
{
    if (optionalPerRank <= 0) return false;
    if (pattern.find("(?<step>") == std::string::npos) return order >= reportsPerRank - optionalPerRank;
    const auto groups = std::max<int64_t>(1, static_cast<int64_t>(steps.size()));
    const int64_t stages =
        steps.empty() ? 1 : std::max<int64_t>(1, std::max<int64_t>(1, reportsPerRank) / groups);
    return order % stages >= stages - optionalPerRank / groups;
}

std::vector<int64_t> ExpectedFile::stepsOf(int64_t order) const
{
    const auto groups = static_cast<int64_t>(steps.size());
    if (groups == 0) return {};
    const int64_t stages = std::max<int64_t>(1, std::max<int64_t>(1, reportsPerRank) / groups);
    return steps[static_cast<size_t>(std::min(order / stages, groups - 1))];
}

// The arguments of the training decide about its reports, and a script chooses them on the host.
static void forgetCounts(std::vector<ExpectedFile>& files)
{
    for (ExpectedFile& file : files) {
        file.ranks.clear();
        file.rankCount.reset();
        file.reportsPerRank = 1;
        file.optionalPerRank = 0;
        file.unknownReason = "known when the script has started the training, or after a dry run";
    }
}

std::vector<ExpectedFile> forecastFiles(const SessionConfig& given, std::span<const HostFacts> facts)
{
    const SessionConfig config = withScriptAsCommand(given);
    std::vector<ExpectedFile> files;
    const std::vector<Host> hosts = plannedHosts(config);
    const RecipeInput input{config, facts, hosts, eraOf(config, facts), 0};
    recipeFor(config.framework).forecast(input, files);
    // Without a tool, the framework's own files are all that the session expects.
    if (!config.tool) std::erase_if(files, [](const auto& file) { return file.kind != ReportKind::samples; });
    if (usesShims(config)) forgetCounts(files);
    return files;
}

std::string countText(int64_t required, int64_t optionalCount)
{
    const std::string text = std::to_string(required);
    return optionalCount > 0 ? text + " to " + std::to_string(added(required, optionalCount)) : text;
}

std::string countText(const ForecastTotal& total)
{
    if (!total.isKnown) return "unknown";
    return total.isPartial ? "at least " + std::to_string(total.count)
                           : countText(total.count, total.optionalCount);
}

// Adds a line's certain and optional files to a total.
static void addFile(ForecastTotal& total, const ExpectedFile& file)
{
    (file.isCountKnown() ? total.isKnown : total.isPartial) = true;
    if (total.unknownReason.empty()) total.unknownReason = file.unknownReason;
    total.count = added(total.count, file.requiredCount());
    total.optionalCount = added(total.optionalCount, file.count() - file.requiredCount());
    total.size_bytes = added(total.size_bytes, file.totalSize_bytes());
}

ForecastTotal forecastTotal(std::span<const ExpectedFile> files)
{
    ForecastTotal total;
    for (const ExpectedFile& file : files)
        addFile(total, file);
    return total;
}

std::vector<ForecastTotal> forecastByHost(std::span<const ExpectedFile> files)
{
    std::vector<ForecastTotal> totals;
    for (const ExpectedFile& file : files) {
        auto found = std::find_if(totals.begin(), totals.end(),
                                  [&](const auto& total) { return total.host == file.host; });
        if (found == totals.end()) found = totals.insert(totals.end(), {.host = file.host});
        addFile(*found, file);
    }
    return totals;
}

std::string forecastText(std::span<const ExpectedFile> files)
{
    if (files.empty()) return "none\n";
    const bool hasOptional = std::any_of(files.begin(), files.end(),
                                         [](const ExpectedFile& file) { return file.optionalPerRank > 0; });
    const size_t each = hasOptional ? 10 : 6;
    std::string text = padded("role", 12) + padded("host", 12) + padded("ranks", 16) + padded("each", each) +
                       padded("files", each + 1) + padded("size", 10) + "place\n";
    for (const ExpectedFile& file : files) {
        text +=
            padded(file.role.empty() ? "-" : file.role, 12) +
            padded(file.host.empty() ? "?" : file.host, 12) + padded(ranksText(file), 16) +
            padded(countText(file.reportsPerRank - file.optionalPerRank, file.optionalPerRank), each) +
            padded(file.isCountKnown() ? countText(file.requiredCount(), file.count() - file.requiredCount())
                                       : "unknown",
                   each + 1) +
            padded(megaText(file.size_bytes), 10) + file.folder + "/" + patternText(file.pattern) + "\n";
    }
    const ForecastTotal total = forecastTotal(files);
    const std::string reason = total.isPartial ? "number of files unknown: " + total.unknownReason : "";
    if (!total.isKnown) return text + reason + "\n";
    return text + "total " + countText(total) + " files, " + (total.isPartial ? "at least " : "") + "~" +
           std::to_string(total.size_bytes / kMega) + " MB" + (total.isPartial ? "; " + reason : "") + "\n";
}

int64_t nsysReportSize(size_t steps, bool discrete)
{
    return (discrete ? 60 : 160) * kMega * static_cast<int64_t>(std::max<size_t>(steps, 1));
}

int64_t controllerReportSize()
{
    return 40 * kMega;
}

int64_t torchTraceSize(const TorchOptions& torch, size_t steps)
{
    const std::vector<std::string> contents = torch.contents.value_or(std::vector<std::string>());
    const bool heavy = std::any_of(contents.begin(), contents.end(), [](const std::string& word) {
        return word == "stack" || word == "shapes" || word == "memory";
    });
    const int64_t whole = (heavy ? 163 : 32) * kMega * static_cast<int64_t>(std::max<size_t>(steps, 1));
    return torch.discrete.value_or(false) ? whole / 4 : whole;
}

int64_t memorySnapshotSize(const TorchMemoryOptions& memory)
{
    // Pickle shares frames between events, so each event adds only its own fields and a few bytes per frame.
    const int64_t entries = std::clamp<int64_t>(memory.maxEntries.value_or(100'000), 1, 1'000'000'000);
    const int64_t depth = std::clamp<int64_t>(memory.stackDepth.value_or(32), 1, 1'000);
    return entries * (120 + 6 * depth);
}

int64_t captureSpoolSize(size_t steps)
{
    return 40 * kMega * static_cast<int64_t>(std::max<size_t>(steps, 1));
}

int64_t npuProfileSize(size_t steps, bool discrete)
{
    return nsysReportSize(steps, discrete);
}

int64_t samplesSize()
{
    return 16 * kMega;
}

std::vector<HostRanks> ranksByHost(std::span<const Host> hosts, const std::vector<int64_t>& ranks)
{
    std::vector<HostRanks> parts;
    const bool known = !hosts.empty() && std::all_of(hosts.begin(), hosts.end(), [](const Host& host) {
        return host.gpus && *host.gpus > 0;
    });
    if (!known) return {{hosts.size() == 1 ? hosts[0].name : std::string(), ranks}};
    int64_t first = 0;
    for (const Host& host : hosts) {
        HostRanks part{host.name, {}};
        for (const int64_t rank : ranks) {
            if (rank >= first && rank - first < *host.gpus) part.ranks.push_back(rank);
        }
        first += std::min<int64_t>(*host.gpus, 1'000'000);
        if (!part.ranks.empty()) parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace lockstep
