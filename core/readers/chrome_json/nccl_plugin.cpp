// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/nccl_plugin.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/base/text.h"

namespace lockstep {

namespace {

struct PluginEvent {
    const EventRows* worker = nullptr;
    const NcclPluginRow* row = nullptr;
};

// A collective, send or receive whose end event has not been read yet.
struct OpenCall {
    PluginEvent begin;
    uint64_t source = 0;                                                   // offset of the first channel
    uint64_t start_ns = std::numeric_limits<uint64_t>::max(), stop_ns = 0; // times of the global timer
};

std::vector<PluginEvent> eventsInFileOrder(std::span<const EventRows> workers)
{
    std::vector<PluginEvent> events;
    for (const EventRows& worker : workers) {
        for (const NcclPluginRow& row : worker.ncclPlugin)
            events.push_back({&worker, &row});
    }
    std::ranges::sort(events, {}, [](const PluginEvent& event) { return event.row->offset; });
    return events;
}

bool hasTimes(const NcclPluginRow& row)
{
    constexpr uint64_t kMax = 1ull << 62;
    return row.what == NcclPluginRow::What::channel && row.start_ns > 0 && row.stop_ns >= row.start_ns &&
           row.stop_ns < kMax;
}

// Returns the time of the global timer at timestamp 0 of the file. The host may observe a start late but
// never early, so the largest difference is the best estimate.
std::optional<int64_t> timerAtZero(const std::vector<PluginEvent>& events)
{
    std::optional<int64_t> zero_ns;
    for (const PluginEvent& event : events) {
        if (!hasTimes(*event.row)) continue;
        const int64_t here_ns = static_cast<int64_t>(event.row->start_ns) - event.row->time_ns;
        zero_ns = std::max(here_ns, zero_ns.value_or(here_ns));
    }
    return zero_ns;
}

// Returns the element size of an NCCL type ("ncclBfloat16" -> 2), or 0 if the name does not contain a size.
uint64_t bytesOf(std::string_view dataType)
{
    const size_t begin = dataType.find_first_of("0123456789");
    if (begin == std::string_view::npos) return 0;
    const size_t end = std::min(dataType.find_first_not_of("0123456789", begin), dataType.size());
    return static_cast<uint64_t>(parseInt(dataType.substr(begin, end - begin)).value_or(0)) / 8;
}

CollectiveOp opOf(const PluginEvent& begin, StringPool& strings)
{
    const NcclPluginRow& row = *begin.row;
    const std::string function(begin.worker->names.at(row.function));
    const std::string_view dataType = begin.worker->names.at(row.dataType);
    CollectiveOp op;
    op.collective = strings.intern(function);
    op.group = strings.intern(std::to_string(row.communicator) + (row.isPointToPoint ? "" : " " + function));
    op.isPointToPoint = row.isPointToPoint;
    op.rankInGroup = row.rank;
    op.sequence = row.sequence;
    op.inElements = row.count;
    if (!dataType.empty()) op.dataType = strings.intern(dataType);
    if (const uint64_t size = bytesOf(dataType); size > 0 && row.count < CollectiveOp::kAbsentCount / 64)
        op.message_bytes = row.count * size;
    return op;
}

class KernelMaker {
  public:
    KernelMaker(ReportBuilder& builder, int64_t timerAtZero_ns)
        : m_builder(builder), m_timerAtZero_ns(timerAtZero_ns)
    {
    }

    void add(const PluginEvent& event)
    {
        const NcclPluginRow& row = *event.row;
        switch (row.what) {
        case NcclPluginRow::What::begin:
            finish();
            m_open = OpenCall{event};
            break;
        case NcclPluginRow::What::end:
            finish();
            break;
        case NcclPluginRow::What::channel:
            if (!m_open) ++m_alone;
            if (!m_open || !hasTimes(row)) break;
            if (m_open->stop_ns == 0) m_open->source = row.offset;
            m_open->start_ns = std::min(m_open->start_ns, row.start_ns);
            m_open->stop_ns = std::max(m_open->stop_ns, row.stop_ns);
            break;
        }
    }

    void end()
    {
        finish();
        if (m_untimed > 0)
            m_builder.report().notes.add(
                "nccl.no_kernel_times", NoteSeverity::info,
                "collectives without kernel times: set NCCL_PROFILE_EVENT_MASK so that "
                "the plugin records kernel channels",
                "", m_untimed);
        if (m_alone > 0)
            m_builder.report().notes.add("nccl.channel_alone", NoteSeverity::dataLoss,
                                         "kernel channels outside any collective: not shown", "", m_alone);
        m_builder.adopt(std::move(m_batch));
    }

  private:
    void finish()
    {
        if (!m_open) return;
        const OpenCall call = *std::exchange(m_open, std::nullopt);
        if (call.stop_ns == 0) {
            ++m_untimed;
            return;
        }
        Report& report = m_builder.report();
        const int64_t pid = call.begin.row->process.isText ? 0 : call.begin.row->process.number;
        TrackKey key;
        key.kind = TrackKind::gpuStream;
        key.process = m_builder.process(static_cast<uint64_t>(pid), pid);
        key.device = m_builder.device(key.process, -1); // the plugin does not record the device
        const TrackId track = m_builder.track(key);
        m_builder.setTrackName(track, m_builder.intern("NCCL"));
        SliceRow row;
        row.start_ns = static_cast<int64_t>(call.start_ns) - m_timerAtZero_ns;
        row.duration_ns = static_cast<int64_t>(call.stop_ns - call.start_ns);
        row.source = SourceRow::of(0, call.source);
        row.name =
            m_builder.intern("NCCL " + std::string(call.begin.worker->names.at(call.begin.row->function)));
        row.kind = RowKind::kernel;
        row.category = SliceCategory::communication;
        if (!isPlausible(row.start_ns, row.duration_ns)) {
            ++m_untimed;
            return;
        }
        m_batch.add(track, row);
        m_batch.addCollective(row.source, opOf(call.begin, report.strings));
    }

    ReportBuilder& m_builder;
    int64_t m_timerAtZero_ns;
    std::optional<OpenCall> m_open;
    SliceBatch m_batch;
    uint64_t m_untimed = 0; // number of calls without plausible kernel times
    uint64_t m_alone = 0;   // number of channels outside of any call
};

} // namespace

void addNcclKernels(std::span<const EventRows> workers, ReportBuilder& builder)
{
    const std::vector<PluginEvent> events = eventsInFileOrder(workers);
    if (events.empty()) return;
    const std::optional<int64_t> zero_ns = timerAtZero(events);
    KernelMaker maker(builder, zero_ns.value_or(0));
    std::set<uint32_t> ranks;
    for (const PluginEvent& event : events) {
        maker.add(event);
        if (event.row->what == NcclPluginRow::What::begin) ranks.insert(event.row->rank);
    }
    maker.end();
    Report& report = builder.report();
    if (ranks.size() == 1 && *ranks.begin() < 1'000'000)
        report.identity.rank.learn(static_cast<int>(*ranks.begin()), "Rank in its communicators",
                                   Confidence::guessed);
    constexpr int64_t kYear2015_ns = 1'420'070'400'000'000'000, kYear2100_ns = 4'102'444'800'000'000'000;
    if (report.clock.utcAtZero_ns || !zero_ns || *zero_ns < kYear2015_ns || *zero_ns > kYear2100_ns) return;
    report.clock.name = "Unix epoch (GPU global timer)";
    report.clock.utcAtZero_ns = zero_ns;
    report.clock.utcSource = "StartGpuClk of KernelCh";
    report.clock.utcResolution_ns = 1;
}

} // namespace lockstep
