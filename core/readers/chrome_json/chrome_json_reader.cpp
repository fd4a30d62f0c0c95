// SPDX-License-Identifier: Apache-2.0
// Reader of Chrome trace JSON: PyTorch (Kineto) traces of all versions and other writers of the format;
// uncompressed, gzip or zstd.
#include "core/readers/registry.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/base/inflate.h"
#include "core/readers/chrome_json/event_parser.h"
#include "core/readers/chrome_json/event_starts.h"
#include "core/readers/chrome_json/group_ranks.h"
#include "core/readers/chrome_json/header_facts.h"
#include "core/readers/chrome_json/report_assembly.h"
#include "core/readers/chrome_json/slice_details.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep {

namespace {

bool isChromeJsonFile(const FileSniff& file)
{
    std::string_view text = file.text;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return isCompressed(file.head);
    text.remove_prefix(begin);
    // this finds events even if the beginning is corrupt
    if (nextEventStart(text, 0) != std::string_view::npos) return true;
    const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    if (text[0] == '[') {
        const size_t inside = text.find_first_not_of(" \t\r\n", 1);
        return inside != std::string_view::npos && text[inside] == '{' && has("\"ph\"");
    }
    return text[0] == '{' &&
           (has("\"traceEvents\"") || has("\"schemaVersion\"") || has("\"deviceProperties\"") ||
            has("\"distributedInfo\"") || has("\"displayTimeUnit\"") || has("\"baseTimeNanoseconds\""));
}

// Workers take turns with windows: one worker reads and decompresses the next window while the others parse.
class WindowLoop {
  public:
    WindowLoop(WindowCutter& cutter, uint64_t size_bytes, const Progress& progress)
        : m_cutter(cutter), m_size_bytes(size_bytes), m_progress(progress)
    {
    }

    void run(EventRows& rows)
    {
        EventParser parser(rows, m_progress);
        Window window;
        while (next(window))
            parser.parse(window);
    }

    const std::optional<Error>& error() const { return m_error; }

  private:
    bool next(Window& window)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_error) return false;
        const auto cut = [&]() -> Result<bool> {
            LOCKSTEP_TRY(m_progress.check());
            return m_cutter.next(window, m_progress);
        };
        const Result<bool> more = cut();
        if (!more) m_error = more.error();
        m_progress.report(m_cutter.storedPosition(), m_size_bytes);
        return more && *more;
    }

    std::mutex m_mutex;
    WindowCutter& m_cutter;
    uint64_t m_size_bytes;
    const Progress& m_progress;
    std::optional<Error> m_error;
};

// Returns the timestamp of the first complete event in the file, from any worker. This timestamp is enough to
// determine the kind of clock.
int64_t earliestTimestamp(const std::vector<EventRows>& workers)
{
    SliceRow first;
    first.start_ns = kAllTime.end.ns;
    first.source.packed = ~uint64_t(0);
    for (const EventRows& worker : workers) {
        for (const SliceBatch::Rows& rows : worker.batch.byTrack) {
            if (rows.count == 0) continue;
            const SliceRow& row = rows.chunks.front().rows().front();
            if (row.source < first.source) first = row;
        }
    }
    int64_t earliest = first.start_ns;
    for (const EventRows& worker : workers) {
        for (const HalfRow& half : worker.halves)
            earliest = std::min(earliest, half.time_ns);
        for (const CounterSeries& series : worker.counters) {
            for (const auto& [time_ns, value] : series.samples)
                earliest = std::min(earliest, time_ns);
        }
    }
    return earliest == kAllTime.end.ns ? 0 : earliest;
}

std::optional<Error> errorIfEmpty(const WindowCutter& cutter, const std::vector<EventRows>& workers,
                                  const std::string& path)
{
    uint64_t events = 0;
    for (const EventRows& rows : workers) {
        for (const uint64_t count : rows.kindCounts)
            events += count;
        for (const uint64_t count : rows.plainCounts)
            events += count;
    }
    if (events > 0) return std::nullopt;
    if (cutter.textSize() == 0) {
        return Error{ErrorKind::corrupt,
                     path + ": cannot be decompressed; the file is damaged. Copy it again"};
    }
    if (cutter.notes().hasDataLoss() || cutter.eventBytes() > 0) {
        return Error{ErrorKind::corrupt, path + ": cut short before its first complete event; copy it again",
                     HelpTopic::truncatedFile};
    }
    if (!cutter.outer().sawEvents() && cutter.outer().state() == OuterText::State::scanning)
        return Error{ErrorKind::corrupt,
                     path + ": cut short in its header, before the first event; copy it again",
                     HelpTopic::truncatedFile};
    if (!cutter.outer().sawEvents()) {
        return Error{ErrorKind::unsupported, path + ": JSON without trace events, not a trace"};
    }
    return Error{ErrorKind::corrupt,
                 path + ": contains no trace events; profile again with activities enabled"};
}

// Removes the rank of a merged trace, because the header of such a trace comes from the first source trace
// only.
void splitIdentity(Report& report, size_t parts)
{
    report.identity.rank = {};
    report.identity.localRank = {};
    report.notes.add(
        "trace.merged", NoteSeverity::info,
        "the file merges the traces of several ranks. Each is shown as a separate process without a "
        "rank, because the header describes only the first trace",
        "distributedInfo.rank", parts);
}

Result<std::unique_ptr<Report>> readChromeJsonFile(const FileSniff& file, const Progress& progress)
{
    WindowCutter cutter(LOCKSTEP_TRY(TextSource::open(file.path)));
    WindowLoop loop(cutter, file.size_bytes, progress);
    ReportBuilder builder;
    SharedFacts shared(builder.factSets());
    std::vector<EventRows> workers;
    const uint64_t windows = 1 + file.size_bytes / WindowCutter::kWindow;
    const bool isPlain = file.text == file.head;
    const size_t most = progress.workers().count();
    const size_t count = isPlain ? std::min<uint64_t>(most, windows) : most;
    for (size_t i = 0; i < count; ++i)
        workers.emplace_back(shared, progress.place());
    progress.workers().run(count, [&](size_t index, size_t) { loop.run(workers[index]); });
    if (loop.error()) {
        const bool isCanceled = loop.error()->kind == ErrorKind::canceled;
        return tl::make_unexpected(isCanceled ? *loop.error()
                                              : withContext(*loop.error(), file.path.string()));
    }
    if (const auto error = errorIfEmpty(cutter, workers, file.path.string()))
        return tl::make_unexpected(*error);
    Report& report = builder.report();
    report.provenance.path = file.path;
    report.provenance.size_bytes = file.size_bytes;
    report.provenance.kind = "chrome json";
    report.sourceTables = {""};
    if (PackedIndex index = cutter.takeIndex(); index.size() > 0)
        report.packedIndex = std::make_shared<const PackedIndex>(std::move(index));
    report.notes.merge(cutter.notes());
    EventBytes bytes;
    for (const EventRows& rows : workers)
        bytes.merge(rows.textBytes);
    noteLostBytes(bytes, cutter.eventBytes(), report.notes);
    report.clock = clockOf(cutter.outer().fields(), earliestTimestamp(workers));
    ReportAssembly assembly(workers, shared, builder);
    assembly.run(groupRanks(cutter.outer().fields()), amdDevices(cutter.outer().fields()));
    applyHeader(cutter.outer().fields(), assembly.isKineto(), builder);
    if (assembly.mergedParts() > 1) splitIdentity(report, assembly.mergedParts());
    std::vector<PlacedInstant> memory = assembly.takeMemory();
    std::unique_ptr<Report> frozen = LOCKSTEP_TRY(builder.freeze(progress));
    LOCKSTEP_TRY(addTorchMemory(*frozen, std::move(memory), progress));
    return frozen;
}

std::string_view toolOfTrace(const Provenance& provenance)
{
    return provenance.producer.find("PyTorch") != std::string::npos ? "PyTorch" : "JSON";
}

} // namespace

Reader chromeJsonReader()
{
    return {.format = formatNamed("chrome json"),
            .title = "Chrome or PyTorch trace JSON",
            .recognizes = isChromeJsonFile,
            .read = readChromeJsonFile,
            .details = chromeSliceDetails,
            .isLive = true,
            .toolOf = toolOfTrace};
}

} // namespace lockstep
