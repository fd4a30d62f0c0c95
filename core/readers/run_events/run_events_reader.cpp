// SPDX-License-Identifier: Apache-2.0
// Reader of run event logs written by lockstep-agent (capture/agent/event_log.h): one JSON object per line,
// with Unix timestamps of the node's clock. The report shows the load of the node (CPU, memory, network,
// GPUs, every second) as counters, and commands and training steps as slices.
#include "core/readers/registry.h"

#include "core/base/mapped_file.h"
#include "core/base/peer_json.h"
#include "core/readers/run_events/event_log_rows.h"

namespace lockstep {

namespace {

Result<std::unique_ptr<Report>> readRunEventsFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    ReportBuilder builder;
    Report& report = builder.report();
    EventLogRows::describe(report, file.path, file.size_bytes);
    EventLogRows rows;
    std::string_view text = mapped.text();
    for (uint64_t row = 0; !text.empty(); ++row) {
        if (row % 4096 == 0) LOCKSTEP_TRY(progress.check());
        const size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            report.notes.add("events.cut_short", NoteSeverity::dataLoss,
                             "the last line of the log is incomplete", "line " + std::to_string(row + 1));
            break;
        }
        rows.handleLine(text.substr(0, end), row);
        text.remove_prefix(end + 1);
    }
    rows.addTo(builder);
    return builder.freeze(progress);
}

bool isRunEventsFile(const FileSniff& file)
{
    return file.head.starts_with("{\"seq\":") && file.head.find("\"t_ns\":") < kEventHead_bytes &&
           file.head.find("\"kind\":\"") < kEventHead_bytes;
}

// Returns the fields of the log line.
Result<SliceDetails> runEventsDetails(const Report& report, SliceId slice)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    std::string_view text = mapped.text();
    const uint64_t row = report.slices.source[slice.value].row();
    for (uint64_t skipped = 0; skipped < row && !text.empty(); ++skipped)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const Json event = jsonFromPeer(text.substr(0, text.find('\n')));
    if (!event.is_object())
        return makeError(ErrorKind::notFound, "the event log changed since it was read",
                         HelpTopic::changedFile);
    SliceDetails out;
    out.source = "line " + std::to_string(row + 1);
    for (const auto& [key, value] : event.items())
        out.arguments.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    return out;
}

} // namespace

Reader runEventsReader()
{
    return {.format = formatNamed("run events"),
            .title = "run event logs",
            .recognizes = isRunEventsFile,
            .read = readRunEventsFile,
            .details = runEventsDetails};
}

} // namespace lockstep
