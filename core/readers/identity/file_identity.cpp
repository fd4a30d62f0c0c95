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

namespace lockstep {

namespace {

using Parts = std::vector<std::string_view>;

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

Parts split(std::string_view text, char separator)
{
    Parts parts;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Parses the whole text as `literal` followed by a number.
std::optional<int64_t> wholeNumberAfter(std::string_view text, std::string_view literal)
{
    NameScan scan(text);
    const auto number = scan.takeNumberAfter(literal);
    return scan.isAtEnd() ? number : std::nullopt;
}

// Returns true for YYYYmmddHHMMSSmmm.
bool isTimestamp(std::string_view text)
{
    return text.size() == 17 && NameScan(text).digitCount() == 17;
}

// [role_][host_]worker_process_<pid>[.<capture>]: Ray's own name, with the prefix that verl adds when it
// moves the file. The prefix is not sanitized. A host has no '_', so everything before it is the role. A file
// can be renamed or copied, so the host is only a guess that does not make clocks shared.
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

// [role_][scope_][step<N>_]rank<r>[-of-<w>][_tp0-pp1]_pid<pid>_<stamp>[_mb2-3|_part1|_cycle0]: verl 0.9 and
// later. Every part is sanitized, so '_' is a reliable separator.
bool matchVerlTorch(std::string_view stem, std::string_view source, Identity& out)
{
    const Parts parts = split(stem, '_');
    for (size_t i = 0; i < parts.size(); ++i) {
        NameScan scan(parts[i]);
        const auto rank = scan.takeNumberAfter("rank");
        const auto world = scan.takeNumberAfter("-of-");
        if (!rank || !scan.isAtEnd()) continue;
        size_t at = i + 1;
        while (at < parts.size() && !wholeNumberAfter(parts[at], "pid"))
            ++at;
        if (at + 1 >= parts.size() || !isTimestamp(parts[at + 1])) return false;
        state(out.rank, rank, source);
        state(out.worldSize, world, source);
        state(out.pid, wholeNumberAfter(parts[at], "pid"), source);
        state(out.tool, "torch", source);
        size_t words = i;
        if (words > 0 && wholeNumberAfter(parts[words - 1], "step")) {
            state(out.step, wholeNumberAfter(parts[--words], "step"), source);
        }
        if (words >= 1) state(out.role, normalizedRole(parts[0]), source);
        if (words >= 2) state(out.stage, normalizedRole(parts[1]), source);
        return true;
    }
    return false;
}

// [prefix_]prof_rank-<r>[_<pid>_<stamp>]: verl 0.7 and 0.8. prof_start_<a>_end_<b>_rank_<r>: verl up to
// 0.6.1.
bool matchVerlProf(std::string_view stem, std::string_view source, Identity& out)
{
    NameScan old(stem);
    const auto first = old.takeNumberAfter("prof_start_");
    const auto last = old.takeNumberAfter("_end_");
    const auto oldRank = old.takeNumberAfter("_rank_");
    if (oldRank && old.isAtEnd()) {
        state(out.rank, oldRank, source);
        if (first == last) state(out.step, first, source);
        state(out.tool, "torch", source);
        return true;
    }
    constexpr std::string_view kWord = "prof_rank-";
    const size_t at = stem.rfind(kWord);
    if (at == std::string_view::npos || (at > 0 && stem[at - 1] != '_')) return false;
    NameScan scan(stem.substr(at + kWord.size()));
    const auto rank = scan.takeNumber();
    const auto pid = scan.takeNumberAfter("_");
    if (!rank || (pid && !(scan.take("_") && isTimestamp(scan.rest()))) || (!pid && !scan.isAtEnd()))
        return false;
    state(out.rank, rank, source);
    state(out.pid, pid, source);
    state(out.tool, "torch", source);
    if (at > 0) state(out.role, normalizedRole(stem.substr(0, at - 1)), source);
    return true;
}

bool matchTorchMemory(std::string_view stem, std::string_view source, Identity& out)
{
    NameScan scan(stem);
    const auto rank = scan.takeNumberAfter("torch_memory_rank");
    const auto pid = scan.takeNumberAfter("_pid");
    if (!rank || !pid || !scan.isAtEnd()) return false;
    state(out.rank, rank, source);
    state(out.pid, pid, source);
    state(out.tool, "torch_memory", source);
    return true;
}

// <worker>_<a>:<b>_<pid>[.<n>]: NeMo RL, steps a to b - 1. The colon may have been replaced when the file was
// copied.
bool matchNemoRl(std::string_view stem, std::string_view source, Identity& out)
{
    const size_t dot = stem.rfind('.');
    std::optional<int64_t> capture;
    if (dot != std::string_view::npos) {
        capture = wholeNumberAfter(stem.substr(dot), ".");
        if (!capture) return false;
        stem = stem.substr(0, dot);
    }
    const size_t pidAt = stem.rfind('_');
    if (pidAt == std::string_view::npos || pidAt == 0) return false;
    const size_t rangeAt = stem.rfind('_', pidAt - 1);
    if (rangeAt == std::string_view::npos || rangeAt == 0) return false;
    NameScan range(stem.substr(rangeAt + 1, pidAt - rangeAt - 1));
    const auto first = range.takeNumber();
    const bool hasColon = range.take(":");
    if (!first || (!hasColon && !range.take("-"))) return false;
    const auto end = range.takeNumber();
    const auto pid = wholeNumberAfter(stem.substr(pidAt), "_");
    const std::string_view worker = stem.substr(0, rangeAt);
    const bool isWorker = worker.ends_with("_worker") || worker.find("_worker_v") != std::string_view::npos;
    if (!end || !range.isAtEnd() || !pid || *first >= *end || !isWorker) return false;
    state(out.role, worker, source);
    state(out.pid, pid, source);
    state(out.captureIndex, capture, source);
    state(out.tool, "nsys", source);
    if (*end == *first + 1) state(out.step, first, source);
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
    const Parts parts = split(text, '_');
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
    if (isDated || !number) return true;
    // The user chose the name of the worker: worker0_step_12.
    if (worker.substr(0, cut).ends_with("_step")) {
        if (*number < 1'000'000'000)
            out.step.learn(static_cast<int>(*number), std::string(source), Confidence::guessed);
    } else if (mayBeHost(worker.substr(0, cut))) {
        out.pid.learn(*number, std::string(source), Confidence::guessed);
        out.host.learn(std::string(worker.substr(0, cut)), std::string(source), Confidence::guessed);
    }
    return true;
}

// rollout-replica<r>[-globalrank<g>]_<engine's own name>: verl uses these names when it moves rollout traces.
bool matchVerlRollout(std::string_view stem, std::string_view source, Identity& out)
{
    NameScan scan(stem);
    const auto replica = scan.takeNumberAfter("rollout-replica");
    const auto global = scan.takeNumberAfter("-globalrank");
    if (!replica || !scan.take("_")) return false;
    state(out.replica, replica, source);
    state(out.rank, global, source);
    state(out.role, "rollout", source);
    if (!matchSglang(scan.rest(), source, out)) matchTensorboard(scan.rest(), source, out);
    state(out.tool, "torch", source);
    return true;
}

// `ray timeline` and verl's timeline_json_file contain the tasks of the entire cluster, so they have no rank.
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

// "rank3", "rank_3", "rank-3" anywhere between separators; also local_rank, step and pid. Users write such
// names after -o.
bool matchWords(std::string_view stem, std::string_view source, Identity& out)
{
    constexpr std::string_view kLocal = "local_";
    const auto find = [&](std::string_view word, auto& field) {
        for (size_t at = stem.find(word); at != std::string_view::npos; at = stem.find(word, at + 1)) {
            if (at > 0 && std::isalnum(static_cast<unsigned char>(stem[at - 1]))) continue;
            if (stem.substr(0, at).ends_with(kLocal)) continue;
            NameScan scan(stem.substr(at + word.size()));
            if (!scan.take("_")) scan.take("-");
            const auto number = scan.takeNumber();
            if (!number || *number > 1'000'000'000) continue;
            if (!scan.isAtEnd() && std::isalnum(static_cast<unsigned char>(scan.rest()[0]))) continue;
            using Number = typename std::remove_reference_t<decltype(field.value)>::value_type;
            field.learn(static_cast<Number>(*number), std::string(source), Confidence::guessed);
            return;
        }
    };
    find("rank", out.rank);
    find("local_rank", out.localRank);
    find("step", out.step);
    find("pid", out.pid);
    return out.rank.isKnown() || out.localRank.isKnown() || out.step.isKnown();
}

constexpr std::array<FileNaming, 11> kNamings{{
    {"file name (Ray nsys)", "actor_rollout_ref_node03_worker_process_81231.2", matchRayNsys},
    {"file name (verl torch)", "value-model_step5_rank0-of-8_pid9_20260822143501123", matchVerlTorch},
    {"file name (verl torch before 0.9)", "e2e_prof_rank-3_81231_20260822143501123", matchVerlProf},
    {"file name (torch_memory)", "torch_memory_rank8_pid81231", matchTorchMemory},
    {"file name (verl rollout)", "rollout-replica4-globalrank8_1755871501.25-TP-0.trace", matchVerlRollout},
    {"file name (NeMo RL)", "dtensor_policy_worker_3:5_4711", matchNemoRl},
    {"file name (SGLang)", "1755871501.25-TP-3.trace", matchSglang},
    {"file name (tensorboard handler)", "gpu-07_4242.1755871501123456789.pt.trace", matchTensorboard},
    {"file name (Ray timeline)", "ray_timeline_2026", matchRayTimeline},
    {"file name (Kineto)", "libkineto_activities_44144", matchKineto},
    {"file name", "report_rank3_step7", matchWords},
}};

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

std::span<const FileNaming> fileNamings()
{
    return kNamings;
}

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
    if (out == "value_model") return "critic";
    return out == "reward_model" ? "reward" : out;
}

Identity identityFromPath(const std::filesystem::path& path)
{
    Identity out;
    const std::string name = path.filename().string();
    const std::string_view stem = fileStem(name);
    for (const FileNaming& naming : kNamings) {
        if (naming.match(stem, naming.name, out)) break;
    }
    learnToolFromSuffix(name, out);
    learnFromFolders(path, out);
    return out;
}

} // namespace lockstep
