// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event_rows_text.h"

#include <algorithm>
#include <new>
#include <sstream>

#include "core/readers/chrome_json/event_parser.h"

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
        put("bytes", m_rows.textBytes.repaired, m_rows.textBytes.lost, m_rows.textBytes.sections);
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

EventRows rowsOf(std::string_view events, SharedFacts& shared)
{
    Window window;
    const std::string text = "[" + std::string(events) + "]";
    if (!window.buffer.resize(text.size() + Window::kPadding)) throw std::bad_alloc();
    std::fill_n(std::ranges::copy(text, window.buffer.data()).out, Window::kPadding, ' ');
    window.size = text.size();
    EventRows rows(shared);
    const Progress progress;
    EventParser parser(rows, progress);
    parser.parse(window);
    return rows;
}

} // namespace

std::string eventRowsText(std::string_view events)
{
    FactSets factSets;
    SharedFacts shared(factSets);
    EventRows rows = rowsOf(events, shared);
    return RowsText(rows).text();
}

std::set<uint64_t> offsetsOfRows(std::string_view events)
{
    FactSets factSets;
    SharedFacts shared(factSets);
    EventRows rows = rowsOf(events, shared);
    std::set<uint64_t> offsets;
    for (const auto& lane : rows.batch.byTrack)
        lane.forEach([&](const SliceRow& row) { offsets.insert(row.source.row()); });
    for (const HalfRow& half : rows.halves)
        offsets.insert(half.source.row());
    for (const MetadataRow& row : rows.metadata)
        offsets.insert(row.offset);
    return offsets;
}

} // namespace lockstep::test
