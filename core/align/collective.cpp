// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

struct NamePart {
    std::string_view part;
    Dependency dependency;
};

// The first entry that occurs in the lower-case name is used. Therefore, longer words precede the words that
// they contain.
constexpr std::array kNameParts{
    NamePart{"sendrecv", Dependency::exchange},  NamePart{"alltoallv", Dependency::none},
    NamePart{"all_to_allv", Dependency::none},   NamePart{"allreduce", Dependency::all},
    NamePart{"all_reduce", Dependency::all},     NamePart{"allgather", Dependency::all},
    NamePart{"all_gather", Dependency::all},     NamePart{"reducescatter", Dependency::all},
    NamePart{"reduce_scatter", Dependency::all}, NamePart{"alltoall", Dependency::all},
    NamePart{"all_to_all", Dependency::all},     NamePart{"barrier", Dependency::all},
    NamePart{"broadcast", Dependency::fromRoot}, NamePart{"scatter", Dependency::fromRoot},
    NamePart{"reduce", Dependency::toRoot},      NamePart{"gather", Dependency::toRoot},
    NamePart{"recv", Dependency::receive},       NamePart{"receive", Dependency::receive},
    NamePart{"send", Dependency::send},
};

} // namespace

Dependency dependencyOf(std::string_view collective)
{
    const std::string name = lowerAscii(collective);
    for (const NamePart& known : kNameParts) {
        if (name.find(known.part) != std::string::npos) return known.dependency;
    }
    return Dependency::none;
}

std::vector<int> parseRanks(std::string_view text)
{
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
    text = text.substr(1, text.size() - 2);
    std::vector<int> ranks;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, comma);
        while (!part.empty() && part.front() == ' ')
            part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ')
            part.remove_suffix(1);
        const auto rank = parseInt(part);
        if (!rank || *rank < 0 || *rank > 100'000'000) return {};
        ranks.push_back(static_cast<int>(*rank));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    std::ranges::sort(ranks);
    if (std::ranges::adjacent_find(ranks) != ranks.end()) return {};
    return ranks;
}

} // namespace lockstep
