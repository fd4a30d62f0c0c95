// SPDX-License-Identifier: Apache-2.0
// HttpCall is one HTTP request, sent by the curl program of a host: of this machine (LocalRemote), or of a
// host that is reached through ssh or Slurm, because servers often listen only on private addresses. Headers
// and body are passed over standard input, so that keys never appear on a command line. Redirects are not
// followed, proxies and ~/.curlrc are not used. Belongs to the thread that created it; never blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>

#include "core/base/result.h"
#include "core/remote/remote.h"
#include "core/servers/server_requests.h"

namespace lockstep {

struct HttpOrder {
    std::string url; // checked address of the server, without the path
    HttpRequest request;
    std::string key;  // sent as "Authorization: Bearer KEY"; empty = none
    int limit_s = 30; // maximum time until the answer is complete
};

struct HttpResult {
    HttpAnswer answer;          // status 0 if there is no complete answer
    std::optional<Error> error; // remote: why there is no complete answer
    bool wasSent = false;       // the request may have reached the server
    bool isRefused = false;     // no connection: no server listens there
    // When the request was sent: not before and not after these times, on the steady clock of this machine.
    int64_t notBefore_ns = 0, notAfter_ns = 0;
};

class HttpCall : public QObject {
    Q_OBJECT

  public:
    // Connects to the host and starts curl there. If `isHeld`, the request is sent by release(), otherwise
    // immediately. Several held calls can thus be sent at the same time.
    HttpCall(std::shared_ptr<const Remote> remote, HttpOrder order, bool isHeld, QObject* parent);

    void release();
    // Ends the call. finished() follows with an error of kind canceled.
    void cancel() { m_call->cancel(); }

  signals:
    // The call can be released; curl is about to read the request.
    void ready();
    // Emitted once. A slot may call deleteLater() on the call.
    void finished(const lockstep::HttpResult& result);

  private:
    void receive(const QByteArray& bytes);
    void finish(const CallResult& call);

    HttpOrder m_order;
    std::string m_host;
    RemoteCall* m_call;
    QByteArray m_output;
    bool m_isReady = false, m_isReleased = false;
    int64_t m_released_ns = 0;
};

} // namespace lockstep
