// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/row_facts.h"

#include <algorithm>
#include <array>

#include "core/base/mapped_file.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/capture_spool/spool_records.h"

namespace lockstep {

namespace {

struct FactField {
    std::string_view name;
    RowFact fact;
    bool isNoneAtZero = false;
};

constexpr std::array kFactFields{FactField{"correlation", RowFact::correlation, true},
                                 FactField{"context", RowFact::context},
                                 FactField{"grid_x", RowFact::gridX},
                                 FactField{"grid_y", RowFact::gridY},
                                 FactField{"grid_z", RowFact::gridZ},
                                 FactField{"block_x", RowFact::blockX},
                                 FactField{"block_y", RowFact::blockY},
                                 FactField{"block_z", RowFact::blockZ},
                                 FactField{"registers", RowFact::registers},
                                 FactField{"static_shared", RowFact::staticShared},
                                 FactField{"dynamic_shared", RowFact::dynamicShared},
                                 FactField{"graph_node", RowFact::graphNode, true},
                                 FactField{"bytes", RowFact::size},
                                 FactField{"result", RowFact::result}};

// Returns the facts that correspond to the fields of a kind, if the writer of the block recorded these
// fields.
std::vector<std::pair<size_t, const FactField*>> fieldsOf(unsigned kind, unsigned count)
{
    std::vector<std::pair<size_t, const FactField*>> fields;
    for (unsigned i = 0; i < std::min(count, spoolFieldCount(kind)); ++i) {
        const auto known = std::ranges::find(kFactFields, spoolFieldName(kind, i), &FactField::name);
        if (known != kFactFields.end()) fields.emplace_back(i, &*known);
    }
    return fields;
}

class SpoolRowFacts : public RowFactReader {
  public:
    SpoolRowFacts(MappedFile&& file, SpoolBlocks&& spool, const Report& report)
        : m_file(std::move(file)), m_spool(std::move(spool)), m_report(report)
    {
        std::ranges::sort(m_spool.blocks, {}, [](const SpoolBlock& each) { return each.head.sequence; });
    }

    Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) override
    {
        facts.reset(rows.size());
        m_order.clear();
        for (size_t i = 0; i < rows.size(); ++i)
            m_order.push_back({m_report.slices.source[rows[i].value].row(), static_cast<uint32_t>(i)});
        std::ranges::sort(m_order);
        for (size_t first = 0; first < m_order.size();) {
            LOCKSTEP_TRY(progress.check());
            const uint64_t sequence = m_order[first].first >> kRecordBits;
            size_t last = first;
            while (last < m_order.size() && m_order[last].first >> kRecordBits == sequence)
                ++last;
            LOCKSTEP_TRY(readBlock(sequence, std::span(m_order).subspan(first, last - first), rows, facts));
            first = last;
        }
        return {};
    }

  private:
    static constexpr unsigned kRecordBits = 28; // as in SpoolReading::sourceOf()
    using Placed = std::pair<uint64_t, uint32_t>;

    Status readBlock(uint64_t sequence, std::span<const Placed> run, std::span<const SliceId> rows,
                     RowFacts& facts)
    {
        const auto block = std::ranges::lower_bound(
            m_spool.blocks, sequence, {}, [](const SpoolBlock& each) { return each.head.sequence; });
        const bool isThere = block != m_spool.blocks.end() && block->head.sequence == sequence;
        const auto payload = isThere ? unpackedPayload(*block) : std::nullopt;
        if (!payload) return changed();
        SpoolRecords records(*payload);
        SpoolRecord record;
        std::array<std::optional<std::vector<std::pair<size_t, const FactField*>>>, LOCKSTEP_KIND_LIMIT>
            known;
        size_t next = 0;
        while (next < run.size() && records.next(record)) {
            if (record.kind >= known.size()) continue;
            auto& fields = known[record.kind];
            for (; next < run.size() && (run[next].first & kRecordMask) == record.number; ++next) {
                const uint32_t row = run[next].second;
                if (m_report.slices.start_ns[rows[row].value] != static_cast<int64_t>(record.fields[0]))
                    return changed();
                if (!fields) fields = fieldsOf(record.kind, records.fieldCount(record.kind));
                for (const auto& [field, fact] : *fields) {
                    if (record.fields[field] != 0 || !fact->isNoneAtZero)
                        facts.set(row, fact->fact, static_cast<int64_t>(record.fields[field]));
                }
            }
        }
        return next == run.size() ? Status() : changed();
    }

    tl::unexpected<Error> changed() const
    {
        return makeError(ErrorKind::corrupt,
                         m_report.provenance.path.string() +
                             ": the capture changed since it was read; open it again",
                         HelpTopic::changedFile);
    }

    static constexpr uint64_t kRecordMask = (uint64_t(1) << kRecordBits) - 1;

    MappedFile m_file;
    SpoolBlocks m_spool; // blocks of m_file
    const Report& m_report;
    std::vector<Placed> m_order; // (position in the file, index in the page)
};

} // namespace

Result<std::unique_ptr<RowFactReader>> openSpoolFacts(const Report& report)
{
    MappedFile file = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(file.text(), Progress()));
    return std::make_unique<SpoolRowFacts>(std::move(file), std::move(spool), report);
}

} // namespace lockstep
