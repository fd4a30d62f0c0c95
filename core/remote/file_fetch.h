// SPDX-License-Identifier: Apache-2.0
// FileFetch: one file of a host on its way here. Fetched into a file of ours from where the last attempt
// stopped; lost links are waited out; whole only when size and sha256 are those of the host. Any name on the
// host works: names are quoted, never interpreted. Only regular files are read there. The file here is
// written and read beside the thread that this lives in; a disk that is slower than the link makes the link
// wait.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <QElapsedTimer>
#include <QFile>
#include <QObject>
#include <QTimer>

#include "core/remote/background_work.h"
#include "core/remote/remote.h"

namespace lockstep {

struct FetchOrder {
    std::string path;           // on the host; below the home folder unless absolute
    std::filesystem::path part; // here, in a folder that is there: openOwnFile() opens it
    int64_t size_bytes = 0;     // as listed
    std::string sha256;         // as listed; empty: only the size is compared
    int tries = 5;              // in a row without a byte
    double firstRetry_s = 0.5;  // doubled each time, up to 15 s
    int patience_s = 60;        // silence after which an attempt ends
};

class FileFetch : public QObject {
    Q_OBJECT

  public:
    FileFetch(std::shared_ptr<const Remote> remote, FetchOrder order, BackgroundWork& work, QObject* parent);

    // finished() follows, from the event loop.
    void begin();

  signals:
    void bytesArrived(qint64 count);
    void waits(const std::string& text); // see RemoteCall::waits()
    // Once. Empty error message: the part is whole.
    void finished(const lockstep::Error& error);

  private:
    // isAnew: what earlier attempts left is dropped first.
    void open(bool isAnew);
    void attempt();
    void take(const QByteArray& bytes);
    void store();
    void goOn();
    void attemptEnded(const CallResult& result);
    void prove();
    void proved(const Result<std::string>& digest);
    // isWorthless: what arrived is not kept for another attempt.
    void fail(ErrorKind kind, const std::string& message, bool isWorthless = false);

    std::shared_ptr<const Remote> m_remote;
    FetchOrder m_order;
    BackgroundWork& m_work;
    std::shared_ptr<QFile> m_part = std::make_shared<QFile>(); // used by one piece of work at a time
    int64_t m_have_bytes = 0;                                  // in the part
    QByteArray m_waiting;                                      // arrived and not being written yet
    bool m_isStoring = false;
    int64_t m_storing_bytes = 0; // of them being written
    bool m_isHeld = false;       // the link waits for the disk
    RemoteCall* m_call = nullptr;
    std::optional<CallResult> m_callEnd;
    QTimer m_retry;
    QElapsedTimer m_began;
    int m_failures = 0;
    bool m_hasGrown = false; // bytes came in this attempt
    bool m_wasRefetched = false;
};

} // namespace lockstep
