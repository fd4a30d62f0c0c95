// SPDX-License-Identifier: Apache-2.0
#include "core/sql/stored_queries.h"

#include <algorithm>

#include "core/base/json_fields.h"

namespace lockstep {

namespace {

bool canStore(std::string_view query)
{
    return query.find_first_not_of(" \t\r\n") != std::string_view::npos &&
           query.size() <= kMaxStoredQuery_bytes;
}

StoredQueries parse(std::string_view text)
{
    StoredQueries queries;
    const Json list = jsonFrom(text);
    if (!list.is_array()) return queries;
    for (const Json& entry : list)
        queries.push_back({textAt(entry, "name"), textAt(entry, "query")});
    return queries;
}

} // namespace

void addToHistory(StoredQueries& history, std::string query)
{
    if (!canStore(query)) return;
    std::erase_if(history, [&](const StoredQuery& old) { return old.query == query; });
    history.insert(history.begin(), {{}, std::move(query)});
    if (history.size() > kMaxHistory) history.resize(kMaxHistory);
}

bool saveQuery(StoredQueries& saved, StoredQuery query)
{
    if (query.name.empty() || !canStore(query.query)) return false;
    const auto at = std::ranges::lower_bound(saved, query.name, {}, &StoredQuery::name);
    if (at != saved.end() && at->name == query.name)
        *at = std::move(query);
    else
        saved.insert(at, std::move(query));
    return true;
}

std::string storedText(const StoredQueries& queries)
{
    Json list = Json::array();
    for (const auto& [name, query] : queries) {
        Json entry = Json::object();
        if (!name.empty()) entry["name"] = name;
        entry["query"] = query;
        list.push_back(std::move(entry));
    }
    return jsonLine(list);
}

StoredQueries parseHistory(std::string_view text)
{
    StoredQueries read = parse(text), history;
    std::ranges::reverse(read); // the newest is added last
    for (StoredQuery& entry : read)
        addToHistory(history, std::move(entry.query));
    return history;
}

StoredQueries parseSavedQueries(std::string_view text)
{
    StoredQueries saved;
    for (StoredQuery& entry : parse(text))
        saveQuery(saved, std::move(entry));
    return saved;
}

} // namespace lockstep
