// FileFetch: one file of a host on its way here. Fetched into a file of ours from where the last attempt
// stopped; lost links are waited out; whole only when size and sha256 are those of the host. Any name on the
// host works: names are quoted, never interpreted. Only regular files are read there.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <QFile>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "core/base/sha256.h"
#include "core/remote/remote.h"

namespace lockstep {

struct FetchOrder {
    std::string path;           // on the host; below the home folder unless absolute
    std::filesystem::path part; // here, in a folder that is there: openOwnFile() opens it
    int64_t size_bytes = 0;     // as listed
    std::string sha256;         // as listed; empty: only the size is compared
    int tries = 5;              // in a row without a byte
    double firstRetry_s = 0.5;  // doubled each time, up to 15 s
};

class FileFetch : public QObject {
    Q_OBJECT

  public:
    FileFetch(std::shared_ptr<const Remote> remote, FetchOrder order, QThreadPool& pool, QObject* parent);
    ~FileFetch() override;

    // finished() follows, from the event loop.
    void begin();

  signals:
    void bytesArrived(qint64 count);
    // Once. Empty error message: the part is whole.
    void finished(const lockstep::Error& error);

  private:
    void attempt();
    void take(const QByteArray& bytes);
    void attemptEnded(const CallResult& result);
    void prove();
    void proved(const Result<std::string>& digest);
    void fail(ErrorKind kind, const std::string& message);

    std::shared_ptr<const Remote> m_remote;
    FetchOrder m_order;
    QThreadPool& m_pool;
    QFile m_part;
    RemoteCall* m_call = nullptr;
    QTimer m_retry;
    int m_failures = 0;
    bool m_hasGrown = false; // bytes came in this attempt
    bool m_wasRefetched = false;
    std::shared_ptr<std::stop_source> m_stop;
};

} // namespace lockstep
