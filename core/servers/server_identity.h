// SPDX-License-Identifier: Apache-2.0
// ServerIdentity recognizes an inference server, or a router in front of several, by its answers to GET
// requests. The caller sends the request for nextPath() and passes the answer to take(), until nextPath() is
// empty. Routers come first, because they forward unknown paths to a worker:
//   /workers        SGLang's router since 0.2.2: {"workers": [{"url": ...}]}, also read by slime and miles
//   /list_workers   older routers: {"urls": [...]}
//   /server_info    SGLang: all arguments (tp_size, ...) and "version"; vLLM only in development mode
//   /get_server_info  the same in older SGLang
//   /version        vLLM: {"version": "0.11.0"}; SGLang has no such route
// Answers are not trusted. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/servers/server_kind.h"

namespace lockstep {

struct HttpAnswer {
    int status = 0;
    std::string body;
};

struct ServerFacts {
    ServerKind kind = ServerKind::vllm;
    std::string version; // as reported; empty: not known
    // SGLang: number of schedulers, each of which writes its traces; nullopt: not reported. vLLM never
    // reports its parallel sizes.
    std::optional<int64_t> writers;
    int64_t nodes = 1; // SGLang: number of nodes over which the schedulers are spread
};

class ServerIdentity {
  public:
    // forced: the kind given by the user. The server is then still queried for its sizes and version.
    explicit ServerIdentity(std::optional<ServerKind> forced = {}) : m_forced(forced) {}

    // Returns the next path to query, or "" once the server is recognized or cannot be.
    std::string_view nextPath() const;
    // Takes the answer for nextPath().
    void take(const HttpAnswer& answer);

    bool isRouter() const { return m_isRouter; }
    // Addresses of a router's workers, checked and without duplicates.
    const std::vector<std::string>& workers() const { return m_workers; }
    // Returns the facts, or why the server was not recognized: notFound, or remote if the server is not ready
    // or requires a key.
    Result<ServerFacts> facts() const;

  private:
    void takeWorkers(const HttpAnswer& answer, bool isOldList);
    void takeServerInfo(const HttpAnswer& answer);
    void end() { m_step = kSteps; }

    static constexpr size_t kSteps = 5;
    std::optional<ServerKind> m_forced;
    size_t m_step = 0;
    bool m_isRouter = false;
    std::vector<std::string> m_workers;
    std::optional<ServerFacts> m_facts;
    std::string m_problem;
    size_t m_refused = 0, m_notReady = 0; // number of answers 401 or 403, and 503
};

} // namespace lockstep
