// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/command_watch.h"

#include <algorithm>

#include <sys/statvfs.h>

#include "capture/agent/log_drain.h"
#include "capture/agent/report_watch.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"

namespace lockstep::agent {

namespace {

// Limited so that a program with much output does not delay other events of the run.
constexpr int kMaxChunksAtOnce = 64;
constexpr size_t kShownLine_bytes = 500;
constexpr uint64_t kFirstOutput_bytes = 16 << 20;      // limit per stream
constexpr uint64_t kSteadyOutput_bytesPerS = 32 << 10; // average rate allowed after that

} // namespace

CommandWatch::CommandWatch(size_t index, const std::filesystem::path& folder,
                           const RunHistory::CommandHistory& history, EventLog& log, const KnownLines& known,
                           std::set<std::string>& reportedFailures, int64_t started_ns)
    : m_index(index), m_folder(folder), m_started_ns(started_ns > 0 ? started_ns : wallClock_ns()),
      m_log(log), m_known(known), m_reportedFailures(reportedFailures),
      m_streams{{{"stdout", LogTail(folder / "stdout.log", history.out.to, history.out.isOpen),
                  history.out.findingsTo},
                 {"stderr", LogTail(folder / "stderr.log", history.err.to, history.err.isOpen),
                  history.err.findingsTo}}},
      m_step(history.step), m_stepMark(history.stepMark)
{
}

void CommandWatch::follow(bool isFinal)
{
    for (Stream& stream : m_streams) {
        for (int chunks = 0; (isFinal || chunks < kMaxChunksAtOnce) && !m_log.isBlocked() && hasRoom();
             ++chunks) {
            const auto chunk = stream.tail.next(isFinal);
            if (!chunk) break;
            reportChunk(stream, *chunk);
        }
    }
}

// Checked per chunk: otherwise a program that prints a lot could, in a single pass, fill the space reserved
// for the last events of the run.
bool CommandWatch::hasRoom() const
{
    struct statvfs disk = {};
    return ::statvfs(m_folder.c_str(), &disk) != 0 ||
           uint64_t(disk.f_bavail) * disk.f_frsize >= kLowDisk_bytes;
}

// Returns how much output may be copied to the event log, which is also sent and stored. The complete output
// is in the log file of the command, so a program that prints all day fills one disk, not three.
uint64_t CommandWatch::allowed_bytes() const
{
    const int64_t age_s = std::max<int64_t>(0, wallClock_ns() - m_started_ns) / 1'000'000'000;
    return kFirstOutput_bytes + kSteadyOutput_bytesPerS * static_cast<uint64_t>(age_s);
}

// Findings are reported first. If a supervisor dies between the findings and the chunk, the positions of the
// findings are recorded, and the next supervisor reports the chunk without them.
void CommandWatch::reportChunk(Stream& stream, const LogChunk& chunk)
{
    size_t begin = 0;
    for (const auto& [end, at] : chunk.lineEnds) {
        const std::string_view line = std::string_view(chunk.text).substr(begin, end - begin);
        begin = end;
        if (at <= stream.findingsTo) continue;
        if (const auto finding = findingOfLine(line, m_known))
            reportFinding(*finding, line, {{"command", m_index}, {"log", stream.name}, {"at", at}});
    }
    const std::string_view rest = std::string_view(chunk.text).substr(begin);
    if (const auto finding = findingOfLine(rest, m_known);
        finding && !chunk.isOpen && chunk.to > stream.findingsTo) {
        reportFinding(*finding, rest, {{"command", m_index}, {"log", stream.name}, {"at", chunk.to}});
    }
    Json fields{{"command", m_index}, {"to", chunk.to}};
    const bool isCopied = chunk.to <= allowed_bytes();
    fields["text"] = isCopied ? chunk.text : std::string();
    const uint64_t cut_bytes = chunk.cut_bytes + (isCopied ? 0 : chunk.text.size());
    if (cut_bytes > 0) fields["cut_bytes"] = cut_bytes;
    if (chunk.isOpen) fields["open"] = true;
    m_log.add(stream.name, std::move(fields));
}

void CommandWatch::reportFinding(const LogFinding& finding, std::string_view line, Json fields)
{
    switch (finding.kind) {
    case LogFindingKind::step:
        // A step may print one line when it begins and one when it ends.
        if (m_step == finding.step && (m_stepMark == finding.mark || finding.mark.empty())) return;
        m_step = finding.step;
        m_stepMark = finding.mark;
        fields["step"] = *finding.step;
        if (!finding.mark.empty()) fields["mark"] = finding.mark;
        m_log.add("step", std::move(fields));
        return;
    case LogFindingKind::failure:
        if (!m_reportedFailures.insert(finding.failure).second) return;
        line = line.substr(0, std::min(kShownLine_bytes, line.find_last_not_of("\r\n") + 1));
        fields.update({{"failure", finding.failure}, {"text", finding.text}, {"line", withoutEscapes(line)}});
        m_log.add("error", std::move(fields));
        return;
    case LogFindingKind::captureStarted:
        fields["state"] = "capturing";
        break;
    case LogFindingKind::captureEnded:
    case LogFindingKind::flushing:
        fields["state"] = "flushing";
        break;
    case LogFindingKind::reportWritten:
        fields.update({{"state", "written"}, {"path", finding.value}});
        break;
    case LogFindingKind::controller:
        fields["controller"] = finding.value;
        break;
    case LogFindingKind::workerProfiled:
        fields["worker"] = finding.value;
        break;
    }
    m_log.add("capture", std::move(fields));
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kLogName = "lockstep_capture.log";

// Converts "PATH: {summary}" of a report with losses to a readable sentence.
std::string lossText(const std::string& text)
{
    const size_t at = text.find(": {");
    if (at == std::string::npos) return text;
    const Json summary = jsonFrom(std::string_view(text).substr(at + 2));
    std::string lost;
    for (const auto& [reason, count] : objectAt(summary, "lost").items())
        lost += (lost.empty() ? "" : ", ") + count.dump() + " " + reason;
    return lost.empty() ? text : text.substr(0, at) + ": records were lost: " + lost;
}

// Returns the report that a message of the form "PATH: reason" concerns.
std::string reportOf(const std::string& text)
{
    constexpr std::string_view kEnding = ".lsc: ";
    const size_t at = text.find(kEnding);
    return at != std::string::npos ? text.substr(0, at + kEnding.size() - 2) : "";
}

} // namespace

CaptureLogWatch::CaptureLogWatch(const fs::path& own, std::vector<std::string> roots,
                                 std::map<std::string, uint64_t> reportedOffsets, EventLog& log)
    : m_own(own), m_folders(std::move(roots)), m_reportedOffsets(std::move(reportedOffsets)), m_log(log)
{
}

void CaptureLogWatch::reportNew()
{
    follow(m_own);
    for (const fs::path& folder : m_folders.folders())
        follow(folder / kLogName);
}

void CaptureLogWatch::follow(const fs::path& file)
{
    std::error_code error;
    if (m_log.isBlocked() || !fs::is_regular_file(fs::symlink_status(file, error))) return;
    const auto [tail, isNew] =
        m_tails.try_emplace(file.string(), file, m_reportedOffsets[file.string()], false);
    while (!m_log.isBlocked()) {
        const auto chunk = tail->second.next(false);
        if (!chunk) break;
        size_t begin = 0;
        for (const auto& [end, to] : chunk->lineEnds) {
            reportLine(file, chunk->text.substr(begin, end - begin), to);
            begin = end;
        }
    }
}

void CaptureLogWatch::reportLine(const fs::path& file, const std::string& line, uint64_t to)
{
    const Json message = jsonFrom(line);
    if (!isTextAt(message, "event") || m_reported > kMaxReported) return;
    if (textAt(message, "event") == "not_chosen") return; // not a problem: configured in the session
    Json fields{{"capture_log", file.string()}, {"to", to}};
    if (++m_reported > kMaxReported) {
        fields["failure"] = "capture_more";
        fields["text"] = "more messages from the capture library are in " + file.string();
    } else {
        const std::string text = lossText(textAt(message, "text"));
        if (const std::string report = reportOf(text); !report.empty()) addPath(fields, report);
        fields["failure"] = "capture_" + textAt(message, "event");
        fields["text"] = "process " + std::to_string(countAt(message, "pid")) + ": " + text;
    }
    m_log.add("error", std::move(fields));
}

} // namespace lockstep::agent
