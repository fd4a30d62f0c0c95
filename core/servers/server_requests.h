// SPDX-License-Identifier: Apache-2.0
// Requests that start and stop the profilers of vLLM and SGLang, and what their answers mean. HTTP 200 never
// proves that anything is recorded: vLLM also sends it for a start that failed or was ignored, and SGLang for
// a second start. See server_files.h for the proof. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/servers/server_identity.h"

namespace lockstep {

// The variable with the key for servers that require one: the value of vLLM's --api-key, or of SGLang's
// --admin-api-key or --api-key. Sent as "Authorization: Bearer KEY"; never on a command line or in a message.
inline constexpr const char* kServerKeyVariable = "LOCKSTEP_SERVER_KEY";
inline constexpr std::string_view kServerKeyRemedy =
    "set it in the environment variable LOCKSTEP_SERVER_KEY (SGLang: the admin key)";

// What to record on every server.
struct ServerRecording {
    std::optional<int64_t> steps;  // forward steps of the engine
    std::optional<double> seconds; // maximum duration; without steps: the duration
    bool isByStage = false;        // SGLang: steps of prefill and of decode, in separate files
    friend bool operator==(const ServerRecording&, const ServerRecording&) = default;
};

struct HttpRequest {
    std::string method = "GET"; // GET or POST
    std::string path;
    std::string body; // JSON; empty = none

    friend bool operator==(const HttpRequest&, const HttpRequest&) = default;
};

// folder: SGLang's output_dir; empty = the server's default. vLLM's request has no fields.
HttpRequest startProfileRequest(ServerKind kind, const ServerRecording& recording, const std::string& folder);
HttpRequest stopProfileRequest(ServerKind kind);
// Returns true if the server itself ends the recording after the steps (SGLang's num_steps).
bool stopsByItself(ServerKind kind, const ServerRecording& recording);

// Returns why a start or stop failed, with the remedy; nullopt if the answer is a success. Error: remote.
std::optional<Error> startProblem(const ServerFacts& facts, const HttpAnswer& answer);
std::optional<Error> stopProblem(const ServerFacts& facts, const HttpAnswer& answer);
// Returns true if SGLang's answer to stop means that no recording is in progress. It raises RuntimeError
// ("Profiling is not in progress"), so the answer is HTTP 500, whose text does not contain the message.
bool meansNotRecording(ServerKind kind, const HttpAnswer& answer);

// Number of engine steps by series, from the text of vLLM's /metrics: the count of the histogram
// vllm:iteration_tokens_total, one series per engine. vLLM observes it once per engine step with output, so
// steps without output, such as parts of a chunked prefill, are not counted. Empty: the server does not
// report steps (for example --disable-log-stats).
using StepCounts = std::map<std::string, double>;
StepCounts stepCountsFrom(std::string_view metrics);
// Returns the steps of the engine that made most steps since `before`.
int64_t stepsBetween(const StepCounts& before, const StepCounts& after);

} // namespace lockstep
