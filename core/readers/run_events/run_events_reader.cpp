// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/run_events_reader.h"

#include <map>

#include "core/base/json_fields.h"
#include "core/base/mapped_file.h"
#include "core/readers/run_events/clock_round_rows.h"
#include "core/trace/report_builder.h"

namespace lockstep {

namespace {

// seq, t_ns and kind stand first: what is of no use here, most of all output, is passed over unparsed.
constexpr size_t kLookedForKind = 96;

enum class Lane : int64_t { commands, steps };

struct OpenSlice {
    int64_t start_ns = 0;
    std::string name;
    uint64_t row = 0;
};

class EventLogRows {
  public:
    explicit EventLogRows(ReportBuilder& builder)
        : m_builder(builder), m_process(builder.process(0, 0)), m_rounds(builder)
    {
    }

    void takeLine(std::string_view line, uint64_t row)
    {
        const std::string_view head = line.substr(0, kLookedForKind);
        const auto has = [head](std::string_view kind) { return head.find(kind) != std::string_view::npos; };
        ++m_rows;
        if (!has(R"("kind":"gpu")") && !has(R"("kind":"started")") && !has(R"("kind":"step")") &&
            !has(R"("kind":"exit")") && !has(R"("kind":"clock_exchange")")) {
            if (!head.starts_with("{\"seq\":")) noteOdd(row);
            return;
        }
        const Json event = Json::parse(line, nullptr, false);
        const auto stamp_ns = numberAt(event, "t_ns");
        if (!stamp_ns || !isPlausible(*stamp_ns, 0)) return noteOdd(row);
        const int64_t time_ns = *stamp_ns;
        if (has("\"clock_exchange\"")) return m_rounds.take(event, row);
        m_last_ns = std::max(m_last_ns, time_ns);
        if (has("\"gpu\"")) {
            takeSample(event, time_ns);
        } else if (has("\"step\"")) {
            closeStep(time_ns);
            m_step = OpenSlice{time_ns, "step " + event.value("step", Json(0)).dump(), row};
        } else {
            takeCommand(event, time_ns, row);
        }
    }

    void finish()
    {
        closeStep(m_last_ns);
        for (const auto& [command, open] : m_commands)
            add(Lane::commands, open, m_last_ns);
        for (auto& [name, samples] : m_samples) {
            CounterTrack track;
            track.name = m_builder.intern(name.text);
            track.unit = m_builder.intern(name.unit);
            track.process = m_process;
            if (name.gpu >= 0) track.device = m_builder.device(m_process, name.gpu);
            m_builder.addSamples(m_builder.addCounterTrack(track), std::move(samples));
        }
        m_builder.adopt(std::move(m_batch));
        m_builder.report().rowCounts = {{"event", m_rows}};
        m_rounds.finish();
    }

  private:
    struct CounterName {
        std::string text, unit;
        int gpu = -1;
        auto operator<=>(const CounterName&) const = default;
    };

    void noteOdd(uint64_t row)
    {
        m_builder.report().notes.add("events.odd_line", NoteSeverity::dataLoss,
                                     "lines that are no event of a run, passed over",
                                     "line " + std::to_string(row + 1));
    }

    void sample(const Json& object, const char* key, CounterName name, int64_t time_ns)
    {
        if (!object.contains(key) || !object[key].is_number()) return;
        m_samples[std::move(name)].emplace_back(time_ns, object[key].get<double>());
    }

    void takeSample(const Json& event, int64_t time_ns)
    {
        sample(event, "cpu_percent", {"CPU busy", "%"}, time_ns);
        sample(event, "memory_used_bytes", {"Memory used", "B"}, time_ns);
        sample(event, "received_bytes_per_s", {"Network received", "B/s"}, time_ns);
        sample(event, "sent_bytes_per_s", {"Network sent", "B/s"}, time_ns);
        sample(event, "disk_free_bytes", {"Disk free", "B"}, time_ns);
        for (const Json& gpu : listAt(event, "gpus")) {
            const auto number = numberAt(gpu, "index");
            if (!number) continue;
            const int index = static_cast<int>(*number);
            sample(gpu, "busy_percent", {"GPU " + std::to_string(index) + " busy", "%", index}, time_ns);
            sample(gpu, "used_bytes", {"GPU " + std::to_string(index) + " memory used", "B", index}, time_ns);
        }
    }

    void takeCommand(const Json& event, int64_t time_ns, uint64_t row)
    {
        const auto command = numberAt(event, "command");
        if (!command || event.contains("waiting")) return;
        if (textAt(event, "kind") == "started") {
            const std::string name =
                isTextAt(event, "name") ? textAt(event, "name") : "command " + std::to_string(*command);
            m_commands.try_emplace(*command, OpenSlice{time_ns, name, row});
        } else if (const auto open = m_commands.find(*command); open != m_commands.end()) {
            add(Lane::commands, open->second, time_ns);
            m_commands.erase(open);
        }
    }

    void closeStep(int64_t end_ns)
    {
        if (m_step) add(Lane::steps, *m_step, end_ns);
        m_step.reset();
    }

    void add(Lane lane, const OpenSlice& slice, int64_t end_ns)
    {
        const int64_t duration_ns = std::max<int64_t>(0, end_ns - slice.start_ns);
        if (!isPlausible(slice.start_ns, duration_ns)) return;
        const TrackId track =
            m_builder.track({TrackKind::other, m_process, {}, {}, static_cast<int64_t>(lane), 0});
        m_builder.setTrackName(track, m_builder.intern(lane == Lane::steps ? "training steps" : "commands"));
        SliceRow row;
        row.start_ns = slice.start_ns;
        row.duration_ns = duration_ns;
        row.name = m_builder.intern(slice.name);
        row.source = SourceRow::of(0, slice.row);
        m_batch.add(track, row);
    }

    ReportBuilder& m_builder;
    ProcessId m_process;
    ClockRoundRows m_rounds;
    SliceBatch m_batch;
    std::map<CounterName, std::vector<std::pair<int64_t, double>>> m_samples;
    std::map<int64_t, OpenSlice> m_commands;
    std::optional<OpenSlice> m_step;
    int64_t m_last_ns = 0;
    uint64_t m_rows = 0;
};

Result<std::unique_ptr<Report>> readRunEventsFile(const FileSniff& file, const Progress& progress)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = {file.path, {}, file.size_bytes, "run events", "lockstep-agent", "1"};
    report.clock = {"Unix epoch (node)", 0, 1, {}, "t_ns"};
    std::string host = file.path.filename().string();
    const std::string_view ending = formatNamed("run events").endings[0];
    if (host.ends_with(ending) && host.size() > ending.size()) {
        host.resize(host.size() - ending.size());
        report.identity.host.learn(host, "name of the event log", Confidence::stated);
    }
    EventLogRows rows(builder);
    std::string_view text = mapped.text();
    for (uint64_t row = 0; !text.empty(); ++row) {
        if (row % 4096 == 0) LOCKSTEP_TRY(progress.check());
        const size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            report.notes.add("events.cut_short", NoteSeverity::dataLoss,
                             "the last line of the log is unfinished", "line " + std::to_string(row + 1));
            break;
        }
        rows.takeLine(text.substr(0, end), row);
        text.remove_prefix(end + 1);
    }
    rows.finish();
    return builder.freeze(progress);
}

bool isRunEventsFile(const FileSniff& file)
{
    return file.text.starts_with("{\"seq\":") && file.text.find("\"t_ns\":") < kLookedForKind &&
           file.text.find("\"kind\":\"") < kLookedForKind;
}

// The line itself, field by field.
Result<SliceDetails> runEventsDetails(const Report& report, SliceId slice)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    std::string_view text = mapped.text();
    const uint64_t row = report.slices.source[slice.value].row();
    for (uint64_t skipped = 0; skipped < row && !text.empty(); ++skipped)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const Json event = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
    if (!event.is_object()) return makeError(ErrorKind::notFound, "the event log changed since it was read");
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
            .title = "event logs of runs",
            .recognises = isRunEventsFile,
            .read = readRunEventsFile,
            .details = runEventsDetails};
}

} // namespace lockstep
