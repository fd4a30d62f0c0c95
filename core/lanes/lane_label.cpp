// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_label.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kDot = " \u00B7 ";

// Returns the main activity of a stream, which is determined from the kinds of its slices.
std::string streamActivity(const Report& report, const ReportLod& lod, TrackId id)
{
    const LodRow row = lod.slices().row(report, id, 0);
    if (row.count() == 0) return {};
    const RowSummary all = row.summarize({{row.start(0)}, {row.end(row.count() - 1) + 1}});
    switch (all.category) {
    case SliceCategory::compute:
        return "compute";
    case SliceCategory::communication: {
        const std::string name = lowerAscii(report.nameOf(row.sliceAt(all.longest)));
        return name.find("nccl") != std::string::npos ? "NCCL" : "communication";
    }
    case SliceCategory::copyToDevice:
    case SliceCategory::copyToHost:
    case SliceCategory::copyOnDevice:
        return "copies";
    case SliceCategory::memset:
        return "memset";
    default:
        return {};
    }
}

} // namespace

void appendLabelPart(std::string& text, std::string_view word)
{
    if (word.empty()) return;
    if (!text.empty()) text += kDot;
    text += word;
}

std::string processLabel(const Identity& identity, std::string_view name, int64_t pid, bool isSystem)
{
    std::string label = identity.host.value.value_or("");
    std::string place;
    if (identity.rank.isKnown()) {
        place = "rank " + std::to_string(*identity.rank.value);
    } else if (identity.replica.isKnown()) {
        place = "replica " + std::to_string(*identity.replica.value);
        if (identity.replicaRank.isKnown()) place += " rank " + std::to_string(*identity.replicaRank.value);
    }
    if (isSystem) {
        appendLabelPart(label, "system");
        return label;
    }
    appendLabelPart(label, place);
    appendLabelPart(label, identity.role.value.value_or(""));
    if (!place.empty()) return label;
    if (const size_t slash = name.rfind('/'); slash != std::string_view::npos && slash + 1 < name.size()) {
        name.remove_prefix(slash + 1);
    }
    appendLabelPart(label, name);
    if (pid > 0 && !name.empty()) label += " " + std::to_string(pid);
    if (pid > 0 && name.empty()) appendLabelPart(label, "process " + std::to_string(pid));
    return label;
}

std::string toolLabel(const Report& report)
{
    const Provenance& provenance = report.provenance;
    // the tool is empty in provenance that was created without the registry
    return provenance.tool.empty() ? provenance.kind : provenance.tool;
}

std::string threadLabel(const Report& report, ThreadId id)
{
    const Thread& thread = report.threads[id.value];
    const std::string_view name = report.strings.at(thread.name);
    if (thread.tid < 0 && !name.empty())
        return std::string(name); // the file contains a string instead of a number
    std::string label = "thread " + std::to_string(thread.tid);
    if (name.starts_with(label)) return std::string(name); // Kineto repeats the number in the name
    const bool isMain = thread.process.isValid() && report.processes[thread.process.value].pid == thread.tid;
    appendLabelPart(label, !name.empty() ? name : isMain ? "main" : "");
    return label;
}

std::string shortGpuName(std::string_view name)
{
    for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD "}) {
        if (name.starts_with(maker)) name.remove_prefix(maker.size());
    }
    std::string out;
    while (!name.empty()) {
        const size_t end = std::min(name.find(' '), name.size());
        const std::string_view word = name.substr(0, end);
        if (word.find("GB") != std::string_view::npos && !out.empty()) break;
        if (!out.empty()) out += ' ';
        out += word;
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return out;
}

std::string gpuLabel(const Report& report, DeviceId id)
{
    const Device& device = report.devices[id.value];
    std::string label = "GPU " + std::to_string(device.ordinal);
    const std::string name = shortGpuName(report.strings.at(device.name));
    return name.empty() ? label : label + " " + name;
}

std::string trackKindLabel(TrackKind kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(TrackKind::count)> kNames{
        "stream",
        "graphs",
        "sync",
        "annotations",
        "NVTX",
        "CUDA API",
        "ops",
        "Python",
        "OS runtime",
        "scheduling",
        "libraries",
        "profiler overhead",
        "memory events",
        "diagnostics",
        "other",
        "CUDA graphs",
        "spans of samples"};
    return std::string(kNames[static_cast<size_t>(kind)]);
}

std::string trackLabel(const Report& report, const ReportLod& lod, TrackId id)
{
    const Track& track = report.track(id);
    const std::string_view name = report.strings.at(track.name);
    const std::string stream = "stream " + std::to_string(track.key.lane);
    std::string label = trackKindLabel(track.key.kind);
    switch (track.key.kind) {
    case TrackKind::gpuStream:
        // the name is, for example, "stream 7 (default)"
        if (name.starts_with(stream + " ")) return std::string(name);
        label = stream;
        appendLabelPart(label, name.empty() || name == stream ? streamActivity(report, lod, id) : name);
        return label;
    case TrackKind::gpuGraph:
    case TrackKind::gpuSync:
    case TrackKind::gpuAnnotation:
        appendLabelPart(label, stream);
        return label;
    case TrackKind::nvtx:
        if (name != "NVTX" && name != "default") appendLabelPart(label, name);
        return label;
    case TrackKind::other:
    case TrackKind::diagnostics:
    case TrackKind::libraryApi:
        return name.empty() ? label : std::string(name);
    default:
        return label;
    }
}

bool isByteUnit(std::string_view unit)
{
    return unit == "B" || unit == "bytes";
}

std::string counterValueText(double value, std::string_view unit)
{
    if (isByteUnit(unit)) return byteText(std::llround(std::clamp(value, -9e18, 9e18)));
    std::array<char, 48> text = {};
    const double size = std::abs(value);
    const char* const format = size >= 1e15                                ? "%.3g"
                               : size >= 100 || value == std::round(value) ? "%.0f"
                                                                           : "%.3g";
    std::snprintf(text.data(), text.size(), format, value);
    return unit.empty() ? std::string(text.data()) : std::string(text.data()) + " " + std::string(unit);
}

std::string percentText(int64_t part_ns, int64_t whole_ns)
{
    if (whole_ns <= 0) return {};
    const double percent = 100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
    if (part_ns > 0 && percent < 0.5) return "<1 %";
    return std::to_string(std::lround(percent)) + " %";
}

bool naturalLess(std::string_view a, std::string_view b)
{
    size_t i = 0, j = 0;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const size_t beginA = i, beginB = j;
            while (i < a.size() && isDigit(a[i]))
                ++i;
            while (j < b.size() && isDigit(b[j]))
                ++j;
            std::string_view left = a.substr(beginA, i - beginA), right = b.substr(beginB, j - beginB);
            left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
            right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
            if (left.size() != right.size()) return left.size() < right.size();
            if (left != right) return left < right;
            continue;
        }
        if (a[i] != b[j]) return a[i] < b[j];
        ++i;
        ++j;
    }
    return a.size() - i < b.size() - j;
}

} // namespace lockstep
