// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/string_ids.h"

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kDenseLimit = 1 << 24; // smaller IDs are stored by position, in at most 64 MiB

} // namespace

std::string shownText(std::string_view stored, ImportNotes& notes, std::string_view table, int64_t row)
{
    // Fixed-size buffers are stored with their padding, which carries no information and is not an
    // error.
    const size_t last = stored.find_last_not_of('\0');
    const bool isPadded = last + 1 != stored.size() && last != std::string_view::npos;
    bool isRepaired = false;
    std::string text = repairedUtf8(stored.substr(0, last + 1), &isRepaired);
    if (isRepaired || isPadded) {
        notes.add("text.repaired", NoteSeverity::warning,
                  "text with NUL or invalid UTF-8 bytes: NUL bytes at the end are dropped, others are shown "
                  "as U+FFFD",
                  std::string(table) + " row " + std::to_string(row));
    }
    return text;
}

void StringIds::store(int64_t id, StringId text)
{
    if (id < 0 || id >= kDenseLimit) {
        m_sparse[id] = text;
        return;
    }
    const auto at = static_cast<size_t>(id);
    if (at >= m_dense.size()) m_dense.resize(std::max(at + 1, m_dense.size() * 2), StringId());
    m_dense[at] = text;
}

Result<StringIds> StringIds::load(const SqliteDatabase& database, const SchemaProbe& schema,
                                  ReportBuilder& builder, const Progress& progress)
{
    StringIds out;
    if (!schema.has("StringIds", "id") || !schema.has("StringIds", "value")) return out;
    ImportNotes& notes = builder.report().notes;
    StringPool& pool = builder.report().strings;
    SqliteQuery query = LOCKSTEP_TRY(database.query("SELECT id, value FROM StringIds"));
    for (uint64_t row = 0;; ++row) {
        const auto hasRow = query.step();
        if (!hasRow) {
            notes.add("strings.cut_short", NoteSeverity::dataLoss,
                      "the StringIds table is corrupt; names after that point are empty",
                      hasRow.error().message);
            break;
        }
        if (!*hasRow) break;
        if (row % 4096 == 0) LOCKSTEP_TRY(progress.check());
        const int64_t id = query.integer(0);
        const std::string_view stored = query.text(1);
        out.store(id, isValidUtf8(stored) ? pool.intern(stored)
                                          : pool.intern(shownText(stored, notes, "StringIds", id)));
    }
    return out;
}

} // namespace lockstep
