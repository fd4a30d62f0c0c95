// SPDX-License-Identifier: Apache-2.0
#include "core/readers/identity/file_identity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/report_formats.h"
#include "core/base/text.h"
#include "core/readers/identity/folder_identity.h"
#include "core/readers/identity/name_scan.h"
#include "core/session/recipes/framework_names.h"

namespace lockstep {

namespace {

template<class T>
void state(Sourced<T>& field, std::optional<int64_t> value, std::string_view source)
{
    constexpr int64_t kLargest = sizeof(T) == 4 ? 1'000'000'000 : INT64_MAX;
    if (value && *value <= kLargest)
        field.learn(static_cast<T>(*value), std::string(source), Confidence::stated);
}

void state(Sourced<std::string>& field, std::string_view value, std::string_view source)
{
    if (!value.empty()) field.learn(std::string(value), std::string(source), Confidence::stated);
}

// Parses the whole text as `literal` followed by a number.
std::optional<int64_t> wholeNumberAfter(std::string_view text, std::string_view literal)
{
    NameScan scan(text);
    const auto number = scan.takeNumberAfter(literal);
    return scan.isAtEnd() ? number : std::nullopt;
}

// [role_][host_]worker_process_<pid>[.<capture>]: Ray's own name, with the prefix that a framework adds when
// it moves the file. A host has no '_', so everything before it is the role. A file can be renamed or copied,
// so the host is only a guess that does not make clocks shared.
bool matchRayNsys(std::string_view stem, std::string_view source, Identity& out)
{
    constexpr std::string_view kWord = "worker_process_";
    const size_t at = stem.rfind(kWord);
    if (at == std::string_view::npos || (at > 0 && stem[at - 1] != '_')) return false;
    NameScan scan(stem.substr(at + kWord.size()));
    const auto pid = scan.takeNumber();
    const auto capture = scan.takeNumberAfter(".");
    if (!pid || !scan.isAtEnd()) return false;
    state(out.pid, pid, source);
    state(out.captureIndex, capture, source);
    state(out.tool, "nsys", source);
    if (at == 0) return true;
    const std::string_view prefix = stem.substr(0, at - 1);
    const size_t cut = prefix.rfind('_');
    const std::string_view host = cut == std::string_view::npos ? prefix : prefix.substr(cut + 1);
    out.host.learn(std::string(host), std::string(source), Confidence::guessed);
    if (cut != std::string_view::npos) state(out.role, normalizedRole(prefix.substr(0, cut)), source);
    return true;
}

// [<stage>-]<time>-TP-<tp>[-DP-n][-PP-n][-EP-n]...trace: SGLang's engine. Its tensor-parallel rank is the
// position in the replica unless the name contains other dimensions. Each data-parallel rank is a separate
// engine, and every engine numbers its processes from rank 0.
bool matchSglang(std::string_view stem, std::string_view source, Identity& out)
{
    const size_t at = stem.find("-TP-");
    if (at == std::string_view::npos || !stem.ends_with(".trace")) return false;
    NameScan scan(stem.substr(at + 4));
    const auto tp = scan.takeNumber();
    if (!tp) return false;
    const std::string_view before = stem.substr(0, at);
    const size_t dash = before.rfind('-');
    const std::string_view time = dash == std::string_view::npos ? before : before.substr(dash + 1);
    if (time.empty() || time.find_first_not_of("0123456789.") != std::string_view::npos) return false;
    const std::string_view rest = scan.rest();
    const bool hasOthers = rest.starts_with("-DP-") || rest.starts_with("-PP-") || rest.starts_with("-EP-");
    if (!hasOthers) state(out.replicaRank, tp, source);
    if (scan.take("-DP-")) state(out.replica, scan.takeNumber(), source);
    if (dash != std::string_view::npos) state(out.stage, before.substr(0, dash), source);
    state(out.tool, "torch", source);
    return true;
}

// Returns the rank at the end of a worker's name: 3 for "w-rank-3" and "graph_capture_rank_3", 2 for
// "ep0_rank2".
std::optional<int64_t> rankAtEnd(std::string_view worker)
{
    const size_t at = worker.rfind("rank");
    if (at == std::string_view::npos) return std::nullopt;
    if (at > 0 && std::isalnum(static_cast<unsigned char>(worker[at - 1]))) return std::nullopt;
    NameScan scan(worker.substr(at + 4));
    if (!scan.take("_")) scan.take("-");
    const auto rank = scan.takeNumber();
    return scan.isAtEnd() ? rank : std::nullopt;
}

// Returns true for Jul_15_10_52_41, i.e. strftime's %b_%d_%H_%M_%S.
bool isDateTime(std::string_view text)
{
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::vector<std::string_view> parts = splitAt(text, '_');
    if (parts.size() != 5 || std::ranges::find(kMonths, parts[0]) == kMonths.end()) return false;
    return std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
        return part.size() == 2 && NameScan(part).digitCount() == 2;
    });
}

// Returns true if the text before "_<number>" may be a host. Host names have no '_', and common worker names
// are excluded.
bool mayBeHost(std::string_view word)
{
    constexpr std::array<std::string_view, 9> kWords{"worker", "rank",  "step",  "gpu",    "trace",
                                                     "iter",   "epoch", "train", "profile"};
    if (word.empty() || std::ranges::find(kWords, lowerAscii(word)) != kWords.end()) return false;
    return std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    });
}

// "rank3", "rank_3", "rank-3", "rank=3", "rank3of8" anywhere between separators; also local_rank, step, pid,
// and worker for the rank. Users write such names.
bool matchWords(std::string_view stem, std::string_view source, Identity& out)
{
    constexpr std::string_view kLocal = "local_";
    const auto find = [&](std::string_view word, auto& field) {
        for (size_t at = stem.find(word); at != std::string_view::npos; at = stem.find(word, at + 1)) {
            if (at > 0 && std::isalnum(static_cast<unsigned char>(stem[at - 1]))) continue;
            if (stem.substr(0, at).ends_with(kLocal)) continue;
            NameScan scan(stem.substr(at + word.size()));
            if (!scan.take("_") && !scan.take("-")) scan.take("=");
            const auto number = scan.takeNumber();
            if (!number || *number > 1'000'000'000) continue;
            if (const auto world = scan.takeNumberAfter("of"); world && *world <= 1'000'000'000)
                out.worldSize.learn(static_cast<int>(*world), std::string(source), Confidence::guessed);
            if (!scan.isAtEnd() && std::isalnum(static_cast<unsigned char>(scan.rest()[0]))) continue;
            using Number = typename std::remove_reference_t<decltype(field.value)>::value_type;
            field.learn(static_cast<Number>(*number), std::string(source), Confidence::guessed);
            return;
        }
    };
    find("rank", out.rank);
    if (!out.rank.isKnown()) find("worker", out.rank);
    find("local_rank", out.localRank);
    find("step", out.step);
    find("pid", out.pid);
    return out.rank.isKnown() || out.localRank.isKnown() || out.step.isKnown();
}

// <worker>.<ns>.pt.trace: torch's tensorboard handler. The worker is {host}_{pid} by default. This cannot be
// distinguished from a name that a user chose, so both are guesses. vLLM names the worker "...-rank-<k>" or
// "..._dp0_pp0_tp0_dcp0_ep0_rank<k>". <worker>.<date>.<pid>.pt.trace: handlers that use their own date
// format.
bool matchTensorboard(std::string_view stem, std::string_view source, Identity& out)
{
    constexpr std::string_view kSuffix = ".pt.trace";
    constexpr size_t kTimestampDigits = 10; // seconds since 1970, or a finer unit
    if (!stem.ends_with(kSuffix)) return false;
    stem.remove_suffix(kSuffix.size());
    const size_t dot = stem.rfind('.');
    const auto last = dot == std::string_view::npos ? std::nullopt : wholeNumberAfter(stem.substr(dot), ".");
    if (!last) return false;
    std::string_view worker = stem.substr(0, dot);
    const size_t date = worker.rfind('.');
    const bool isDated = date != std::string_view::npos && isDateTime(worker.substr(date + 1));
    if (!isDated && stem.size() - dot - 1 < kTimestampDigits) return false;
    if (isDated) {
        worker = worker.substr(0, date);
        out.pid.learn(*last, std::string(source), Confidence::guessed);
    }
    state(out.tool, "torch", source);
    if (const auto rank = rankAtEnd(worker)) {
        state(out.replicaRank, rank, source);
        return true;
    }
    const size_t cut = worker.rfind('_');
    const auto number =
        cut == std::string_view::npos ? std::nullopt : wholeNumberAfter(worker.substr(cut), "_");
    if (!isDated && number && mayBeHost(worker.substr(0, cut))) {
        out.pid.learn(*number, std::string(source), Confidence::guessed);
        out.host.learn(std::string(worker.substr(0, cut)), std::string(source), Confidence::guessed);
    } else {
        matchWords(worker, source, out); // the user chose the name of the worker: worker0_step_12
    }
    return true;
}

// The output of `ray timeline` contains the tasks of the entire cluster, so it has no rank.
bool matchRayTimeline(std::string_view stem, std::string_view source, Identity& out)
{
    if (!stem.starts_with("ray_timeline") && !stem.starts_with("ray-timeline")) return false;
    state(out.tool, "ray", source);
    return true;
}

// kineto_3 contains a rank (Chakra's converter), and libkineto_activities_44144 contains a pid (dynolog).
bool matchKineto(std::string_view stem, std::string_view source, Identity& out)
{
    constexpr int64_t kMaxRanks = 1 << 24;
    const auto pid = wholeNumberAfter(stem, "libkineto_activities_");
    const auto rank = wholeNumberAfter(stem, "kineto_");
    if (!pid && (!rank || *rank >= kMaxRanks)) return false;
    state(out.tool, "torch", source);
    if (pid) state(out.pid, pid, source);
    if (rank) out.rank.learn(static_cast<int>(*rank), std::string(source), Confidence::guessed);
    return true;
}

using Match = bool (*)(std::string_view stem, std::string_view source, Identity& out);

// The names that tools give their files, whichever framework they profile.
constexpr std::array<std::pair<std::string_view, Match>, 6> kToolSchemes{{
    {"file name (Ray nsys)", matchRayNsys},
    {"file name (SGLang)", matchSglang},
    {"file name (tensorboard handler)", matchTensorboard},
    {"file name (Ray timeline)", matchRayTimeline},
    {"file name (Kineto)", matchKineto},
    {"file name", matchWords},
}};

// The step of a file with several steps is not known.
void stateSteps(const Pattern::Groups& groups, std::string_view source, Identity& out)
{
    state(out.step, parseInt(groups["step"]), source);
    const auto first = parseInt(groups["first_step"]);
    const auto last = parseInt(groups["last_step"]), end = parseInt(groups["end_step"]);
    if (first && (first == last || (end && *first == *end - 1))) state(out.step, first, source);
}

bool matchScheme(const FileNameScheme& scheme, std::string_view stem, Identity& out)
{
    const auto groups = scheme.pattern.fullMatch(stem);
    if (!groups) return false;
    const std::string_view source = scheme.source;
    const auto first = parseInt((*groups)["first_step"]), end = parseInt((*groups)["end_step"]);
    if (first && end && *first >= *end) return false;
    stateSteps(*groups, source, out);
    state(out.rank, parseInt((*groups)["rank"]), source);
    state(out.worldSize, parseInt((*groups)["world"]), source);
    state(out.replica, parseInt((*groups)["replica"]), source);
    state(out.replicaRank, parseInt((*groups)["replica_rank"]), source);
    state(out.pid, parseInt((*groups)["pid"]), source);
    state(out.captureIndex, parseInt((*groups)["capture"]), source);
    state(out.role, normalizedRole((*groups)["role"]), source);
    state(out.role, scheme.role, source);
    state(out.stage, normalizedRole((*groups)["stage"]), source);
    if (const std::string_view rest = (*groups)["rest"]; !rest.empty()) {
        std::ranges::any_of(kToolSchemes, [&](const auto& tool) {
            return tool.second != matchWords && tool.second(rest, source, out);
        });
    }
    state(out.tool, scheme.tool, source);
    return true;
}

void learnToolFromSuffix(std::string_view fileName, Identity& out)
{
    const ReportFormat* const format = formatOfFile(fileName);
    if (format != nullptr && format->impliesTool)
        out.tool.learn(std::string(format->tool), "file suffix", Confidence::guessed);
}

// Removes the last suffix if it only identifies the format; ".raw" marks an intermediate file.
std::string_view withoutEnding(std::string_view fileName)
{
    const auto cut = [&](std::string_view ending) {
        const bool isThere = fileName.size() > ending.size() && fileName.ends_with(ending);
        if (isThere) fileName.remove_suffix(ending.size());
        return isThere;
    };
    if (std::ranges::any_of(kCompressionSuffixes, cut) || cut(".raw")) return fileName;
    for (const ReportFormat& format : reportFormats()) {
        if (std::ranges::any_of(format.suffixes, cut)) break;
    }
    return fileName;
}

} // namespace

std::string_view fileStem(std::string_view fileName)
{
    for (std::string_view rest; (rest = withoutEnding(fileName)) != fileName;)
        fileName = rest;
    return fileName;
}

std::string normalizedRole(std::string_view word)
{
    std::string out = lowerAscii(word);
    std::ranges::replace(out, '-', '_');
    if (out == "reward_model") return "reward";
    const auto& roles = frameworkNames().roles;
    const auto known = std::ranges::find(roles, out, &std::pair<std::string, std::string>::first);
    return known == roles.end() ? out : known->second;
}

Identity identityFromPath(const std::filesystem::path& path)
{
    Identity out;
    const std::string name = path.filename().string();
    const std::string_view stem = fileStem(name);
    const auto isOf = [&](const FileNameScheme& scheme) { return matchScheme(scheme, stem, out); };
    if (!std::ranges::any_of(frameworkNames().files, isOf)) {
        std::ranges::any_of(kToolSchemes,
                            [&](const auto& tool) { return tool.second(stem, tool.first, out); });
    }
    learnToolFromSuffix(name, out);
    learnFromFolders(path, out);
    return out;
}

} // namespace lockstep
