// SPDX-License-Identifier: Apache-2.0
// StringIds: the table of that name, loaded once into the report's pool. Filled by one thread, then read by
// all table readers without locks.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/import_notes.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class StringIds {
  public:
    // Loads the table. Invalid UTF-8 is repaired and reported in a note. A truncated table yields the rows
    // before the cut, with a note.
    static Result<StringIds> load(const SqliteDatabase& database, const SchemaProbe& schema,
                                  ReportBuilder& builder, const Progress& progress);

    // Returns the report's string ID for a StringIds.id; invalid for IDs that are not in the table.
    StringId find(int64_t id) const
    {
        if (id >= 0 && static_cast<uint64_t>(id) < m_dense.size()) return m_dense[static_cast<size_t>(id)];
        const auto found = m_sparse.find(id);
        return found != m_sparse.end() ? found->second : StringId();
    }
    // Like find(), but returns the empty string for missing IDs.
    StringId at(int64_t id) const
    {
        const StringId found = find(id);
        return found.isValid() ? found : StringId(0u);
    }

  private:
    void store(int64_t id, StringId text);

    std::vector<StringId> m_dense; // by StringIds.id
    std::unordered_map<int64_t, StringId> m_sparse;
};

// Returns stored text in displayable form. Adds a note with the location if it had to be repaired.
std::string shownText(std::string_view stored, ImportNotes& notes, std::string_view table, int64_t row);

} // namespace lockstep
