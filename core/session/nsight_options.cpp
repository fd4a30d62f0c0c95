// SPDX-License-Identifier: Apache-2.0
#include "core/session/nsight_options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/report_formats.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kTrace = "cuda cuda-hw cuda-sw nvtx osrt cudnn cublas cublas-verbose cusolver "
                                    "cusolver-verbose cusparse cusparse-verbose cudla "
                                    "mpi nccl ucx oshmem openacc openmp openmp-annotations python-gil gds s3 "
                                    "syscall nvvideo opengl opengl-annotations "
                                    "vulkan vulkan-annotations tegra-accelerators none";
constexpr std::string_view kBool = "true false";
using enum NsightValueKind;

// name, letter, kind, values, default, since, until, replacement, remark
constexpr std::array kRules{
    NsightOptionRule{"trace",
                     "t",
                     list,
                     kTrace,
                     "cuda,opengl,nvtx,osrt",
                     {},
                     {},
                     "",
                     "tracing libraries has high overhead"},
    NsightOptionRule{"sample",
                     "s",
                     choice,
                     "process-tree system-wide none cpu",
                     "process-tree",
                     {},
                     {},
                     "",
                     "needs perf_event_paranoid 2 or lower"},
    NsightOptionRule{"cpuctxsw",
                     "",
                     choice,
                     "process-tree system-wide none",
                     "process-tree",
                     {},
                     {},
                     "",
                     "follows sample"},
    NsightOptionRule{"backtrace", "b", choice, "auto fp lbr dwarf none", "fp", {}, {}, "", ""},
    NsightOptionRule{"samples-per-backtrace", "", whole, "", "1", {}, {}, "", ""},
    NsightOptionRule{"capture-range",
                     "c",
                     choice,
                     "none cudaProfilerApi nvtx hotkey",
                     "none",
                     {},
                     {},
                     "",
                     "records nothing until the trigger"},
    NsightOptionRule{"capture-range-end",
                     "",
                     text,
                     "",
                     "stop-shutdown",
                     {},
                     {},
                     "",
                     "repeat-shutdown:N ends after N reports"},
    NsightOptionRule{"nvtx-capture", "p", text, "", "", {}, {}, "", "needs capture-range=nvtx"},
    NsightOptionRule{"nvtx-domain-include", "", text, "", "", {}, {}, "", ""},
    NsightOptionRule{"nvtx-domain-exclude", "", text, "", "", {}, {}, "", ""},
    NsightOptionRule{
        "cuda-graph-trace", "", text, "", "graph", {}, {}, "", "graph does not show kernels inside graphs"},
    NsightOptionRule{
        "cuda-memory-usage", "", choice, kBool, "false", {}, {}, "", "records allocation events"},
    NsightOptionRule{"cuda-event-trace", "", choice, "auto true false", "false", {2025, 1}, {}, "", ""},
    NsightOptionRule{"cuda-trace-all-apis", "", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{
        "cuda-trace-scope", "", choice, "process-tree system-wide", "process-tree", {2025, 1}, {}, "", ""},
    NsightOptionRule{"cuda-flush-interval", "", whole, "", "0", {}, {}, "", "milliseconds"},
    NsightOptionRule{"flush-on-cudaprofilerstop", "", choice, kBool, "true", {}, {}, "", ""},
    NsightOptionRule{"cudabacktrace", "", text, "", "none", {}, {}, "", "needs CPU sampling"},
    NsightOptionRule{"cuda-um-cpu-page-faults", "", choice, kBool, "false", {}, {}, "", "high overhead"},
    NsightOptionRule{"cuda-um-gpu-page-faults", "", choice, kBool, "false", {}, {}, "", "high overhead"},
    NsightOptionRule{"gpu-metrics-device",
                     "",
                     text,
                     "",
                     "none",
                     {},
                     {2024, 1},
                     "gpu-metrics-devices",
                     "needs access to GPU counters"},
    NsightOptionRule{
        "gpu-metrics-devices", "", text, "", "none", {2024, 2}, {}, "", "needs access to GPU counters"},
    NsightOptionRule{"gpu-metrics-frequency", "", whole, "", "10000", {}, {}, "", "10 to 200000 Hz"},
    NsightOptionRule{"gpu-metrics-set", "", text, "", "", {}, {}, "", ""},
    NsightOptionRule{"gpuctxsw", "", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"nic-metrics", "", choice, "lf hf hf-via-dts none true false", "none", {}, {}, "", ""},
    NsightOptionRule{"nccl-trace", "", text, "", "", {2025, 6}, {}, "", ""},
    NsightOptionRule{"pytorch",
                     "",
                     list,
                     "autograd-nvtx autograd-shapes-nvtx functions-trace functions-trace-shapes none",
                     "none",
                     {2024, 5},
                     {},
                     "",
                     ""},
    NsightOptionRule{"python-backtrace", "", choice, "cuda none", "none", {}, {}, "", ""},
    NsightOptionRule{"python-sampling", "", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"python-sampling-frequency", "", whole, "", "1000", {}, {}, "", "1 to 2000 Hz"},
    NsightOptionRule{"python-functions-trace", "", text, "", "", {}, {}, "", "a JSON file"},
    NsightOptionRule{"osrt-threshold", "", whole, "", "1000", {}, {}, "", "nanoseconds"},
    NsightOptionRule{"output", "o", text, "", "report#", {}, {}, "", "takes %q{VAR} %h %p"},
    NsightOptionRule{"force-overwrite", "f", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"export",
                     "",
                     list,
                     "sqlite hdf jsonlines arrow arrowdir parquetdir text none",
                     "none",
                     {},
                     {},
                     "",
                     ""},
    NsightOptionRule{"stats", "", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"duration", "d", whole, "", "", {}, {}, "", "seconds"},
    NsightOptionRule{"delay", "y", whole, "", "0", {}, {}, "", "seconds"},
    NsightOptionRule{"start-later", "Y", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"stop-on-exit", "x", choice, kBool, "true", {}, {}, "", ""},
    NsightOptionRule{"show-output", "w", choice, kBool, "true", {}, {}, "", ""},
    NsightOptionRule{"kill", "", text, "", "sigterm", {}, {}, "", "when the session ends before the program"},
    NsightOptionRule{"wait", "", choice, "primary all", "all", {}, {}, "", ""},
    NsightOptionRule{"session-new", "", text, "", "", {}, {}, "", ""},
    NsightOptionRule{"env-var", "e", text, "", "", {}, {}, "", ""},
    NsightOptionRule{"inherit-environment", "n", choice, kBool, "true", {}, {}, "", ""},
    NsightOptionRule{"discard-environment",
                     "",
                     choice,
                     kBool,
                     "false",
                     {2025, 1},
                     {},
                     "",
                     "keeps the environment out of the report"},
    NsightOptionRule{"trace-fork-before-exec", "", choice, kBool, "false", {}, {}, "", ""},
    NsightOptionRule{"resolve-symbols", "", choice, kBool, "true", {}, {}, "", "slows the import"},
    NsightOptionRule{"mpi-impl", "", choice, "openmpi mpich", "", {}, {}, "", ""},
    NsightOptionRule{"enable", "", text, "", "", {}, {}, "", "a plugin"},
    NsightOptionRule{"after-collection-start", "", text, "", "", {2026, 1}, {}, "", "a shell command"},
    NsightOptionRule{"after-report-ready", "", text, "", "", {2026, 1}, {}, "", "a shell command"},
};

bool hasWord(std::string_view words, std::string_view word)
{
    while (!words.empty()) {
        const size_t blank = std::min(words.find(' '), words.size());
        if (words.substr(0, blank) == word) return true;
        words.remove_prefix(std::min(blank + 1, words.size()));
    }
    return false;
}

std::string commaText(std::string_view words)
{
    std::string text;
    for (const char c : words)
        text += c == ' ' ? std::string(", ") : std::string(1, c);
    return text;
}

// Valid values: repeat[:N][:mode], repeat-shutdown:N[:mode], stop, stop-shutdown, none. Modes exist since the
// 2026 releases.
bool isCaptureRangeEnd(std::string_view value)
{
    if (hasWord("none stop stop-shutdown repeat", value) && !value.empty()) return true;
    const bool isShutdown = value.starts_with("repeat-shutdown:");
    if (!isShutdown && !value.starts_with("repeat:")) return false;
    std::string_view rest = value.substr(value.find(':') + 1);
    const std::string_view first = rest.substr(0, rest.find(':'));
    const std::optional<int64_t> count = parseInt(first);
    if (!count) return !isShutdown && hasWord("defer sync async", rest);
    if (*count < 1) return false;
    return first.size() == rest.size() || hasWord("defer sync async", rest.substr(first.size() + 1));
}

} // namespace

std::optional<NsysVersion> nsysVersion(std::string_view text)
{
    NsysVersion version;
    const char* const end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data(), end, version.year);
    if (error != std::errc() || dot == end || *dot != '.' || version.year < 2000) return std::nullopt;
    if (std::from_chars(dot + 1, end, version.number).ec != std::errc()) return std::nullopt;
    return version;
}

const NsightOptionRule* findNsightRule(std::string_view name)
{
    const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const NsightOptionRule& rule) {
        return rule.name == name || (name.size() == 1 && rule.letter == name);
    });
    return found == kRules.end() ? nullptr : &*found;
}

std::vector<const NsightOptionRule*> nsightRulesFor(std::optional<NsysVersion> version)
{
    std::vector<const NsightOptionRule*> rules;
    for (const NsightOptionRule& rule : kRules) {
        const bool has =
            !version || (*version >= rule.since && (rule.until == NsysVersion{} || *version <= rule.until));
        if (has) rules.push_back(&rule);
    }
    return rules;
}

std::string nsightValueProblem(const NsightOptionRule& rule, std::string_view value,
                               std::optional<NsysVersion> version)
{
    const std::string quoted = "'" + std::string(value) + "'";
    if (rule.name == "capture-range-end") {
        return isCaptureRangeEnd(value)
                   ? ""
                   : quoted + " is not one of none, stop, stop-shutdown, repeat[:N], repeat-shutdown:N";
    }
    if (rule.name == "cuda-graph-trace") {
        const std::string_view mode = value.substr(0, value.find(':'));
        return hasWord("graph node", mode) ? "" : quoted + " is neither graph nor node";
    }
    switch (rule.kind) {
    case NsightValueKind::choice:
        return hasWord(rule.values, value) ? "" : quoted + " is not one of " + commaText(rule.values);
    case NsightValueKind::whole:
        return parseInt(value).value_or(-1) >= 0 ? "" : quoted + " is not a whole number";
    case NsightValueKind::text:
        return {};
    case NsightValueKind::list:
        break;
    }
    while (!value.empty()) {
        const size_t comma = std::min(value.find(','), value.size());
        const std::string_view word = value.substr(0, comma);
        if (!hasWord(rule.values, word))
            return "'" + std::string(word) + "' is not one of " + commaText(rule.values);
        const bool isNew = word == "cuda-hw" || word == "cuda-sw";
        const NsysVersion since = isNew            ? NsysVersion{2025, 1}
                                  : word == "nccl" ? NsysVersion{2025, 6}
                                                   : NsysVersion{};
        if (version && *version < since) {
            return "'" + std::string(word) + "' needs nsys " + std::to_string(since.year) + "." +
                   std::to_string(since.number) + " or newer";
        }
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return {};
}

std::optional<int64_t> repeatCount(std::string_view captureRangeEnd)
{
    constexpr std::string_view kPrefix = "repeat-shutdown:";
    if (!captureRangeEnd.starts_with(kPrefix)) return std::nullopt;
    captureRangeEnd.remove_prefix(kPrefix.size());
    return parseInt(captureRangeEnd.substr(0, captureRangeEnd.find(':')));
}

std::string nsysOutput(const NsightOptions& options)
{
    const NsightOption* output = findOption(options, "output");
    if (output == nullptr) output = findOption(options, "o");
    return output == nullptr ? std::string() : output->value.value_or("");
}

// Returns the length of the token that begins with '%', and its regular expression.
static std::pair<size_t, std::string> nsysToken(std::string_view text, const std::string& pattern)
{
    const auto group = [&](const std::string& name, const std::string& what) {
        const bool isNamed = pattern.find("(?<" + name + ">") != std::string::npos;
        return isNamed ? what : "(?<" + name + ">" + what + ")";
    };
    if (text.starts_with("%q{")) {
        const size_t end = std::min(text.find('}'), text.size() - 1);
        return {end + 1, text.substr(0, end + 1) == "%q{RANK}" ? group("rank", R"(\d+)") : ".+?"};
    }
    switch (text.size() > 1 ? text[1] : '\0') {
    case 'p':
        return {2, group("pid", R"(\d+)")};
    case 'h':
        return {2, group("host", ".+?")};
    case 'n':
    case 'i':
        return {2, R"(\d+)"};
    case '%':
        return {2, "%"};
    default:
        return {1, "%"};
    }
}

std::string nsysNamePattern(std::string_view output)
{
    const std::string_view ending = formatNamed("nsys report").suffixes[0];
    constexpr std::string_view kSpecial = R"(\^$.|?*+()[]{})";
    const bool isQuoted =
        output.size() > 1 && output.front() == output.back() && (output[0] == '\'' || output[0] == '"');
    if (isQuoted) output = output.substr(1, output.size() - 2);
    std::string_view name = output.substr(output.rfind('/') + 1); // if there is no slash, npos + 1 is 0
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
    std::string pattern;
    while (!name.empty()) {
        if (name[0] == '%') {
            const auto [length, part] = nsysToken(name, pattern);
            pattern += part;
            name.remove_prefix(length);
            continue;
        }
        if (kSpecial.find(name[0]) != kSpecial.npos) pattern += '\\';
        pattern += name[0];
        name.remove_prefix(1);
    }
    return pattern;
}

std::vector<std::string> nsysArguments(const NsightOptions& options)
{
    std::vector<std::string> words;
    for (const NsightOption& option : options) {
        if (!option.value) continue;
        if (option.name.size() == 1) {
            words.push_back("-" + option.name);
            words.push_back(*option.value);
        } else {
            words.push_back("--" + option.name + "=" + *option.value);
        }
    }
    return words;
}

} // namespace lockstep
