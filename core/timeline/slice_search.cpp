#include "core/timeline/slice_search.h"

#include <functional>

#include "core/base/pattern.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

using Matcher = std::function<bool(std::string_view)>;

Result<Matcher> matcherFor(const SearchQuery& query)
{
    if (query.text.empty()) return makeError(ErrorKind::invalid, "nothing to search for");
    if (!query.isRegex) {
        return Matcher([text = lowerAscii(query.text)](std::string_view name) {
            return lowerAscii(name).find(text) != std::string::npos;
        });
    }
    auto pattern = Pattern::compile(query.text, Pattern::Case::ignored);
    if (!pattern) return tl::make_unexpected(std::move(pattern).error());
    return Matcher(
        [compiled = *std::move(pattern)](std::string_view name) { return compiled.matches(name); });
}

} // namespace

Result<SliceSearch> SliceSearch::make(const Workspace& workspace, const SearchQuery& query,
                                      const Progress& progress)
{
    const Matcher isMatch = LOCKSTEP_TRY(matcherFor(query));
    SliceSearch search;
    search.m_parts.resize(workspace.size());
    search.m_partOf = ByReport<size_t>(workspace.slotCount());
    for (size_t i = 0; i < workspace.size(); ++i)
        search.m_partOf[workspace.keys()[i]] = i;
    progress.workers().run(workspace.size(), [&](size_t i, size_t) {
        Part& part = search.m_parts[i];
        part.key = workspace.keys()[i];
        part.report = workspace.shared(part.key);
        part.names.resize(part.report->strings.size());
        for (size_t id = 0; id < part.names.size() && !progress.isCanceled(); ++id) {
            part.names[id] = isMatch(part.report->strings.at(StringId(id)));
        }
        for (const StringId name : part.report->slices.name)
            part.count += part.names[name.value] ? 1 : 0;
    });
    LOCKSTEP_TRY(progress.check());
    for (const Part& part : search.m_parts)
        search.m_count += part.count;
    return search;
}

bool SliceSearch::matches(SliceRef slice) const
{
    const Part& part = m_parts[m_partOf[slice.report]];
    return part.names[part.report->slices.name[slice.slice.value].value];
}

std::optional<SliceRef> SliceSearch::step(SliceRef from, bool forwards) const
{
    if (m_count == 0) return std::nullopt;
    const size_t reports = m_parts.size();
    size_t report = from.isValid() ? m_partOf[from.report] : forwards ? reports - 1 : 0;
    int64_t row = from.isValid() ? int64_t(from.slice.value)
                  : forwards     ? int64_t(m_parts[report].report->slices.size())
                                 : -1;
    for (size_t visited = 0; visited <= reports; ++visited) {
        const auto& names = m_parts[report].report->slices.name;
        for (row += forwards ? 1 : -1; m_parts[report].count > 0 && row >= 0 && row < int64_t(names.size());
             row += forwards ? 1 : -1) {
            if (m_parts[report].names[names[size_t(row)].value])
                return SliceRef{m_parts[report].key, SliceId(size_t(row))};
        }
        report = (report + (forwards ? 1 : reports - 1)) % reports;
        row = forwards ? -1 : int64_t(m_parts[report].report->slices.size());
    }
    return std::nullopt;
}

std::optional<SliceRef> SliceSearch::next(SliceRef from) const
{
    return step(from, true);
}

std::optional<SliceRef> SliceSearch::previous(SliceRef from) const
{
    return step(from, false);
}

uint64_t SliceSearch::indexOf(SliceRef slice) const
{
    uint64_t before = 0;
    const size_t own = m_partOf[slice.report];
    for (size_t i = 0; i < own; ++i)
        before += m_parts[i].count;
    const Part& part = m_parts[own];
    for (uint32_t row = 0; row < slice.slice.value; ++row)
        before += part.names[part.report->slices.name[row].value] ? 1 : 0;
    return before;
}

} // namespace lockstep
