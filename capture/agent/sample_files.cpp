// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/sample_files.h"

#include <algorithm>

#include "core/base/json_keys.h"

namespace lockstep::agent {

std::span<const std::vector<std::string_view>> sampleKeys()
{
    static const std::vector<std::vector<std::string_view>> kKeys{
        {"resourceSpans"},                                // OTLP
        {"session_id", "submit_ts"},                      // AReaL sessions
        {"request_parameters", "id", "finish_reason"},    // SGLang requests
        {"step", "data"},                                 // verl metrics
        {"cache_version", "pt_path"},                     // slime timeline
        {"log_type_name", "seq_id"},                      // TorchTitan
        {"ts", "kind", "sample_index", "weight_version"}, // miles, here and below
        {"name", "t0", "t1", "role"},
        {"ts", "engines"},
        {"ts", "length"},
        {"ts", "node", "gpu", "util"},
        {"ts", "node", "gpu", "pid", "mem_mb"},
        {"ts", "addr", "metric", "value"},
        {"ts", "step_key", "metrics"}};
    return kKeys;
}

bool isSampleRecords(std::string_view text)
{
    const std::vector<std::string_view> keys = firstKeys(text);
    return !keys.empty() && std::ranges::any_of(sampleKeys(), [&](const auto& format) {
        return std::ranges::all_of(
            format, [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); });
    });
}

bool isRecordLine(std::string_view line)
{
    if (!line.starts_with('{') && !line.starts_with("\xEF\xBB\xBF{")) return false;
    const size_t last = line.find_last_not_of(" \t\r\n");
    if (line[last] != '}') return false;
    const std::vector<std::string_view> keys = firstKeys(line);
    const auto has = [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
    return isSampleRecords(line) || (has("ph") && has("ts"));
}

// The first entry of the archive is FOLDER/data.pkl, whose pickle begins with the key rollout_id.
bool isRolloutDump(std::string_view head)
{
    constexpr size_t kEntryHead_bytes = 30, kNameLength = 26;
    if (!head.starts_with("PK\x03\x04") || head.size() < kEntryHead_bytes) return false;
    const auto byteAt = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(head[at])); };
    const size_t name_bytes = byteAt(kNameLength) + 256 * byteAt(kNameLength + 1);
    return head.substr(kEntryHead_bytes, name_bytes).ends_with("/data.pkl") &&
           head.find("rollout_id") != std::string_view::npos &&
           head.find("samples") != std::string_view::npos;
}

} // namespace lockstep::agent
