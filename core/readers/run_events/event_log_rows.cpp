// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/event_log_rows.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "core/base/peer_json.h"
#include "core/base/report_formats.h"

namespace lockstep {

namespace {

constexpr size_t kBootId_bytes = 36;
constexpr size_t kLongestName = 1024;

std::optional<uint32_t> uncertaintyAt(const Json& event, const char* key)
{
    const auto uncertainty_ns = numberAt(event, key);
    if (!uncertainty_ns || *uncertainty_ns < 0 || *uncertainty_ns > std::numeric_limits<uint32_t>::max())
        return std::nullopt;
    return static_cast<uint32_t>(*uncertainty_ns);
}

} // namespace

void ClockRoundRows::note(const char* kind, const char* text, uint64_t row)
{
    m_notes.add(kind, NoteSeverity::warning, text, "line " + std::to_string(row + 1));
}

void ClockRoundRows::take(const Json& event, uint64_t row)
{
    const std::string state = textAt(event, "state");
    if (state == "round") return handleRound(event, row);
    if (state == "reading") return handleReading(event, row);
    if (state == "dropped") return handleDropped(event, row);
    if (state == "listening") {
        const std::string name = textAt(event, "node");
        if (!name.empty() && name.size() <= kLongestName) m_hostNames.push_back(name);
    } else if (state == "unreachable") {
        note("clocks.unreachable", "another host did not respond to the clock exchange", row);
    } else if (state == "off" || state == "refused") {
        note("clocks.off", "the host could not take part in the clock exchange", row);
    }
}

StringId ClockRoundRows::boot(const Json& event, const char* key)
{
    const std::string text = textAt(event, key);
    return text.size() == kBootId_bytes ? m_names.intern(text) : StringId();
}

void ClockRoundRows::handleRound(const Json& event, uint64_t row)
{
    constexpr const char* kDamaged = "clocks.damaged";
    constexpr const char* kDamagedText = "clock comparisons with impossible values: omitted";
    const auto sent = numberAt(event, "t1_ns"), peerReceived = numberAt(event, "t2_ns");
    const auto peerSent = numberAt(event, "t3_ns"), received = numberAt(event, "t4_ns");
    const auto wall = numberAt(event, "wall_ns"), peerWall = numberAt(event, "peer_wall_ns");
    const auto uncertainty = uncertaintyAt(event, "wall_doubt_ns"),
               peerUncertainty = uncertaintyAt(event, "peer_wall_doubt_ns");
    const std::string peer = textAt(event, "peer");
    const bool isOverLink = textAt(event, "via") == "link";
    if (!sent || !peerReceived || !peerSent || !received || !wall || !peerWall || !uncertainty ||
        !peerUncertainty || peer.empty() || peer.size() > kLongestName ||
        textAt(event, "clock") != "CLOCK_MONOTONIC_RAW")
        return note(kDamaged, kDamagedText, row);
    const ClockRound round{m_names.intern(peer),
                           boot(event, "boot"),
                           boot(event, "peer_boot"),
                           *uncertainty,
                           *peerUncertainty,
                           isOverLink ? 1u : 0u,
                           *sent,
                           *peerReceived,
                           *peerSent,
                           *received,
                           *wall,
                           *peerWall};
    if (!isPlausibleRound(round)) return note(kDamaged, kDamagedText, row);
    if (numberAt(event, "delay_ns") != round.greatest_ns() - round.least_ns())
        return note("clocks.contradicts_itself",
                    "clock comparisons whose timestamps contradict their recorded delay: omitted", row);
    if (!m_seen.emplace(round.peer.value, round.sent_ns).second)
        return note("clocks.repeated", "duplicate clock comparisons: omitted", row);
    m_rounds.push_back(round);
}

void ClockRoundRows::handleReading(const Json& event, uint64_t row)
{
    const auto raw = numberAt(event, "raw_ns"), wall = numberAt(event, "wall_ns");
    const auto uncertainty = uncertaintyAt(event, "wall_doubt_ns");
    ClockRound reading;
    reading.boot = boot(event, "boot");
    reading.sent_ns = raw.value_or(-1);
    reading.wall_ns = wall.value_or(0);
    reading.uncertainty_ns = uncertainty.value_or(0);
    if (!raw || !wall || !uncertainty || !isPlausibleRound(reading))
        return note("clocks.damaged", "clock comparisons with impossible values: omitted", row);
    m_rounds.push_back(reading);
}

void ClockRoundRows::handleDropped(const Json& event, uint64_t row)
{
    const auto has = [&](const char* key) { return numberAt(event, key).value_or(0) > 0; };
    if (has("malformed") || has("foreign") || has("replayed") || has("limited") || has("impossible"))
        note("clocks.dropped",
             "the host dropped clock exchange datagrams that were malformed, from an unknown sender, "
             "duplicate, implausible or over the rate limit",
             row);
    if (has("readings_left_out") || has("not_written"))
        note("clocks.left_out", "the host omitted clock comparisons: too many, or its disk was full", row);
}

void ClockRoundRows::addTo(ReportBuilder& builder) const
{
    Report& report = builder.report();
    std::vector<ClockRound> rounds = m_rounds;
    const auto interned = [&](StringId id) { return id.isValid() ? builder.intern(m_names.at(id)) : id; };
    for (ClockRound& round : rounds) {
        round.peer = interned(round.peer);
        round.boot = interned(round.boot);
        round.peerBoot = interned(round.peerBoot);
    }
    report.clockRounds = Column(std::move(rounds));
    for (const std::string& name : m_hostNames)
        report.facts.emplace_back("Host name", name);
    report.notes.merge(m_notes);
}

namespace {

enum class EventLane : int64_t { commands, firstSteps /* and one a command */ };

constexpr size_t kMaxCommandsOfLog = 100'000;

void addEventSlice(ReportBuilder& builder, SliceBatch& batch, TrackId track, const StepSlice& slice)
{
    const int64_t duration_ns = std::max<int64_t>(0, slice.end_ns - slice.start_ns);
    if (!isPlausible(slice.start_ns, duration_ns)) {
        builder.report().notes.add("events.bad_time", NoteSeverity::dataLoss,
                                   "commands or steps with impossible times: not shown",
                                   "line " + std::to_string(slice.row + 1));
        return;
    }
    SliceRow row;
    row.start_ns = slice.start_ns;
    row.duration_ns = duration_ns;
    row.name = builder.intern(slice.name);
    row.source = SourceRow::of(0, slice.row);
    batch.add(track, row);
}

constexpr const char* kOddLine = "events.odd_line";
constexpr const char* kOddLineText = "lines that are not valid run events: skipped";
constexpr std::string_view kLineHead = "{\"seq\":";

// Returns the sequence number of a line, or nullopt if the beginning of the line is corrupt.
std::optional<uint64_t> seqOf(std::string_view line)
{
    if (!line.starts_with(kLineHead)) return std::nullopt;
    uint64_t seq = 0;
    const char* const begin = line.data() + kLineHead.size();
    const auto [end, error] = std::from_chars(begin, line.data() + line.size(), seq);
    if (error != std::errc() || end == line.data() + line.size() || *end != ',') return std::nullopt;
    return seq;
}

// Returns true if a line is one JSON object from its first byte to its last, according to brackets and
// quotes. Most lines are output, which is not parsed. For these lines, the check costs about as much as
// reading.
bool isWholeObject(std::string_view line)
{
    int depth = 0;
    bool isInText = false;
    for (size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (static_cast<unsigned char>(c) < 0x20) return false;
        if (isInText) {
            if (c == '\\') ++at;
            isInText = c != '"';
        } else if (c == '"') {
            isInText = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1 == line.size();
        }
    }
    return false;
}

} // namespace

void EventLogRows::noteMalformed(uint64_t row)
{
    note(kOddLine, kOddLineText, row, NoteSeverity::dataLoss);
}

void EventLogRows::noteGap(ImportNotes& notes, const Jump& jump) const
{
    const uint64_t missing = jump.seq - m_seq - 1;
    if (missing <= jump.unnumbered) return; // these lines exist and were counted as corrupt
    notes.add("events.missing", NoteSeverity::dataLoss,
              "events missing from the log: their sequence numbers are skipped",
              std::to_string(m_seq + 1) + " to " + std::to_string(jump.seq - 1) + ", before line " +
                  std::to_string(jump.row + 1),
              missing - jump.unnumbered);
}

// Event numbers start at 1 and have no gaps. If a number jumps ahead, either lines are missing or the number
// itself is corrupt. The next line shows which is the case. Rows from the launcher have number 0.
void EventLogRows::takeNumber(uint64_t seq, uint64_t row)
{
    if (seq == 0) return;
    if (const auto jump = std::exchange(m_jump, {})) {
        if (seq > jump->seq) {
            noteGap(m_notes, *jump);
            m_seq = jump->seq;
            m_unnumbered -= jump->unnumbered;
        } else {
            note("events.odd_number",
                 "lines with an impossible sequence number, higher than those of later lines", jump->row);
            ++m_unnumbered;
        }
    }
    if (seq == m_seq + 1 || (seq > m_seq && seq - m_seq - 1 <= m_unnumbered)) {
        m_seq = seq;
        m_unnumbered = 0;
    } else if (seq > m_seq) {
        m_jump = Jump{seq, row, m_unnumbered};
    } else {
        note("events.repeated", "lines whose sequence number was already seen: duplicated or out of order",
             row);
    }
}

void EventLogRows::note(const char* kind, const char* text, uint64_t row, NoteSeverity severity)
{
    m_notes.add(kind, severity, text, "line " + std::to_string(row + 1));
}

bool EventLogRows::handleLine(std::string_view line, uint64_t row)
{
    // Irrelevant lines, most of which are output, are skipped without parsing.
    const std::string_view head = line.substr(0, kEventHead_bytes);
    const auto has = [head](std::string_view kind) { return head.find(kind) != std::string_view::npos; };
    ++m_rows;
    const auto number = seqOf(line);
    if (number) {
        takeNumber(*number, row);
    } else {
        ++m_unnumbered;
    }
    if (!has(R"("kind":"gpu")") && !has(R"("kind":"started")") && !has(R"("kind":"step")") &&
        !has(R"("kind":"exit")") && !has(R"("kind":"clock_exchange")")) {
        if (!number || !isWholeObject(line)) noteMalformed(row);
        return false;
    }
    Json event = jsonFromPeer(line);
    const auto time_ns = numberAt(event, "t_ns");
    if (!time_ns || !isPlausible(*time_ns, 0)) {
        noteMalformed(row);
        return false;
    }
    // Clock comparisons have their own timestamps. In comparisons from the launcher, these timestamps are on
    // the launcher's clock.
    if (has("\"clock_exchange\"")) {
        m_rounds.take(event, row);
        return true;
    }
    const auto isOutlier = [&](int64_t from_ns) { return std::abs(*time_ns - from_ns) > kMaxJump_ns; };
    if (m_outlier && isOutlier(m_outlier->time_ns)) {
        note("events.far_stamp", "lines with timestamps hours away from their neighbors: omitted",
             m_outlier->row, NoteSeverity::dataLoss);
        m_outlier.reset();
    }
    if (!m_outlier && m_last_ns && isOutlier(*m_last_ns)) {
        m_outlier = Drawn{std::move(event), *time_ns, row};
        return false;
    }
    // Either the clock was stepped, or the host was suspended.
    if (const auto outlier = std::exchange(m_outlier, {}))
        handleEvent(outlier->event, outlier->time_ns, outlier->row);
    handleEvent(event, *time_ns, row);
    return true;
}

void EventLogRows::handleEvent(const Json& event, int64_t time_ns, uint64_t row)
{
    m_last_ns = time_ns;
    m_latest_ns = std::max(m_latest_ns, time_ns);
    const std::string kind = textAt(event, "kind");
    if (kind == "gpu") return handleSample(event, time_ns, row);
    // A step that a capture has begun is a range of that capture.
    if (kind == "step") return event.contains("path") ? void() : takeStep(event, time_ns, row);
    handleCommand(event, time_ns, row);
}

void EventLogRows::sample(const Json& object, const char* key, CounterName name, int64_t time_ns,
                          uint64_t row)
{
    const auto field = object.find(key);
    if (field == object.end()) return; // the node does not report this value
    const double value = field->is_number() ? field->get<double>() : std::nan("");
    if (!std::isfinite(value)) return note("events.odd_sample", "samples that are not numbers: omitted", row);
    if (m_sampleCount >= kMaxSamples)
        return note("events.samples", "more samples than the limit for a log: the rest is omitted", row,
                    NoteSeverity::dataLoss);
    ++m_sampleCount;
    m_samples[std::move(name)].emplace_back(time_ns, value);
}

void EventLogRows::handleSample(const Json& event, int64_t time_ns, uint64_t row)
{
    sample(event, "cpu_percent", {"CPU busy", "%"}, time_ns, row);
    sample(event, "memory_used_bytes", {"Memory used", "B"}, time_ns, row);
    sample(event, "received_bytes_per_s", {"Network received", "B/s"}, time_ns, row);
    sample(event, "sent_bytes_per_s", {"Network sent", "B/s"}, time_ns, row);
    sample(event, "disk_free_bytes", {"Disk free", "B"}, time_ns, row);
    for (const Json& gpu : listAt(event, "gpus")) {
        const auto number = numberAt(gpu, "index");
        if (!number || *number < 0 || *number >= kMaxGpus) {
            note("events.gpu_number", "samples with an invalid GPU number: omitted", row,
                 NoteSeverity::dataLoss);
            continue;
        }
        const int index = static_cast<int>(*number);
        sample(gpu, "busy_percent", {"GPU " + std::to_string(index) + " busy", "%", index}, time_ns, row);
        sample(gpu, "used_bytes", {"GPU " + std::to_string(index) + " memory used", "B", index}, time_ns,
               row);
    }
}

void EventLogRows::takeStep(const Json& event, int64_t time_ns, uint64_t row)
{
    const auto step = numberAt(event, "step");
    const int64_t command = numberAt(event, "command").value_or(0);
    if (!step || *step < 0 || (!m_steps.contains(command) && m_steps.size() >= kMaxCommandsOfLog))
        return noteMalformed(row);
    const std::string mark = textAt(event, "mark");
    m_steps[command].take({time_ns, *step,
                           mark == "begin" ? StepLine::Mark::begins
                           : mark == "end" ? StepLine::Mark::ends
                                           : StepLine::Mark::unknown,
                           row});
}

void EventLogRows::handleCommand(const Json& event, int64_t time_ns, uint64_t row)
{
    const auto command = numberAt(event, "command");
    const bool isEnd = textAt(event, "kind") != "started";
    m_hasRunEnd |= isEnd && boolAt(event, "run");
    if (!command) return;
    if (event.contains("waiting")) {
        m_waiting.insert(*command);
        return;
    }
    const auto open = m_open.find(*command);
    if (isEnd) {
        if (open == m_open.end() && !m_waiting.contains(*command))
            note("events.no_start", "commands whose start is not in the log: not drawn", row);
        if (open != m_open.end()) {
            m_commands[open->second].end_ns = time_ns;
            m_open.erase(open);
        }
        if (const auto steps = m_steps.find(*command); steps != m_steps.end()) steps->second.endAt(time_ns);
    } else if (open != m_open.end() || m_commands.size() >= kMaxCommandsOfLog) {
        note("events.odd_start",
             "commands that start again before they end, or beyond the limit for a log: not drawn", row,
             NoteSeverity::dataLoss);
    } else {
        const std::string name =
            isTextAt(event, "name") ? textAt(event, "name") : "command " + std::to_string(*command);
        m_open.emplace(*command, m_commands.size());
        m_commands.push_back({name, time_ns, {}, row});
    }
}

void EventLogRows::addSlices(ReportBuilder& builder) const
{
    const ProcessId process = builder.process(0, 0);
    SliceBatch batch;
    const auto track = [&](EventLane lane, int64_t number, std::string_view name) {
        const TrackId id =
            builder.track({TrackKind::other, process, {}, {}, static_cast<int64_t>(lane) + number, 0});
        builder.setTrackName(id, builder.intern(name));
        return id;
    };
    for (const Command& command : m_commands)
        addEventSlice(builder, batch, track(EventLane::commands, 0, "commands"),
                      {command.start_ns, command.end_ns.value_or(m_latest_ns), command.name, command.row});
    // Each command has its own track, because steps of different commands are unrelated.
    for (int64_t number = 0; const auto& [command, steps] : m_steps) {
        const std::string name =
            m_steps.size() == 1 ? "training steps" : "training steps of command " + std::to_string(command);
        for (const StepSlice& slice : steps.slices(m_latest_ns, builder.report().notes))
            addEventSlice(builder, batch, track(EventLane::firstSteps, number, name), slice);
        ++number;
    }
    builder.adopt(std::move(batch));
}

void EventLogRows::addTo(ReportBuilder& builder) const
{
    Report& report = builder.report();
    const ProcessId process = builder.process(0, 0);
    report.notes.merge(m_notes);
    addSlices(builder);
    for (const auto& [name, samples] : m_samples) {
        CounterTrack track;
        track.name = builder.intern(name.text);
        track.unit = builder.intern(name.unit);
        track.process = process;
        if (name.gpu >= 0) track.device = builder.device(process, name.gpu);
        builder.addSamples(builder.addCounterTrack(track), samples);
    }
    if (m_jump) noteGap(report.notes, *m_jump);
    if (!m_hasRunEnd)
        report.notes.add(
            "events.no_end", NoteSeverity::info,
            "the log does not contain the end of the run: the run is still going, or the log was cut short",
            "");
    report.rowCounts = {{"event", m_rows}};
    m_rounds.addTo(builder);
    if (m_outlier)
        report.notes.add("events.far_stamp", NoteSeverity::dataLoss,
                         "lines with timestamps hours away from their neighbors: omitted",
                         "line " + std::to_string(m_outlier->row + 1));
}

void EventLogRows::describe(Report& report, const std::filesystem::path& log, uint64_t size_bytes)
{
    report.provenance = {log, {}, size_bytes, "run events", "lockstep-agent", "1"};
    report.clock = {"Unix epoch (node)", 0, 1, {}, "t_ns"};
    std::string host = log.filename().string();
    const std::string_view ending = formatNamed("run events").suffixes[0];
    if (host.ends_with(ending) && host.size() > ending.size()) {
        host.resize(host.size() - ending.size());
        report.identity.host.learn(host, "event log file name", Confidence::stated);
    }
}

} // namespace lockstep
