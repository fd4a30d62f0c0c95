// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/capture_log_watch.h"

#include "capture/agent/report_watch.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"

namespace lockstep::agent {

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
