// SPDX-License-Identifier: Apache-2.0
// StringIds: the export's table of that name, loaded once into the report's pool. Filled by one thread, then
// read by all table readers without locks.
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
    // Texts that are not UTF-8 are repaired and noted. A table cut short gives what came before, with a note.
    static Result<StringIds> load(const SqliteDatabase& database, const SchemaProbe& schema,
                                  ReportBuilder& builder, const Progress& progress);

    // The report's id of StringIds.id; invalid for ids that are not in the table.
    StringId find(int64_t id) const
    {
        if (id >= 0 && static_cast<uint64_t>(id) < m_dense.size()) return m_dense[static_cast<size_t>(id)];
        const auto found = m_sparse.find(id);
        return found != m_sparse.end() ? found->second : StringId();
    }
    // The same with the empty text for those.
    StringId at(int64_t id) const
    {
        const StringId found = find(id);
        return found.isValid() ? found : StringId(0u);
    }

  private:
    void keep(int64_t id, StringId text);

    std::vector<StringId> m_dense; // by StringIds.id
    std::unordered_map<int64_t, StringId> m_sparse;
};

// Text as stored -> text as shown. Adds to `notes` when it had to be repaired; place says where it stands.
std::string shownText(std::string_view stored, ImportNotes& notes, std::string_view table, int64_t row);

} // namespace lockstep
