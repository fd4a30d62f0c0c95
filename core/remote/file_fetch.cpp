// SPDX-License-Identifier: Apache-2.0
#include "core/remote/file_fetch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QPointer>
#include <unistd.h>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/remote/agent_client.h"
#include "core/remote/collection_folder.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr qsizetype kMaxWaiting_bytes = 8 << 20;
constexpr int64_t kLongest_s = 30 * 60; // timeout for a small file
constexpr int64_t kSlowest_bytesPerS = 4 << 10;

// Opens the part file and returns its size. If it has more bytes than the host listed, it is invalid, and the
// transfer starts again at 0.
Result<int64_t> openPart(QFile& part, const FetchOrder& order, bool isRestart)
{
    std::error_code ignored;
    if (isRestart) fs::remove(order.part, ignored);
    const int descriptor = LOCKSTEP_TRY(openPrivateFile(order.part));
    if (!part.open(descriptor, QIODevice::ReadWrite | QIODevice::Append, QFileDevice::AutoCloseHandle)) {
        ::close(descriptor);
        return makeError(ErrorKind::io, order.part.string() + ": cannot be written", HelpTopic::writeError);
    }
    if (part.size() > order.size_bytes) part.resize(0);
    std::error_code error;
    const fs::space_info disk = fs::space(order.part.parent_path(), error);
    const auto missing_bytes = static_cast<uint64_t>(order.size_bytes - part.size());
    if (!error && missing_bytes > disk.available) {
        return makeError(ErrorKind::io, order.path + ": needs " + byteText(order.size_bytes) + ", but only " +
                                            byteText(static_cast<int64_t>(disk.available)) + " are free in " +
                                            order.part.parent_path().string() +
                                            "; free space on this machine or choose another output, then "
                                            "collect again");
    }
    return part.size();
}

Status append(QFile& part, const QByteArray& bytes)
{
    if (part.write(bytes) == bytes.size() && part.flush()) return {};
    return makeError(ErrorKind::io,
                     "cannot be written: " + part.errorString().toStdString() +
                         "; free space on this machine and collect again",
                     HelpTopic::writeError);
}

} // namespace

FileFetch::FileFetch(std::shared_ptr<const Remote> remote, FetchOrder order, BackgroundWork& work,
                     QObject* parent)
    : QObject(parent), m_remote(std::move(remote)), m_order(std::move(order)), m_work(work)
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &FileFetch::attempt);
}

void FileFetch::begin()
{
    if (m_order.size_bytes < 0)
        return fail({ErrorKind::corrupt, m_order.path + ": the host reported a negative size"});
    m_began.start();
    open(false);
}

void FileFetch::open(bool isRestart)
{
    m_work.start([part = m_part, order = m_order,
                  isRestart](const std::stop_token&) { return openPart(*part, order, isRestart); },
                 [this, guard = QPointer<FileFetch>(this)](const Result<int64_t>& size_bytes) {
                     if (!guard) return;
                     if (!size_bytes) return fail(size_bytes.error());
                     m_have_bytes = *size_bytes;
                     attempt();
                 });
}

void FileFetch::attempt()
{
    if (m_have_bytes == m_order.size_bytes) return verify();
    // The timeout prevents a host that sends a byte now and then from blocking the collection.
    if (m_began.hasExpired(1000 * (kLongest_s + m_order.size_bytes / kSlowest_bytesPerS))) {
        return fail({ErrorKind::remote, m_order.path + ": " + m_remote->name() + " sends it too slowly; " +
                                            std::to_string(m_have_bytes) + " of " +
                                            std::to_string(m_order.size_bytes) + " bytes were received"});
    }
    m_hasGrown = false;
    m_callEnd.reset();
    // `head` ends the transfer at the listed size; if the file grew, its digest does not match. [ -f ]
    // excludes pipes and devices, which would never end.
    const std::string text =
        "p=" + quotedHostPath(m_order.path) +
        "; [ -f \"$p\" ] || { echo 'not found, or not a regular file' >&2; exit 1; }; tail -c +" +
        std::to_string(m_have_bytes + 1) + " -- \"$p\" | head -c " +
        std::to_string(m_order.size_bytes - m_have_bytes);
    CallLimits limits{"read " + m_order.path, m_order.idleTimeout_s, 0, 0};
    limits.total_s = static_cast<int>(std::min<int64_t>(kLongest_s + m_order.size_bytes / kSlowest_bytesPerS,
                                                        std::numeric_limits<int>::max()));
    m_call = m_remote->streamCall(text, this, std::move(limits));
    m_call->closeInput();
    connect(m_call, &RemoteCall::waits, this, &FileFetch::waits);
    connect(m_call, &RemoteCall::outputArrived, this, &FileFetch::take);
    connect(m_call, &RemoteCall::finished, this, [this](const CallResult& result) {
        std::exchange(m_call, nullptr)->deleteLater();
        m_callEnd = result;
        if (!m_isStoring) fetchNext();
    });
}

void FileFetch::take(const QByteArray& bytes)
{
    const qint64 needed = std::min<qint64>(bytes.size(), m_order.size_bytes - m_have_bytes - m_storing_bytes -
                                                             m_waiting.size());
    if (needed <= 0) return;
    m_waiting.append(bytes.constData(), needed);
    const bool isWhole = m_have_bytes + m_storing_bytes + m_waiting.size() == m_order.size_bytes;
    if (isWhole || m_waiting.size() > kMaxWaiting_bytes) {
        m_call->disconnect(this);
        std::exchange(m_call, nullptr)->deleteLater();
        m_isThrottled = true; // continues after the stored data; a complete file is verified
    }
    if (!m_isStoring) store();
}

void FileFetch::store()
{
    m_isStoring = true;
    const int64_t count = m_waiting.size();
    m_storing_bytes = count;
    m_work.start([part = m_part, bytes = std::exchange(m_waiting, {})](
                     const std::stop_token&) { return append(*part, bytes); },
                 [this, guard = QPointer<FileFetch>(this), count](const Status& stored) {
                     if (!guard) return;
                     m_isStoring = false;
                     m_storing_bytes = 0;
                     if (!stored) return fail(withContext(stored.error(), m_order.part.string()));
                     m_have_bytes += count;
                     m_hasGrown = true;
                     emit bytesArrived(count);
                     fetchNext();
                 });
}

// Continues after all pending data was written to disk.
void FileFetch::fetchNext()
{
    if (!m_waiting.isEmpty()) return store();
    if (std::exchange(m_isThrottled, false)) return attempt();
    if (const auto ended = std::exchange(m_callEnd, std::nullopt)) attemptEnded(*ended);
}

void FileFetch::attemptEnded(const CallResult& result)
{
    if (m_have_bytes == m_order.size_bytes) return verify();
    if (m_hasGrown) m_failures = 0;
    if (result.link == LinkFailure::none) {
        const std::string why = result.errorText.empty()
                                    ? std::string("the file became shorter after it was listed")
                                    : result.error.message;
        return fail(
            {ErrorKind::remote, m_order.path + ": cannot be read on " + m_remote->name() + ": " + why});
    }
    if (++m_failures >= m_order.tries || !isWorthRetrying(result.link)) {
        return fail({ErrorKind::remote,
                     m_order.path + ": " + result.error.message + "; " + std::to_string(m_have_bytes) +
                         " of " + std::to_string(m_order.size_bytes) +
                         " bytes were received; collecting again continues from there",
                     result.error.help});
    }
    const double wait_s = std::min(15.0, m_order.firstRetry_s * std::pow(2, m_failures - 1));
    m_retry.start(static_cast<int>(wait_s * 1000));
}

void FileFetch::verify()
{
    m_work.start(
        [part = m_part, order = m_order](const std::stop_token& stop) -> Result<std::string> {
            part->close();
            if (order.sha256.empty()) return std::string();
            return sha256OfFile(order.part, Progress(stop));
        },
        [this, guard = QPointer<FileFetch>(this)](const Result<std::string>& digest) {
            if (guard) handleDigest(digest);
        });
}

void FileFetch::handleDigest(const Result<std::string>& digest)
{
    if (!digest) return fail(digest.error());
    if (*digest != m_order.sha256) {
        // Data from an earlier attempt may come from an older version of the file, so it is fetched once from
        // the beginning.
        if (!std::exchange(m_wasRefetched, true)) return open(true);
        return fail({ErrorKind::corrupt,
                     m_order.path + ": the received data differs from what " + m_remote->name() +
                         " listed (sha256 mismatch); the file probably changed meanwhile. Collect again"},
                    true);
    }
    emit finished(Error{});
}

void FileFetch::fail(const Error& error, bool deletesData)
{
    if (m_call != nullptr) {
        m_call->disconnect(this);
        std::exchange(m_call, nullptr)->deleteLater();
    }
    m_work.start(
        [part = m_part, path = m_order.part, deletesData](const std::stop_token&) {
            const bool isEmpty = part->isOpen() && part->size() == 0;
            part->close();
            std::error_code ignored;
            return (isEmpty || deletesData) && fs::remove(path, ignored);
        },
        [this, guard = QPointer<FileFetch>(this), error](bool) {
            if (guard) emit finished(error);
        });
}

} // namespace lockstep
