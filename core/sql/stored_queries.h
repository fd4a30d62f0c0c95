// SPDX-License-Identifier: Apache-2.0
// The queries that the SQL panel remembers between sessions: the history, newest first, and the saved
// queries, sorted by name. Both are stored as JSON text in the settings file, which may be damaged: entries
// that are not valid are skipped. Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

inline constexpr size_t kMaxHistory = 50;
inline constexpr size_t kMaxStoredQuery_bytes = 50'000; // a longer query is not stored

struct StoredQuery {
    std::string name; // empty in the history
    std::string query;

    bool operator==(const StoredQuery&) const = default;
};
using StoredQueries = std::vector<StoredQuery>;

// Puts the query in front of the history, removes its older copy and limits the history to kMaxHistory. An
// empty query or one that is too long is not added.
void addToHistory(StoredQueries& history, std::string query);
// Adds the query, or replaces the query with the same name. Returns false if the name or the query is empty,
// or if the query is too long.
bool saveQuery(StoredQueries& saved, StoredQuery query);

// Returns the JSON text of the list, on one line.
std::string storedText(const StoredQueries& queries);
// Parse the text of storedText(). The lists have the same order and limits as if filled by the functions
// above.
StoredQueries parseHistory(std::string_view text);
StoredQueries parseSavedQueries(std::string_view text);

} // namespace lockstep
