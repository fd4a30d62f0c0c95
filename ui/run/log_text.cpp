// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_text.h"

#include "core/base/output_file.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kLogSecond_ns = 1'000'000'000;
constexpr size_t kChunk_bytes = 1 << 20;

} // namespace

QString hostName(uint32_t host, const QStringList& hosts)
{
    return host < static_cast<uint32_t>(hosts.size()) ? hosts[host] : QString();
}

LogWriter::LogWriter(LogFormat format, const QStringList& hosts) : m_format(format)
{
    for (const QString& host : hosts)
        m_hosts.push_back(host.toStdString() + ' ');
}

void LogWriter::append(std::string& out, int64_t time_ns, uint32_t host, std::string_view text)
{
    if (m_format == LogFormat::withTimes) {
        // Consecutive lines are often of the same second, and its text takes longer to make than the rest.
        const int64_t second = time_ns / kLogSecond_ns;
        if (second != m_second || m_secondText.empty()) {
            m_second = second;
            m_secondText = utcDateText(time_ns) + 'T' + utcTimeText(time_ns).substr(0, 8);
        }
        const std::string milliseconds = std::to_string(1000 + time_ns % kLogSecond_ns / 1'000'000);
        out.append(m_secondText).append(".").append(milliseconds, 1).append("Z ");
        if (host < m_hosts.size()) out += m_hosts[host];
    }
    out.append(text).append("\n");
}

Status saveLog(const SavedLog& log, const std::filesystem::path& path, const Progress& progress)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
    std::string text = log.remark.empty() ? std::string() : log.remark + '\n';
    LogWriter writer(LogFormat::withTimes, log.hosts);
    for (const SavedLog::Line& line : log.lines) {
        writer.append(text, line.time_ns, line.host, line.text);
        if (text.size() < kChunk_bytes) continue;
        if (progress.isCanceled()) return makeError(ErrorKind::canceled, "canceled");
        file.write(text);
        text.clear();
    }
    file.write(text);
    return file.commit();
}

} // namespace lockstep
