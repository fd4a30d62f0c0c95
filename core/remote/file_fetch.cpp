#include "core/remote/file_fetch.h"

#include <algorithm>
#include <cmath>

#include <QPointer>

#include "core/base/private_file.h"
#include "core/remote/agent_client.h"

namespace lockstep {

namespace fs = std::filesystem;

FileFetch::FileFetch(std::shared_ptr<const Remote> remote, FetchOrder order, QThreadPool& pool,
                     QObject* parent)
    : QObject(parent), m_remote(std::move(remote)), m_order(std::move(order)), m_pool(pool),
      m_stop(std::make_shared<std::stop_source>())
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &FileFetch::attempt);
}

FileFetch::~FileFetch()
{
    m_stop->request_stop();
}

void FileFetch::begin()
{
    const std::string part = m_order.target.string() + ".part";
    auto made = makePrivateFolders(m_order.target.parent_path());
    if (made) made = makePrivateFile(part);
    if (!made) return fail(made.error().kind, made.error().message);
    m_part.setFileName(QString::fromStdString(part));
    if (!m_part.open(QIODevice::ReadWrite | QIODevice::Append)) {
        return fail(ErrorKind::io,
                    m_order.target.string() + ": cannot be written: " + m_part.errorString().toStdString());
    }
    if (m_part.size() > m_order.size_bytes) m_part.resize(0);
    attempt();
}

void FileFetch::attempt()
{
    const int64_t have_bytes = m_part.size();
    if (have_bytes == m_order.size_bytes) return prove();
    m_hasGrown = false;
    // head ends the transfer at the listed size: a file that still grows is proved by its digest, not by
    // patience.
    const std::string text = "tail -c +" + std::to_string(have_bytes + 1) + " -- " +
                             hostPathWord(m_order.path) + " | head -c " +
                             std::to_string(m_order.size_bytes - have_bytes);
    m_call = m_remote->streamCall(text, this);
    m_call->closeInput();
    connect(m_call, &RemoteCall::outputArrived, this, &FileFetch::take);
    connect(m_call, &RemoteCall::finished, this, &FileFetch::attemptEnded);
}

void FileFetch::take(const QByteArray& bytes)
{
    const qint64 wanted = std::min<qint64>(bytes.size(), m_order.size_bytes - m_part.size());
    if (wanted <= 0) return;
    if (m_part.write(bytes.constData(), wanted) != wanted || !m_part.flush()) {
        return fail(ErrorKind::io, m_part.fileName().toStdString() +
                                       ": cannot be written: " + m_part.errorString().toStdString() +
                                       "; free space here and collect again");
    }
    m_hasGrown = true;
    emit bytesArrived(wanted);
}

void FileFetch::attemptEnded(const CallResult& result)
{
    std::exchange(m_call, nullptr)->deleteLater();
    if (m_part.size() == m_order.size_bytes) return prove();
    if (m_hasGrown) m_failures = 0;
    if (result.link == LinkFailure::none) {
        const std::string why = result.errorText.empty()
                                    ? std::string("it became shorter after it was listed")
                                    : result.error.message;
        return fail(ErrorKind::remote, m_order.path + ": cannot be read on " + m_remote->name() + ": " + why);
    }
    if (++m_failures >= m_order.tries || !isWorthRetrying(result.link)) {
        return fail(ErrorKind::remote, m_order.path + ": " + result.error.message + "; " +
                                           std::to_string(m_part.size()) + " of " +
                                           std::to_string(m_order.size_bytes) +
                                           " bytes are here, collecting again goes on from there");
    }
    const double wait_s = std::min(15.0, m_order.firstRetry_s * std::pow(2, m_failures - 1));
    m_retry.start(static_cast<int>(wait_s * 1000));
}

void FileFetch::prove()
{
    m_part.close();
    if (m_order.sha256.empty()) return proved(std::string());
    const fs::path path = m_part.fileName().toStdString();
    m_pool.start([guard = QPointer<FileFetch>(this), path, stop = m_stop] {
        Result<std::string> digest = sha256OfFile(path, Progress(stop->get_token()));
        if (stop->stop_requested()) return;
        QMetaObject::invokeMethod(
            guard.data(),
            [guard, digest = std::move(digest)] {
                if (guard) guard->proved(digest);
            },
            Qt::QueuedConnection);
    });
}

void FileFetch::proved(const Result<std::string>& digest)
{
    if (!digest) return fail(digest.error().kind, digest.error().message);
    if (*digest != m_order.sha256) {
        // What an earlier attempt left may belong to an older content of that name: once, from the beginning.
        QFile::remove(m_part.fileName());
        if (std::exchange(m_wasRefetched, true)) {
            return fail(ErrorKind::corrupt,
                        m_order.path + ": what arrived is not what " + m_remote->name() +
                            " listed (sha256 differs); it was changed meanwhile, collect again");
        }
        return begin();
    }
    std::error_code error;
    fs::rename(m_part.fileName().toStdString(), m_order.target, error);
    if (error)
        return fail(ErrorKind::io, m_order.target.string() + ": cannot be written: " + error.message());
    emit finished(Error{});
}

void FileFetch::fail(ErrorKind kind, const std::string& message)
{
    if (m_call != nullptr) {
        m_call->disconnect(this);
        std::exchange(m_call, nullptr)->deleteLater();
    }
    m_part.close();
    QMetaObject::invokeMethod(
        this,
        [this, kind, message] {
            emit finished(Error{kind, message});
        },
        Qt::QueuedConnection);
}

} // namespace lockstep
