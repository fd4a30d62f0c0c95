// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/group_ranks.h"

#include <algorithm>

#include <simdjson.h>

namespace lockstep {

namespace {

namespace dom = simdjson::dom;

// Returns the ranks, which are a list of numbers or, in on-demand captures, a single string.
std::string ranksOf(dom::element group)
{
    dom::element ranks;
    if (group["ranks"].get(ranks) != simdjson::SUCCESS) return {};
    std::string_view text;
    if (ranks.get(text) == simdjson::SUCCESS) return std::string(text);
    dom::array list;
    if (ranks.get(list) != simdjson::SUCCESS) return {};
    std::string out;
    for (const dom::element entry : list) {
        int64_t rank = 0;
        if (entry.get(rank) != simdjson::SUCCESS) return {};
        out += (out.empty() ? "[" : ", ") + std::to_string(rank);
    }
    return out.empty() ? out : out + "]";
}

// Returns true if the list has the recorded size of the group, or if the file does not record a size.
bool isOfStatedSize(dom::element group, std::string_view list)
{
    uint64_t size = 0;
    return group["pg_size"].get(size) != simdjson::SUCCESS || size == listedRanks(list);
}

} // namespace

size_t listedRanks(std::string_view list)
{
    const bool hasAny = list.find_first_of("0123456789") != std::string_view::npos;
    if (!hasAny || list.find("...") != std::string_view::npos) return 0;
    return static_cast<size_t>(std::ranges::count(list, ',')) + 1;
}

std::map<std::string, std::string, std::less<>> groupRanks(std::span<const HeaderField> fields)
{
    std::map<std::string, std::string, std::less<>> out;
    dom::parser parser;
    for (const HeaderField& field : fields) {
        if (field.key != "distributedInfo") continue;
        dom::element info;
        dom::array groups;
        if (parser.parse(field.value).get(info) != simdjson::SUCCESS) continue;
        if (info["pg_config"].get(groups) != simdjson::SUCCESS) continue;
        for (const dom::element group : groups) {
            std::string_view name;
            if (group["pg_name"].get(name) != simdjson::SUCCESS) continue;
            std::string ranks = ranksOf(group);
            if (listedRanks(ranks) > 0 && isOfStatedSize(group, ranks))
                out.insert_or_assign(std::string(name), std::move(ranks));
        }
    }
    return out;
}

} // namespace lockstep
