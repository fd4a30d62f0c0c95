#include "core/timeline/lane_filter.h"

#include <regex>

namespace lockstep {

namespace {

constexpr auto kSyntax = std::regex::ECMAScript | std::regex::icase;

} // namespace

Result<LaneFilter> LaneFilter::make(std::string pattern)
{
    try {
        const std::regex checked(pattern, kSyntax);
    } catch (const std::regex_error& error) {
        return makeError(ErrorKind::invalid,
                         "the lane filter '" + pattern + "' is no regular expression: " + error.what());
    }
    LaneFilter filter;
    filter.m_pattern = std::move(pattern);
    return filter;
}

std::vector<bool> LaneFilter::shownLanes(const LaneTree& tree) const
{
    if (isEmpty()) return std::vector<bool>(tree.size(), true);
    const std::regex regex(m_pattern, kSyntax);
    std::vector<bool> shown(tree.size(), false);
    std::vector<bool> matches(tree.size(), false);
    for (uint32_t i = 0; i < tree.size(); ++i) {
        const uint32_t parent = tree.lane(i).parent;
        bool matched = parent != kNoLane && matches[parent];
        try {
            matched = matched || std::regex_search(tree.pathOf(i), regex);
        } catch (const std::regex_error&) {
            // The pattern needs more steps than the library allows on this label: it does not match.
        }
        matches[i] = shown[i] = matched;
        for (uint32_t up = parent; matched && up != kNoLane && !shown[up]; up = tree.lane(up).parent)
            shown[up] = true;
    }
    return shown;
}

} // namespace lockstep
