// SPDX-License-Identifier: Apache-2.0
#include "core/servers/server_requests.h"

#include <algorithm>
#include <cmath>

#include "core/base/peer_json.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kStepSeries = "vllm:iteration_tokens_total_count";
constexpr size_t kMaxSeries = 10'000;
constexpr size_t kLongestDetail = 300;

// Returns the server's own explanation in one line, or "".
std::string detailOf(const HttpAnswer& answer)
{
    const Json object = jsonFromPeer(answer.body);
    std::string text = textAt(object, "detail");
    if (text.empty()) text = textAt(object, "message");
    if (text.empty()) text = textAt(objectAt(object, "error"), "message");
    if (text.empty() && object.is_discarded() && !answer.body.starts_with("<"))
        text = answer.body.substr(0, answer.body.find('\n'));
    if (text == "Internal Server Error" || text == "Not Found") return {};
    return printable(text.substr(0, kLongestDetail));
}

Error problemWith(std::string message, const HttpAnswer& answer, const std::string& remedy)
{
    message += " (HTTP " + std::to_string(answer.status) + ")";
    if (const std::string detail = detailOf(answer); !detail.empty()) message += ": " + detail;
    return {ErrorKind::remote, message + "; " + remedy, HelpTopic::servers};
}

// Returns the two leading numbers of a version, or nullopt.
std::optional<std::pair<int64_t, int64_t>> versionOf(std::string_view text)
{
    const size_t dot = text.find('.');
    if (dot == text.npos) return std::nullopt;
    const auto major = parseInt(text.substr(0, dot));
    const auto minor =
        parseInt(text.substr(dot + 1, text.find_first_not_of("0123456789", dot + 1) - dot - 1));
    if (!major || !minor) return std::nullopt;
    return std::pair(*major, *minor);
}

// Returns how to enable profiling in this version of vLLM. ProfilerConfig exists since 0.13; the variables
// are read until 0.14 (config/profiler.py).
std::string vllmRemedy(const std::string& version)
{
    const std::string option =
        R"(--profiler-config '{"profiler": "torch", "torch_profiler_dir": "/absolute/folder"}')";
    const std::string variable = "VLLM_TORCH_PROFILER_DIR=/absolute/folder";
    const auto parts = versionOf(version);
    if (!parts)
        return "restart it with " + option + " (vLLM 0.13 and later) or with " + variable + " (earlier)";
    return "restart it with " + (*parts >= std::pair<int64_t, int64_t>(0, 13) ? option : variable);
}

std::optional<Error> commonProblem(const HttpAnswer& answer)
{
    if (answer.status == 401 || answer.status == 403)
        return problemWith("the server requires a key", answer, std::string(kServerKeyRemedy));
    if (answer.status == 503) return problemWith("the server is not ready", answer, "try again later");
    return std::nullopt;
}

} // namespace

HttpRequest startProfileRequest(ServerKind kind, const ServerRecording& recording, const std::string& folder)
{
    if (kind == ServerKind::vllm) return {"POST", "/start_profile", {}};
    Json body = Json::object();
    if (!folder.empty()) body["output_dir"] = folder;
    if (recording.steps) body["num_steps"] = *recording.steps;
    if (recording.isByStage) body["profile_by_stage"] = true;
    return {"POST", "/start_profile", jsonLine(body)};
}

HttpRequest stopProfileRequest(ServerKind)
{
    return {"POST", "/stop_profile", {}};
}

bool stopsByItself(ServerKind kind, const ServerRecording& recording)
{
    return kind == ServerKind::sglang && recording.steps.has_value();
}

std::optional<Error> startProblem(const ServerFacts& facts, const HttpAnswer& answer)
{
    if (answer.status == 200) return std::nullopt;
    if (auto common = commonProblem(answer)) return common;
    const bool isVllm = facts.kind == ServerKind::vllm;
    if (answer.status == 404 && isVllm)
        return problemWith("the server was started without a profiler, so it has no /start_profile", answer,
                           vllmRemedy(facts.version));
    if (isVllm)
        return problemWith("vLLM did not start the profiler", answer,
                           "see the server's log; if it says that profiling is not enabled, " +
                               vllmRemedy(facts.version));
    if (answer.status == 500)
        return problemWith("SGLang did not start the profiler", answer,
                           "see the server's log: a recording may already be in progress (stop it with POST "
                           "/stop_profile); with SGLANG_PROFILE_V2, use --by-stage");
    return problemWith("SGLang did not start the profiler", answer, "see the server's log");
}

std::optional<Error> stopProblem(const ServerFacts& facts, const HttpAnswer& answer)
{
    if (answer.status == 200) return std::nullopt;
    if (auto common = commonProblem(answer)) return common;
    if (meansNotRecording(facts.kind, answer))
        return problemWith("SGLang did not stop the profiler", answer,
                           "see the server's log: no recording was in progress, or writing it failed");
    return problemWith(std::string(serverKindLabel(facts.kind)) + " did not stop the profiler", answer,
                       "see the server's log; the recording may be incomplete");
}

bool meansNotRecording(ServerKind kind, const HttpAnswer& answer)
{
    return kind == ServerKind::sglang && answer.status == 500;
}

StepCounts stepCountsFrom(std::string_view metrics)
{
    StepCounts counts;
    for (size_t begin = 0; begin < metrics.size();) {
        const size_t end = std::min(metrics.find('\n', begin), metrics.size());
        const std::string_view line = metrics.substr(begin, end - begin);
        begin = end + 1;
        if (!line.starts_with(kStepSeries) || counts.size() >= kMaxSeries) continue;
        // NAME{labels} VALUE; the value of a label may contain spaces and braces.
        const size_t close = line.rfind('}');
        const size_t gap = close == line.npos ? kStepSeries.size() : close + 1;
        const std::string_view labels = line.substr(kStepSeries.size(), gap - kStepSeries.size());
        if (gap >= line.size() || line[gap] != ' ' || (!labels.empty() && labels.front() != '{')) continue;
        const std::string_view rest = line.substr(gap + 1);
        const auto value = parseDouble(rest.substr(0, rest.find(' ')));
        if (value && *value >= 0) counts[std::string(labels)] = *value;
    }
    return counts;
}

int64_t stepsBetween(const StepCounts& before, const StepCounts& after)
{
    double most = 0;
    for (const auto& [series, count] : after) {
        const auto old = before.find(series);
        const double start = old == before.end() ? 0 : old->second;
        most = std::max(most, count >= start ? count - start : count); // smaller: the server was restarted
    }
    return static_cast<int64_t>(std::min(most, 9e15));
}

} // namespace lockstep
