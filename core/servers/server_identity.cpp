// SPDX-License-Identifier: Apache-2.0
#include "core/servers/server_identity.h"

#include <algorithm>
#include <array>

#include "core/base/peer_json.h"
#include "core/base/text.h"
#include "core/servers/server_requests.h"
#include "core/servers/server_url.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 5> kPaths{"/workers", "/list_workers", "/server_info",
                                                 "/get_server_info", "/version"};
constexpr size_t kServerInfoStep = 2, kVersionStep = 4;
constexpr int64_t kMaxWriters = 100'000;

// Returns the number of schedulers. With attention parallel over data, the data-parallel groups are part of
// the tensor-parallel ranks (--enable-dp-attention).
std::optional<int64_t> schedulersOf(const Json& info)
{
    const auto tp = numberAt(info, "tp_size");
    if (!tp || *tp < 1 || *tp > kMaxWriters) return std::nullopt;
    const int64_t pp = std::clamp<int64_t>(numberAt(info, "pp_size").value_or(1), 1, kMaxWriters);
    const int64_t dp = std::clamp<int64_t>(numberAt(info, "dp_size").value_or(1), 1, kMaxWriters);
    const int64_t count = *tp * pp * (boolAt(info, "enable_dp_attention") ? 1 : dp);
    return count <= kMaxWriters ? std::optional(count) : std::nullopt;
}

} // namespace

std::string_view ServerIdentity::nextPath() const
{
    return m_step < kPaths.size() ? kPaths[m_step] : std::string_view();
}

void ServerIdentity::take(const HttpAnswer& answer)
{
    const size_t step = m_step++;
    if (answer.status == 401 || answer.status == 403) ++m_refused;
    if (answer.status == 503) ++m_notReady;
    if (answer.status != 200) return;
    if (step < kServerInfoStep) {
        takeWorkers(answer, step == 1);
    } else if (step < kVersionStep) {
        takeServerInfo(answer);
    } else {
        const Json object = jsonFromPeer(answer.body);
        if (isTextAt(object, "version") && (!m_facts || m_facts->kind == ServerKind::vllm)) {
            if (!m_facts) m_facts.emplace();
            m_facts->version = printable(textAt(object, "version").substr(0, 80));
        }
    }
}

void ServerIdentity::takeWorkers(const HttpAnswer& answer, bool isOldList)
{
    const Json object = jsonFromPeer(answer.body);
    const Json& list = listAt(object, isOldList ? "urls" : "workers");
    if (!object.is_object() || !object.contains(isOldList ? "urls" : "workers")) return;
    m_isRouter = true;
    for (const Json& item : list) {
        std::string url = isOldList ? (item.is_string() ? item.get<std::string>() : "") : textAt(item, "url");
        // A router that is aware of data parallelism lists http://host:port@RANK for each rank.
        if (const size_t at = url.rfind('@');
            at != url.npos && parseInt(std::string_view(url).substr(at + 1)))
            url.erase(at);
        const auto checked = checkedServerUrl(url);
        if (!checked) {
            m_problem = "the router lists the worker '" + printable(url.substr(0, 200)) +
                        "', which has no HTTP address";
        } else if (std::ranges::find(m_workers, *checked) == m_workers.end()) {
            m_workers.push_back(*checked);
        }
    }
    if (m_workers.empty() && m_problem.empty()) m_problem = "the router has no workers";
    end();
}

void ServerIdentity::takeServerInfo(const HttpAnswer& answer)
{
    const Json info = jsonFromPeer(answer.body);
    if (!info.is_object()) return;
    if (info.contains("prefill") && info.contains("decode") && !info.contains("tp_size")) {
        m_isRouter = true;
        m_problem =
            "this load balancer for prefill and decode servers does not list their addresses; give the "
            "addresses of the servers themselves";
        return end();
    }
    if (info.contains("vllm_config")) {
        m_facts.emplace();
        m_step = kVersionStep;
        return;
    }
    if (!info.contains("tp_size") && !info.contains("internal_states")) return;
    m_facts.emplace();
    m_facts->kind = ServerKind::sglang;
    m_facts->version = printable(textAt(info, "version").substr(0, 80));
    m_facts->writers = schedulersOf(info);
    m_facts->nodes = std::clamp<int64_t>(numberAt(info, "nnodes").value_or(1), 1, kMaxWriters);
    end();
}

Result<ServerFacts> ServerIdentity::facts() const
{
    if (!m_problem.empty()) return makeError(ErrorKind::notFound, m_problem);
    if (m_forced) {
        ServerFacts facts = m_facts && m_facts->kind == *m_forced ? *m_facts : ServerFacts();
        facts.kind = *m_forced;
        return facts;
    }
    if (m_facts) return *m_facts;
    if (m_refused > 0)
        return makeError(ErrorKind::remote, "the server requires a key; " + std::string(kServerKeyRemedy));
    if (m_notReady > 0)
        return makeError(ErrorKind::remote, "the server is not ready yet (HTTP 503); try again later");
    return makeError(
        ErrorKind::notFound,
        "neither vLLM nor SGLang was recognized by the answers to /server_info and /version; check "
        "the port, or give the kind with --server vllm or --server sglang");
}

} // namespace lockstep
