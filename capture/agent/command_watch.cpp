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
constexpr int kPiecesAtOnce = 64;
constexpr size_t kShownLine_bytes = 500;
constexpr uint64_t kFirstOutput_bytes = 16 << 20;      // limit per stream
constexpr uint64_t kSteadyOutput_bytesPerS = 32 << 10; // average rate allowed after that

} // namespace

CommandWatch::CommandWatch(size_t index, const std::filesystem::path& folder,
                           const RunPast::CommandPast& past, EventLog& log,
                           std::set<std::string>& reportedFailures, int64_t started_ns)
    : m_index(index), m_folder(folder), m_started_ns(started_ns > 0 ? started_ns : wallClock_ns()),
      m_log(log), m_reportedFailures(reportedFailures),
      m_streams{{{"stdout", LogTail(folder / "stdout.log", past.out.to, past.out.isOpen), past.out.signsTo},
                 {"stderr", LogTail(folder / "stderr.log", past.err.to, past.err.isOpen), past.err.signsTo}}},
      m_step(past.step), m_stepMark(past.stepMark)
{
}

void CommandWatch::follow(bool isFinal)
{
    for (Stream& stream : m_streams) {
        for (int pieces = 0; (isFinal || pieces < kPiecesAtOnce) && !m_log.isBlocked() && hasRoom();
             ++pieces) {
            const auto piece = stream.tail.next(isFinal);
            if (!piece) break;
            reportPiece(stream, *piece);
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

// Signs are reported first. If a supervisor dies between the signs and the chunk, the positions of the signs
// are recorded, and the next supervisor reports the chunk without them.
void CommandWatch::reportPiece(Stream& stream, const LogPiece& piece)
{
    size_t begin = 0;
    for (const auto& [end, at] : piece.lineEnds) {
        const std::string_view line = std::string_view(piece.text).substr(begin, end - begin);
        begin = end;
        if (at <= stream.signsTo) continue;
        if (const auto sign = signOfLine(line))
            reportSign(*sign, line, {{"command", m_index}, {"log", stream.name}, {"at", at}});
    }
    const std::string_view rest = std::string_view(piece.text).substr(begin);
    if (const auto sign = signOfLine(rest); sign && !piece.isOpen && piece.to > stream.signsTo) {
        reportSign(*sign, rest, {{"command", m_index}, {"log", stream.name}, {"at", piece.to}});
    }
    Json fields{{"command", m_index}, {"to", piece.to}};
    const bool isCopied = piece.to <= allowed_bytes();
    fields["text"] = isCopied ? piece.text : std::string();
    const uint64_t cut_bytes = piece.cut_bytes + (isCopied ? 0 : piece.text.size());
    if (cut_bytes > 0) fields["cut_bytes"] = cut_bytes;
    if (piece.isOpen) fields["open"] = true;
    m_log.add(stream.name, std::move(fields));
}

void CommandWatch::reportSign(const LogSign& sign, std::string_view line, Json fields)
{
    switch (sign.kind) {
    case SignKind::step:
        // A step may print one line when it begins and one when it ends.
        if (m_step == sign.step && (m_stepMark == sign.mark || sign.mark.empty())) return;
        m_step = sign.step;
        m_stepMark = sign.mark;
        fields["step"] = *sign.step;
        if (!sign.mark.empty()) fields["mark"] = sign.mark;
        m_log.add("step", std::move(fields));
        return;
    case SignKind::failure:
        if (!m_reportedFailures.insert(sign.failure).second) return;
        line = line.substr(0, std::min(kShownLine_bytes, line.find_last_not_of("\r\n") + 1));
        fields.update({{"failure", sign.failure}, {"text", sign.text}, {"line", withoutEscapes(line)}});
        m_log.add("error", std::move(fields));
        return;
    case SignKind::captureStarted:
        fields["state"] = "capturing";
        break;
    case SignKind::captureEnded:
    case SignKind::flushing:
        fields["state"] = "flushing";
        break;
    case SignKind::reportWritten:
        fields.update({{"state", "written"}, {"path", sign.value}});
        break;
    case SignKind::controller:
        fields["controller"] = sign.value;
        break;
    case SignKind::workerProfiled:
        fields["worker"] = sign.value;
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
    const Json summary = Json::parse(std::string_view(text).substr(at + 2), nullptr, false);
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
                                 std::map<std::string, uint64_t> told, EventLog& log)
    : m_own(own), m_folders(std::move(roots)), m_reportedOffsets(std::move(told)), m_log(log)
{
}

void CaptureLogWatch::tell()
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
        const auto piece = tail->second.next(false);
        if (!piece) break;
        size_t begin = 0;
        for (const auto& [end, to] : piece->lineEnds) {
            reportLine(file, piece->text.substr(begin, end - begin), to);
            begin = end;
        }
    }
}

void CaptureLogWatch::reportLine(const fs::path& file, const std::string& line, uint64_t to)
{
    const Json said = Json::parse(line, nullptr, false);
    if (!isTextAt(said, "event") || m_told > kMaxTold) return;
    if (textAt(said, "event") == "not_chosen") return; // not a problem: configured in the session
    Json fields{{"capture_log", file.string()}, {"to", to}};
    if (++m_told > kMaxTold) {
        fields["failure"] = "capture_more";
        fields["text"] = "more messages from the capture library are in " + file.string();
    } else {
        const std::string text = lossText(textAt(said, "text"));
        if (const std::string report = reportOf(text); !report.empty()) addPath(fields, report);
        fields["failure"] = "capture_" + textAt(said, "event");
        fields["text"] = "process " + std::to_string(countAt(said, "pid")) + ": " + text;
    }
    m_log.add("error", std::move(fields));
}

} // namespace lockstep::agent
