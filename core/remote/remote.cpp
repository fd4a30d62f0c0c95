// SPDX-License-Identifier: Apache-2.0
#include "core/remote/remote.h"

#include <utility>

#include <unistd.h>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr qsizetype kRetainedErrors = 64 << 10;
constexpr qsizetype kRetainedGreeting = 4 << 10;
constexpr qint64 kMaxGreeting_bytes = 1 << 20; // maximum size of text before the call's own output
constexpr qint64 kMaxErrors_bytes = 16 << 20;
constexpr int kBusyLoop_ms = 5'000;

// Encodes the text so that no conversion can change it. If it is not valid UTF-8, all bytes are written in
// octal and decoded by the shell.
std::string encodedShellText(std::string_view shellText)
{
    if (isValidUtf8(shellText)) return std::string(shellText);
    std::string octal;
    for (const char c : shellText) {
        const auto byte = static_cast<unsigned char>(c);
        octal += {'\\', char('0' + (byte >> 6)), char('0' + ((byte >> 3) & 7)), char('0' + (byte & 7))};
    }
    return "eval \"$(printf '" + octal + "')\"";
}

std::string lastLine(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    const size_t at = text.find_last_of("\r\n");
    return repairedUtf8(at == std::string_view::npos ? text : text.substr(at + 1));
}

} // namespace

std::string_view linkFailureName(LinkFailure failure)
{
    switch (failure) {
    case LinkFailure::none:
        return "none";
    case LinkFailure::unreachable:
        return "unreachable";
    case LinkFailure::hostKey:
        return "host_key";
    case LinkFailure::authentication:
        return "authentication";
    case LinkFailure::configuration:
        return "ssh_configuration";
    case LinkFailure::lost:
        return "link_lost";
    }
    return "";
}

bool isWorthRetrying(LinkFailure failure)
{
    return failure == LinkFailure::unreachable || failure == LinkFailure::lost;
}

RemoteCall::RemoteCall(std::shared_ptr<const Remote> remote, std::string_view shellText, bool collectsOutput,
                       CallLimits limits, QObject* parent)
    : QObject(parent), m_remote(std::move(remote)), m_process(new QProcess(this)),
      m_collectsOutput(collectsOutput), m_limits(std::move(limits)), m_limitTimer(this)
{
    m_began.start();
    m_lastActivity.start();
    m_sinceCheck.start();
    connect(&m_limitTimer, &QTimer::timeout, this, &RemoteCall::checkLimits);
    m_limitTimer.start(1000);
    const std::string text = "echo " + std::string(kBeginLine) + "; " + std::string(shellText);
    const std::vector<std::string> words = m_remote->localCommand(encodedShellText(text));
    QStringList arguments;
    for (size_t i = 1; i < words.size(); ++i)
        arguments << QString::fromStdString(words[i]);
    // Runs in a new session, because Ctrl-C in a terminal must reach only this program, not its connections.
    m_process->setChildProcessModifier([] { ::setsid(); });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &RemoteCall::receiveOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &RemoteCall::receiveErrors);
    connect(m_process, &QProcess::bytesWritten, this, &RemoteCall::noteActivity);
    connect(m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        finish(status == QProcess::NormalExit ? code : -1);
    });
    connect(
        m_process, &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) failToStart();
        },
        Qt::QueuedConnection);
    m_process->start(QString::fromStdString(words.front()), arguments);
}

RemoteCall::~RemoteCall()
{
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning) return;
    // A killed process ends soon; it is reaped later without blocking.
    m_process->setParent(nullptr);
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->kill();
}

void RemoteCall::write(const QByteArray& bytes)
{
    m_process->write(bytes);
}

void RemoteCall::closeInput()
{
    m_process->closeWriteChannel();
}

qint64 RemoteCall::pendingBytes() const
{
    return m_process->bytesToWrite();
}

void RemoteCall::cancel()
{
    if (m_isOver) return;
    m_result.isCanceled = true;
    m_process->terminate();
}

void RemoteCall::noteActivity()
{
    m_lastActivity.restart();
    m_nextWait_s = kFirstWait_s;
}

void RemoteCall::checkLimits()
{
    // If the event loop was busy, there may be data that has arrived but has not been read yet.
    if (m_sinceCheck.restart() > kBusyLoop_ms) noteActivity();
    const int64_t idle_s = m_lastActivity.elapsed() / 1000;
    if (m_limits.idleLimit_s > 0 && idle_s >= m_limits.idleLimit_s) {
        return cutOff(LinkFailure::lost, ErrorKind::remote,
                      "has not responded to `" + m_limits.what + "` for " + std::to_string(idle_s) + " s");
    }
    if (m_limits.total_s > 0 && m_began.hasExpired(int64_t{1000} * m_limits.total_s)) {
        return cutOff(LinkFailure::none, ErrorKind::remote,
                      "did not finish `" + m_limits.what + "` within " + std::to_string(m_limits.total_s) +
                          " s");
    }
    if (idle_s < m_nextWait_s) return;
    m_nextWait_s *= 2;
    emit waits(
        "has not responded to `" + m_limits.what + "` for " + std::to_string(idle_s) + " s" +
        (m_limits.idleLimit_s > 0 ? "; giving up after " + std::to_string(m_limits.idleLimit_s) + " s" : ""));
}

void RemoteCall::cutOff(LinkFailure link, ErrorKind kind, const std::string& text)
{
    if (m_isOver || m_cutOff) return;
    m_limitTimer.stop();
    m_cutOff.emplace();
    m_cutOff->link = link;
    m_cutOff->error = {kind, m_remote->name() + ": " + text};
    m_process->closeReadChannel(QProcess::StandardOutput);
    m_process->kill();
    // Does not wait for the process, because it may be blocked in the Linux kernel by a disk.
    QMetaObject::invokeMethod(
        this, [this] { finish(-1); }, Qt::QueuedConnection);
}

void RemoteCall::receiveOutput()
{
    if (m_cutOff) return;
    QByteArray bytes = m_process->readAllStandardOutput();
    if (!bytes.isEmpty()) noteActivity();
    bytes = withoutGreeting(std::move(bytes));
    if (bytes.isEmpty()) return;
    m_output_bytes += bytes.size();
    if (m_limits.max_bytes > 0 && m_output_bytes > m_limits.max_bytes) {
        return cutOff(LinkFailure::none, ErrorKind::corrupt,
                      "sent more than " + byteText(m_limits.max_bytes) + " in response to `" + m_limits.what +
                          "`; the rest was not read");
    }
    if (m_collectsOutput)
        m_result.output += bytes;
    else
        emit outputArrived(bytes);
}

QByteArray RemoteCall::withoutGreeting(QByteArray bytes)
{
    if (m_hasBegun) return bytes;
    const QByteArray mark = QByteArray(kBeginLine.data(), kBeginLine.size()) + '\n';
    m_before_bytes += bytes.size();
    m_before += bytes;
    const qsizetype at = m_before.indexOf(mark);
    const qsizetype greetingSize = at < 0 ? m_before.size() : at;
    if (m_result.greeting.size() < size_t(kRetainedGreeting))
        m_result.greeting = m_before.left(std::min(greetingSize, kRetainedGreeting)).toStdString();
    m_hasBegun = at >= 0;
    if (m_hasBegun) return std::exchange(m_before, {}).mid(at + mark.size());
    // Stores only the beginning and any text that may be part of the mark, regardless of how much is printed.
    const qsizetype retained = kRetainedGreeting + mark.size();
    if (m_before.size() > 2 * retained) m_before.remove(kRetainedGreeting, m_before.size() - retained);
    if (m_before_bytes > kMaxGreeting_bytes) {
        cutOff(LinkFailure::none, ErrorKind::corrupt,
               "its shell printed more than " + byteText(kMaxGreeting_bytes) + " before it ran the command");
    }
    return {};
}

void RemoteCall::receiveErrors()
{
    const QByteArray bytes = m_process->readAllStandardError();
    if (!bytes.isEmpty()) noteActivity();
    m_error_bytes += bytes.size();
    m_result.errorText += bytes.toStdString();
    if (m_result.errorText.size() > size_t(kRetainedErrors))
        m_result.errorText.erase(0, m_result.errorText.size() - size_t(kRetainedErrors));
    if (m_error_bytes > kMaxErrors_bytes) {
        cutOff(LinkFailure::none, ErrorKind::corrupt,
               "printed more than " + byteText(kMaxErrors_bytes) + " of error messages during `" +
                   m_limits.what + "`");
    }
}

void RemoteCall::failToStart()
{
    if (m_isOver) return;
    m_isOver = true;
    m_result.link = LinkFailure::configuration;
    m_result.error = {ErrorKind::remote,
                      m_remote->name() + ": " + m_process->program().toStdString() +
                          " cannot be started on this machine: " + m_process->errorString().toStdString()};
    emit finished(m_result);
}

void RemoteCall::finish(int code)
{
    if (m_isOver) return;
    receiveOutput();
    receiveErrors();
    m_isOver = true;
    m_limitTimer.stop();
    m_result.code = code;
    if (m_cutOff && !m_result.isCanceled) {
        m_result.code = -1;
        m_result.link = m_cutOff->link;
        m_result.error = m_cutOff->error;
        m_result.output.clear();
        emit finished(m_result);
        return;
    }
    // A shell that did not run the text may have printed the reason to standard output.
    const std::string errorLine = lastLine(m_result.errorText);
    const std::string detail = m_hasBegun || !errorLine.empty() ? errorLine : lastLine(m_result.greeting);
    if (m_result.isCanceled) {
        m_result.error = {ErrorKind::canceled, m_remote->name() + ": canceled"};
    } else if ((m_result.link = m_remote->linkFailure(code, m_result.errorText)) != LinkFailure::none) {
        m_result.error = {ErrorKind::remote,
                          m_remote->name() + ": " +
                              m_remote->linkFailureText(m_result.link, m_result.errorText),
                          m_remote->linkFailureHelp(m_result.link, m_result.errorText)};
    } else if (code != 0) {
        const std::string how = code < 0 ? "was killed" : "ended with exit status " + std::to_string(code);
        m_result.error = {ErrorKind::remote,
                          m_remote->name() + ": " + (detail.empty() ? "the command " + how : detail)};
    } else if (!m_hasBegun) {
        m_result.code = -1;
        m_result.error = {ErrorKind::remote, m_remote->name() + ": its shell did not run the command" +
                                                 (detail.empty() ? "" : "; its output: " + detail)};
    }
    emit finished(m_result);
}

HelpTopic Remote::linkFailureHelp(LinkFailure, std::string_view) const
{
    return HelpTopic::unresponsiveHost;
}

RemoteCall* Remote::call(std::string_view shellText, QObject* parent, CallLimits limits) const
{
    return new RemoteCall(shared_from_this(), shellText, true, std::move(limits), parent);
}

RemoteCall* Remote::streamCall(std::string_view shellText, QObject* parent, CallLimits limits) const
{
    return new RemoteCall(shared_from_this(), shellText, false, std::move(limits), parent);
}

// The default level is critical, because the run itself reports problems of its hosts.
Q_LOGGING_CATEGORY(remoteLog, "lockstep.remote", QtCriticalMsg)

std::vector<std::string> LocalRemote::localCommand(std::string_view shellText) const
{
    return {"/bin/sh", "-c", std::string(shellText)};
}

LinkFailure LocalRemote::linkFailure(int, std::string_view) const
{
    return LinkFailure::none;
}

std::string LocalRemote::linkFailureText(LinkFailure, std::string_view) const
{
    return {};
}

} // namespace lockstep
