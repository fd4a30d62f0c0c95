// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

struct Registry {
    std::vector<Analysis> all;
    std::vector<AnalysisGroup> groups; // views of `all`
};

Registry madeRegistry()
{
    struct Entry {
        std::string_view group;
        Analysis (*analysis)();
    };
#define LOCKSTEP_ENTRY(group, function) Entry{group, function},
    constexpr std::array kEntries{LOCKSTEP_ANALYSES(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    Registry made;
    for (const Entry& entry : kEntries)
        made.all.push_back(entry.analysis());
    for (size_t first = 0, next = 0; first < kEntries.size(); first = next) {
        while (next < kEntries.size() && kEntries[next].group == kEntries[first].group)
            ++next;
        made.groups.push_back({kEntries[first].group, std::span(made.all).subspan(first, next - first)});
    }
    return made;
}

const Registry& registry()
{
    static const Registry made = madeRegistry();
    return made;
}

} // namespace

std::span<const Analysis> analyses()
{
    return registry().all;
}

std::vector<AnalysisGroup> analysisGroups()
{
    return registry().groups;
}

const Analysis* findAnalysis(std::string_view what)
{
    const std::string_view name = what.substr(0, what.find(':'));
    const auto found = std::ranges::find(analyses(), name, &Analysis::name);
    return found == analyses().end() ? nullptr : &*found;
}

Result<ResolvedAnalysis> resolveAnalysis(std::string_view what)
{
    std::vector<std::string> words = splitRequest(what);
    const Analysis* const analysis = findAnalysis(words[0]);
    if (analysis == nullptr) {
        std::string names;
        for (const Analysis& known : analyses())
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        return makeError(ErrorKind::invalid, "'" + words[0] + "' is not a table; available tables: " + names);
    }
    words.erase(words.begin());
    Result<ArgumentValues> arguments = ArgumentValues::parse(analysis->arguments, words);
    if (!arguments) {
        return makeError(arguments.error().kind,
                         std::string(analysis->name) + ": " + arguments.error().message);
    }
    return ResolvedAnalysis{analysis, std::move(*arguments)};
}

Status checkGrouping(const Analysis& analysis, const Scope& scope)
{
    const RowOwner owner = ownerForGrouping(scope.by);
    if (owner == RowOwner::process || owner == analysis.owner) return {};
    std::string names;
    for (const Analysis& known : analyses()) {
        if (known.owner == owner) names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    const std::string what = owner == RowOwner::sample ? "sample" : "communicator";
    return makeError(ErrorKind::invalid, std::string(analysis.name) + ": rows have no " + what +
                                             "; tables with " + what + "s: " + names);
}

Result<std::unique_ptr<RowStream>> openRows(std::string_view what, const Scene& scene, const Scope& scope,
                                            const Progress& progress, std::span<const InputFile> inputs)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    LOCKSTEP_TRY(checkGrouping(*resolved.analysis, scope));
    const AnalysisRequest request{what, resolved.arguments, scene, scope, inputs};
    if (resolved.analysis->stream != nullptr) return resolved.analysis->stream(request, progress);
    Table table = LOCKSTEP_TRY(resolved.analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return std::make_unique<TableRowStream>(std::move(table));
}

Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    LOCKSTEP_TRY(checkGrouping(*resolved.analysis, scope));
    const AnalysisRequest request{what, resolved.arguments, scene, scope, inputs};
    if (resolved.analysis->stream != nullptr) {
        const auto rows = LOCKSTEP_TRY(resolved.analysis->stream(request, progress));
        return collectTable(*rows, kMaxCollectedRows, progress);
    }
    Table table = LOCKSTEP_TRY(resolved.analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return table;
}

} // namespace lockstep
