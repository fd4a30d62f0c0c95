// SPDX-License-Identifier: Apache-2.0
// FileFetch transfers one file from a host into a local part file. It resumes where the last attempt stopped,
// retries after a lost link, and succeeds only if size and sha256 match those on the host. Any path is
// supported, because paths are always quoted. Only regular files are read. The local file is written and read
// on other threads. If the disk is slower than the link, the link is throttled.
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
    std::string path;           // path on the host; relative paths are relative to the home folder
    std::filesystem::path part; // local file in an existing folder; opened by openPrivateFile()
    int64_t size_bytes = 0;     // size according to the host's list
    std::string sha256;         // digest according to the host's list; empty: only the size is checked
    int tries = 5;              // maximum number of consecutive attempts that receive no data
    double firstRetry_s = 0.5;  // delay before the first retry; doubled each time, up to 15 s
    int idleTimeout_s = 60;     // idle time after which an attempt ends
};

class FileFetch : public QObject {
    Q_OBJECT

  public:
    FileFetch(std::shared_ptr<const Remote> remote, FetchOrder order, BackgroundWork& work, QObject* parent);

    // Starts the transfer. finished() follows from the event loop.
    void begin();

  signals:
    void bytesArrived(qint64 count);
    void waits(const std::string& text); // see RemoteCall::waits()
    // Emitted once. If the error message is empty, the part is complete.
    void finished(const lockstep::Error& error);

  private:
    // If `isRestart`, first deletes the data of earlier attempts.
    void open(bool isRestart);
    void attempt();
    void take(const QByteArray& bytes);
    void store();
    void fetchNext();
    void attemptEnded(const CallResult& result);
    void verify();
    void handleDigest(const Result<std::string>& digest);
    // If `deletesData`, the received data is deleted; otherwise it is kept for another attempt.
    void fail(const Error& error, bool deletesData = false);

    std::shared_ptr<const Remote> m_remote;
    FetchOrder m_order;
    BackgroundWork& m_work;
    std::shared_ptr<QFile> m_part = std::make_shared<QFile>(); // used by one task at a time
    int64_t m_have_bytes = 0;                                  // number of bytes in the part file
    QByteArray m_waiting;                                      // received data that is not being written yet
    bool m_isStoring = false;
    int64_t m_storing_bytes = 0; // number of bytes being written
    bool m_isThrottled = false;  // the link is throttled until the disk catches up
    RemoteCall* m_call = nullptr;
    std::optional<CallResult> m_callEnd;
    QTimer m_retry;
    QElapsedTimer m_began;
    int m_failures = 0;
    bool m_hasGrown = false; // this attempt has received data
    bool m_wasRefetched = false;
};

} // namespace lockstep
