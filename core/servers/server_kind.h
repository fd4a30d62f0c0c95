// SPDX-License-Identifier: Apache-2.0
// ServerKind is the program of an inference server whose profiler Lockstep can start over HTTP. Session files
// and --server contain the names. Sources of all facts in this folder: the stored sources of vLLM
// (entrypoints/serve/profile, config/profiler.py, profiler/wrapper.py, v1/metrics/loggers.py) and SGLang
// (entrypoints/http_server.py, managers/scheduler_profiler_mixin.py, utils/profile_utils.py). Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep {

enum class ServerKind : uint8_t { vllm, sglang };

// Returns "vLLM" or "SGLang", for messages.
constexpr std::string_view serverKindLabel(ServerKind kind)
{
    return kind == ServerKind::vllm ? "vLLM" : "SGLang";
}

// Returns the kind for the spelling in session files and options.
constexpr std::optional<ServerKind> serverKindNamed(std::string_view name)
{
    if (name == "vllm") return ServerKind::vllm;
    if (name == "sglang") return ServerKind::sglang;
    return std::nullopt;
}

} // namespace lockstep
