// SPDX-License-Identifier: Apache-2.0
// Reads facts of the rows of an export. One statement reads nearby rows of a table in the order of their row
// IDs. This is the order of the file's pages, so SQLite neither sorts nor buffers.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

namespace {

struct FactColumn {
    RowFact fact;
    std::string_view column;
};

// All tables use the same column names; memKind belongs to memsets.
constexpr std::array kFactColumns{FactColumn{RowFact::correlation, "correlationId"},
                                  FactColumn{RowFact::context, "contextId"},
                                  FactColumn{RowFact::gridX, "gridX"},
                                  FactColumn{RowFact::gridY, "gridY"},
                                  FactColumn{RowFact::gridZ, "gridZ"},
                                  FactColumn{RowFact::blockX, "blockX"},
                                  FactColumn{RowFact::blockY, "blockY"},
                                  FactColumn{RowFact::blockZ, "blockZ"},
                                  FactColumn{RowFact::registers, "registersPerThread"},
                                  FactColumn{RowFact::staticShared, "staticSharedMemory"},
                                  FactColumn{RowFact::dynamicShared, "dynamicSharedMemory"},
                                  FactColumn{RowFact::graphNode, "graphNodeId"},
                                  FactColumn{RowFact::sourceKind, "srcKind"},
                                  FactColumn{RowFact::sourceKind, "memKind"},
                                  FactColumn{RowFact::destinationKind, "dstKind"},
                                  FactColumn{RowFact::size, "bytes"},
                                  FactColumn{RowFact::result, "returnValue"},
                                  FactColumn{RowFact::priority, "globalTid"},
                                  FactColumn{RowFact::address, "virtualAddress"},
                                  FactColumn{RowFact::address, "address"},
                                  FactColumn{RowFact::faults, "numberOfPageFaults"},
                                  FactColumn{RowFact::mangledName, "mangledName"}};

// If the distance between rows is smaller than this, they are read sequentially instead of being looked up
// one by one.
constexpr int64_t kNear_rows = 32;

class NsysRowFacts : public RowFactReader {
  public:
    NsysRowFacts(SqliteDatabase&& database, SchemaProbe&& schema, const Report& report)
        : m_database(std::move(database)), m_schema(std::move(schema)), m_report(report),
          m_tables(report.sourceTables.size())
    {
    }

    Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) override
    {
        facts.reset(rows.size());
        m_order.clear();
        for (size_t i = 0; i < rows.size(); ++i)
            m_order.push_back({m_report.slices.source[rows[i].value], static_cast<uint32_t>(i)});
        std::ranges::sort(m_order);
        for (size_t first = 0; first < m_order.size();) {
            size_t last = first + 1;
            while (last < m_order.size() && isNear(m_order[last - 1].first, m_order[last].first))
                ++last;
            LOCKSTEP_TRY(readRun(std::span(m_order).subspan(first, last - first), rows, facts, progress));
            first = last;
        }
        return {};
    }

  private:
    using Placed = std::pair<SourceRow, uint32_t>; // (position, index in the page)

    struct TableQuery {
        std::optional<SqliteQuery> query;
        std::vector<RowFact> facts; // facts of the columns after row ID and start
        RowFactSet wanted = 0;
    };

    static bool isNear(SourceRow before, SourceRow after)
    {
        return before.table() == after.table() &&
               after.row() - before.row() <= static_cast<uint64_t>(kNear_rows);
    }

    Result<TableQuery*> queryOf(uint8_t number, RowFactSet wanted)
    {
        if (number >= m_tables.size())
            return makeError(ErrorKind::invalid, "the row does not belong to any table");
        TableQuery& table = m_tables[number];
        if (table.query && table.wanted == wanted) return &table;
        const std::string& name = m_report.sourceTables[number];
        if (!m_schema.has(name)) return changed(name);
        table.facts.clear();
        table.wanted = wanted;
        std::vector<std::string_view> columns{m_schema.has(name, "start") ? "start" : "timestamp"};
        for (const FactColumn& each : kFactColumns) {
            if (!holds(wanted, each.fact) || !m_schema.has(name, each.column)) continue;
            table.facts.push_back(each.fact);
            columns.push_back(each.column);
        }
        table.query = LOCKSTEP_TRY(m_database.query(m_schema.select(name, columns) +
                                                    " WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid"));
        return &table;
    }

    // Reads rows of one table, sorted by row ID.
    Status readRun(std::span<const Placed> run, std::span<const SliceId> rows, RowFacts& facts,
                   const Progress& progress)
    {
        TableQuery& table = *LOCKSTEP_TRY(queryOf(run.front().first.table(), facts.wanted()));
        SqliteQuery& query = *table.query;
        query.restart();
        query.bind(1, static_cast<int64_t>(run.front().first.row()));
        query.bind(2, static_cast<int64_t>(run.back().first.row()));
        size_t next = 0;
        for (uint64_t steps = 0; next < run.size(); ++steps) {
            if ((steps & 1023) == 0) LOCKSTEP_TRY(progress.check());
            if (!LOCKSTEP_TRY(query.step())) return changed(m_report.sourceTables[run[next].first.table()]);
            const auto row = static_cast<uint64_t>(query.integer(0));
            if (row < run[next].first.row()) continue;
            // A page may request a row twice.
            for (; next < run.size() && run[next].first.row() <= row; ++next) {
                const uint32_t place = run[next].second;
                if (run[next].first.row() != row || !isSame(query, rows[place]))
                    return changed(m_report.sourceTables[run[next].first.table()]);
                LOCKSTEP_TRY(take(table, place, facts));
            }
        }
        return {};
    }

    bool isSame(const SqliteQuery& query, SliceId slice) const
    {
        const bool isRepaired = (m_report.slices.flags[slice.value] & sliceFlag::kRepaired) != 0;
        return isRepaired || query.integer(1) == m_report.slices.start_ns[slice.value];
    }

    Status take(const TableQuery& table, size_t place, RowFacts& facts)
    {
        for (size_t i = 0; i < table.facts.size(); ++i) {
            const std::optional<int64_t> value = table.query->optionalInteger(static_cast<int>(i) + 2);
            if (!value) continue;
            if (table.facts[i] == RowFact::mangledName) {
                facts.setText(place, RowFact::mangledName, LOCKSTEP_TRY(stringOf(*value)));
            } else if (table.facts[i] == RowFact::priority) {
                const auto& priorities = *LOCKSTEP_TRY(threadPriorities());
                const auto found = priorities.find(*value);
                if (found != priorities.end()) facts.set(place, RowFact::priority, found->second);
            } else {
                facts.set(place, table.facts[i], *value);
            }
        }
        return {};
    }

    Result<std::string_view> stringOf(int64_t id)
    {
        const auto [entry, isNew] = m_strings.try_emplace(id);
        if (!isNew) return entry->second;
        if (!m_string) m_string = LOCKSTEP_TRY(m_database.query("SELECT value FROM StringIds WHERE id = ?1"));
        m_string->restart();
        m_string->bind(1, id);
        if (LOCKSTEP_TRY(m_string->step())) entry->second = repairedUtf8(m_string->text(0));
        return entry->second;
    }

    using Priorities = std::unordered_map<int64_t, int64_t>; // by globalTid
    Result<const Priorities*> threadPriorities()
    {
        if (m_priorities) return &*m_priorities;
        m_priorities.emplace();
        constexpr std::array<std::string_view, 2> kColumns{"globalTid", "priority"};
        if (!m_schema.has("ThreadNames")) return &*m_priorities;
        SqliteQuery query = LOCKSTEP_TRY(m_database.query(m_schema.select("ThreadNames", kColumns)));
        while (LOCKSTEP_TRY(query.step())) {
            if (const auto priority = query.optionalInteger(2))
                m_priorities->emplace(query.integer(1), *priority);
        }
        return &*m_priorities;
    }

    tl::unexpected<Error> changed(const std::string& table) const
    {
        return makeError(ErrorKind::corrupt,
                         m_report.provenance.path.string() + ": " + table +
                             " changed since it was read; open it again",
                         HelpTopic::changedFile);
    }

    SqliteDatabase m_database;
    SchemaProbe m_schema;
    const Report& m_report;
    std::vector<TableQuery> m_tables;
    std::vector<Placed> m_order;
    std::optional<SqliteQuery> m_string;
    std::unordered_map<int64_t, std::string> m_strings; // strings requested so far
    std::optional<Priorities> m_priorities;
};

} // namespace

Result<std::unique_ptr<RowFactReader>> openNsysFacts(const std::filesystem::path& file, const Report& report)
{
    SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(file));
    SchemaProbe schema = LOCKSTEP_TRY(SchemaProbe::of(database));
    return std::make_unique<NsysRowFacts>(std::move(database), std::move(schema), report);
}

} // namespace lockstep
