// SliceSearch: which slices of a workspace have a name that matches, in the order of reports, tracks and
// time. The names are matched once against each string pool; a made search is immutable, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct SearchQuery {
    std::string text;     // found anywhere in a name; letter case is ignored (ASCII)
    bool isRegex = false; // ECMAScript syntax
};

class SliceSearch {
  public:
    // invalid: an empty text or no regular expression; canceled. O(names + slices).
    static Result<SliceSearch> make(const Workspace& workspace, const SearchQuery& query,
                                    const Progress& progress);

    uint64_t count() const { return m_count; }
    bool matches(SliceRef slice) const;
    // The first match after `from` (before it), going round at the end; an invalid `from` starts at the end.
    // Empty when nothing matches. O(slices skipped).
    std::optional<SliceRef> next(SliceRef from) const;
    std::optional<SliceRef> previous(SliceRef from) const;
    // How many matches come before the slice: "3 of 17". O(slices).
    uint64_t indexOf(SliceRef slice) const;

  private:
    struct Part {
        ReportKey key;
        std::shared_ptr<const Report> report;
        std::vector<bool> names; // by StringId
        uint64_t count = 0;
    };

    std::optional<SliceRef> step(SliceRef from, bool forwards) const;

    std::vector<Part> m_parts; // in the order of reports
    ByReport<size_t> m_partOf;
    uint64_t m_count = 0;
};

} // namespace lockstep
