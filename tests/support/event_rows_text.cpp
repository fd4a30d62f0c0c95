// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event_rows_text.h"

#include <algorithm>
#include <new>
#include <sstream>

namespace lockstep::test {

namespace {

class RowsText {
  public:
    explicit RowsText(EventRows& rows) : m_rows(rows) {}

    std::string text()
    {
        for (const LaneKey& lane : m_rows.lanes) {
            put("lane", int(lane.kind), lane.process.number, lane.process.isText, lane.thread.number,
                lane.thread.isText, lane.device, lane.stream, lane.context);
        }
        slices();
        halves();
        for (const CounterSeries& series : m_rows.counters) {
            put("counter", series.key.process.number, series.key.name.value, series.key.device);
            for (const auto& [time_ns, value] : series.samples)
                put("  sample", time_ns, value);
        }
        for (const MetadataRow& row : m_rows.metadata)
            put("metadata", int(row.what), row.process.number, row.thread.number, row.text.value, row.offset);
        for (const CollectiveRow& row : m_rows.collectives)
            collective(row);
        for (uint32_t id = 0; id < m_rows.names.size(); ++id)
            put("name", m_rows.names.at(StringId(id)));
        for (const uint64_t count : m_rows.kindCounts)
            put("kind", count);
        for (const uint64_t count : m_rows.plainCounts)
            put("plain", count);
        put("bytes", m_rows.textBytes.repaired, m_rows.textBytes.lost, m_rows.textBytes.stretches);
        for (const ImportNote& note : m_rows.notes().all())
            put("note", note.kind, note.text, note.count, note.example);
        return m_out.str();
    }

  private:
    template<class... Values>
    void put(const Values&... values)
    {
        ((m_out << values << ' '), ...);
        m_out << '\n';
    }

    void slices()
    {
        for (size_t lane = 0; lane < m_rows.batch.byTrack.size(); ++lane) {
            m_rows.batch.byTrack[lane].forEach([&](const SliceRow& row) {
                put("slice", lane, row.start_ns, row.duration_ns, row.source.row(), row.name.value,
                    row.correlation, int(row.kind), int(row.category), int(row.flags));
            });
        }
        m_rows.batch.memoryOps.forEach([&](const SliceBatch::SourcedMemoryOp& side) {
            put("copy", side.source.row(), int(side.op.kind), int(side.op.source), int(side.op.destination),
                side.op.size_bytes);
        });
    }

    void halves()
    {
        for (const HalfRow& half : m_rows.halves) {
            put("half", half.time_ns, half.source.row(), half.key, half.name.value, half.lane, half.thread,
                int(half.kind), int(half.category), half.phase);
        }
        m_rows.flows.forEach([&](const FlowRow& row) {
            put("flow", row.key, row.time_ns, row.lane, int(row.use), int(row.role), row.bindsNext);
        });
    }

    void collective(const CollectiveRow& row)
    {
        const CollectiveOp& op = row.op;
        put("collective", row.source.row(), row.externalId, row.isRecord, op.collective.value, op.group.value,
            op.groupRanks.value, op.dataType.value, op.inElements, op.outElements, op.groupSize,
            op.rankInGroup, op.sequence, op.peer);
    }

    EventRows& m_rows;
    std::ostringstream m_out;
};

} // namespace

std::string eventRowsText(std::string_view events, EventParser::Reading reading)
{
    Window window;
    const std::string text = "[" + std::string(events) + "]";
    if (!window.buffer.resize(text.size() + Window::kPadding)) throw std::bad_alloc();
    std::fill_n(std::ranges::copy(text, window.buffer.data()).out, Window::kPadding, ' ');
    window.size = text.size();
    FactSets factSets;
    SharedFacts shared(factSets);
    EventRows rows(shared);
    const Progress progress;
    EventParser parser(rows, progress);
    parser.setReading(reading);
    parser.parse(window);
    return RowsText(rows).text();
}

} // namespace lockstep::test
