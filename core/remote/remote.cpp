// SPDX-License-Identifier: Apache-2.0
#include "core/remote/remote.h"

#include <utility>

#include <unistd.h>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr qsizetype kKeptErrors = 64 << 10;
constexpr qsizetype kKeptGreeting = 4 << 10;

// The text as characters that survive every conversion on the way: bytes that are no UTF-8 are spelt in octal
// and put together again by the shell itself.
std::string carried(std::string_view shellText)
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

RemoteCall::RemoteCall(std::shared_ptr<const Remote> remote, std::string_view shellText, bool keepsOutput,
                       QObject* parent)
    : QObject(parent), m_remote(std::move(remote)), m_process(new QProcess(this)), m_keepsOutput(keepsOutput)
{
    const std::string text = "echo " + std::string(kBeginLine) + "; " + std::string(shellText);
    const std::vector<std::string> words = m_remote->localWords(carried(text));
    QStringList arguments;
    for (size_t i = 1; i < words.size(); ++i)
        arguments << QString::fromStdString(words[i]);
    // A session of its own: Ctrl-C in a terminal is for this program, not for its connections.
    m_process->setChildProcessModifier([] { ::setsid(); });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &RemoteCall::takeOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &RemoteCall::takeErrors);
    connect(m_process, &QProcess::bytesWritten, this, &RemoteCall::inputWritten);
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
    // A killed process ends soon; nobody has to stand still for taking note of it.
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

void RemoteCall::takeOutput()
{
    const QByteArray bytes = withoutGreeting(m_process->readAllStandardOutput());
    if (bytes.isEmpty()) return;
    if (!m_keepsOutput) {
        emit outputArrived(bytes);
    } else {
        m_result.output += bytes.left(kKeptOutput - m_result.output.size());
    }
}

QByteArray RemoteCall::withoutGreeting(QByteArray bytes)
{
    if (m_hasBegun) return bytes;
    const QByteArray mark = QByteArray(kBeginLine.data(), kBeginLine.size()) + '\n';
    m_before += bytes;
    const qsizetype at = m_before.indexOf(mark);
    const qsizetype shown = at < 0 ? m_before.size() : at;
    if (m_result.greeting.size() < size_t(kKeptGreeting))
        m_result.greeting = m_before.left(std::min(shown, kKeptGreeting)).toStdString();
    m_hasBegun = at >= 0;
    if (m_hasBegun) return std::exchange(m_before, {}).mid(at + mark.size());
    // However much is printed, only its beginning and what may be half a mark is held.
    const qsizetype held = kKeptGreeting + mark.size();
    if (m_before.size() > 2 * held) m_before.remove(kKeptGreeting, m_before.size() - held);
    return {};
}

void RemoteCall::takeErrors()
{
    m_result.errorText += m_process->readAllStandardError().toStdString();
    if (m_result.errorText.size() > size_t(kKeptErrors))
        m_result.errorText.erase(0, m_result.errorText.size() - size_t(kKeptErrors));
}

void RemoteCall::failToStart()
{
    if (m_isOver) return;
    m_isOver = true;
    m_result.link = LinkFailure::configuration;
    m_result.error = {ErrorKind::remote,
                      m_remote->name() + ": " + m_process->program().toStdString() +
                          " cannot be started here: " + m_process->errorString().toStdString()};
    emit finished(m_result);
}

void RemoteCall::finish(int code)
{
    if (m_isOver) return;
    takeOutput();
    takeErrors();
    m_isOver = true;
    m_result.code = code;
    // A shell that never ran the text may have said why on standard output.
    const std::string said = lastLine(m_result.errorText);
    const std::string told = m_hasBegun || !said.empty() ? said : lastLine(m_result.greeting);
    if (m_result.isCanceled) {
        m_result.error = {ErrorKind::canceled, m_remote->name() + ": canceled"};
    } else if ((m_result.link = m_remote->linkFailure(code, m_result.errorText)) != LinkFailure::none) {
        m_result.error = {ErrorKind::remote,
                          m_remote->name() + ": " +
                              m_remote->linkFailureText(m_result.link, m_result.errorText)};
    } else if (code != 0) {
        const std::string how = code < 0 ? "was killed" : "ended with status " + std::to_string(code);
        m_result.error = {ErrorKind::remote,
                          m_remote->name() + ": " + (told.empty() ? "the command " + how : told)};
    } else if (!m_hasBegun) {
        m_result.code = -1;
        m_result.error = {ErrorKind::remote, m_remote->name() + ": its shell did not run what it was given" +
                                                 (told.empty() ? "" : "; it said: " + told)};
    }
    emit finished(m_result);
}

RemoteCall* Remote::call(std::string_view shellText, QObject* parent) const
{
    return new RemoteCall(shared_from_this(), shellText, true, parent);
}

RemoteCall* Remote::streamCall(std::string_view shellText, QObject* parent) const
{
    return new RemoteCall(shared_from_this(), shellText, false, parent);
}

} // namespace lockstep
