// SPDX-License-Identifier: Apache-2.0
#include "core/align/step_markers.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/text.h"
#include "core/session/recipes/framework_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";
constexpr std::array<std::string_view, 4> kNumberedWords{"train_step", "training_step", "step", "iteration"};
// The word for the longest unit comes first.
constexpr std::array<std::string_view, 4> kHostWords{"step", "train_step", "training_step", "iteration"};
constexpr std::array<std::string_view, 5> kStageNames{"step", "train_batch", "actor_update", "update_actor",
                                                      "rollout_generate"};

bool isMarker(RowKind kind)
{
    return kind == RowKind::gpuAnnotation || kind == RowKind::userAnnotation ||
           kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd || kind == RowKind::nvtxMark;
}

std::optional<int64_t> profilerStepNumber(std::string_view name)
{
    if (!name.starts_with(kProfilerStep)) return {};
    return parseInt(name.substr(kProfilerStep.size()));
}

std::optional<int64_t> numberAfter(std::string_view word, std::string_view name)
{
    // this test rejects most names without parsing
    const std::string_view begin = name.substr(0, word.size());
    if (begin.size() < word.size() || lowerAscii(begin) != word) return {};
    const std::string_view rest = name.substr(word.size());
    const size_t separators = rest.find_first_not_of(" _#:=");
    if (separators == std::string_view::npos) return {};
    const auto number = parseInt(rest.substr(separators));
    return number && *number >= 0 ? number : std::nullopt;
}

std::optional<int64_t> wordedStepNumber(std::string_view name)
{
    for (const std::string_view word : kNumberedWords) {
        if (const auto number = numberAfter(word, name)) return number;
    }
    return {};
}

// Each name is parsed once, not once per row.
template<class Number>
std::vector<std::optional<int64_t>> numbersByName(const StringPool& strings, const Number& number)
{
    std::vector<std::optional<int64_t>> numbers(strings.size());
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = number(strings.at(StringId(i)));
    return numbers;
}

bool hasMarkers(TrackKind kind)
{
    return kind == TrackKind::gpuAnnotation || kind == TrackKind::nvtx || kind == TrackKind::ops;
}

template<class Take>
void forEachMarker(const Report& report, const Take& take)
{
    for (const Track& track : report.tracks) {
        if (!hasMarkers(track.key.kind)) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            if (isMarker(report.slices.kind[slice.value])) take(slice);
        }
    }
}

void preferGpuMarks(std::vector<StepMark>& marks)
{
    if (std::ranges::any_of(marks, &StepMark::isOnGpu)) {
        std::erase_if(marks, [](const StepMark& mark) { return !mark.isOnGpu; });
    }
    std::ranges::sort(marks, [](const StepMark& a, const StepMark& b) {
        return std::tuple(a.range.begin, a.number, a.slice) < std::tuple(b.range.begin, b.number, b.slice);
    });
}

// An annotation is projected onto every stream that contains its launches, so overlapping ranges with equal
// numbers are one step.
void joinEqualNumbers(std::vector<StepMark>& marks)
{
    std::vector<StepMark> joined;
    // By number. Marks are sorted by begin, so it is enough to compare with the last mark.
    std::unordered_map<int64_t, size_t> last;
    for (const StepMark& mark : marks) {
        const auto [same, isNew] = last.try_emplace(mark.number, joined.size());
        if (!isNew && joined[same->second].range.overlaps(mark.range)) {
            joined[same->second].range = joined[same->second].range.unitedWith(mark.range);
        } else {
            same->second = joined.size();
            joined.push_back(mark);
        }
    }
    marks = std::move(joined);
}

template<class Number>
std::vector<StepMark> numberedSteps(const Report& report, const Number& number)
{
    const auto numbers = numbersByName(report.strings, number);
    std::vector<StepMark> marks;
    if (std::ranges::none_of(numbers, [](const auto& n) { return n.has_value(); })) return marks;
    forEachMarker(report, [&](SliceId slice) {
        const auto& found = numbers[report.slices.name[slice.value].value];
        if (!found) return;
        marks.push_back({*found, report.slices.range(slice), slice,
                         report.slices.kind[slice.value] == RowKind::gpuAnnotation});
    });
    preferGpuMarks(marks);
    joinEqualNumbers(marks);
    return marks;
}

std::vector<StepMark> stageSteps(const Report& report)
{
    for (const std::string_view stage : kStageNames) {
        const StringId name = report.strings.find(stage);
        if (!name.isValid()) continue;
        std::vector<StepMark> marks;
        forEachMarker(report, [&](SliceId slice) {
            if (report.slices.name[slice.value] != name) return;
            marks.push_back({0, report.slices.range(slice), slice,
                             report.slices.kind[slice.value] == RowKind::gpuAnnotation});
        });
        preferGpuMarks(marks);
        joinEqualNumbers(marks);
        for (size_t i = 0; i < marks.size(); ++i)
            marks[i].number = static_cast<int64_t>(i);
        if (!marks.empty()) return marks;
    }
    return {};
}

// GPU projections are on GPU tracks and instants have no length; both are skipped.
template<class Number>
std::vector<StepMark> hostMarks(const Report& report, ProcessId process, const Number& number)
{
    const auto numbers = numbersByName(report.strings, number);
    std::vector<StepMark> marks;
    if (std::ranges::none_of(numbers, [](const auto& n) { return n.has_value(); })) return marks;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::nvtx && track.key.kind != TrackKind::ops) continue;
        if (process.isValid() && track.key.process != process) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            const auto& found = numbers[report.slices.name[slice.value].value];
            if (!found || !isMarker(report.slices.kind[slice.value])) continue;
            if (report.slices.duration(slice).ns > 0)
                marks.push_back({*found, report.slices.range(slice), slice, false});
        }
    }
    preferGpuMarks(marks);
    joinEqualNumbers(marks);
    return marks;
}

// Returns ranges with exactly this name, numbered by occurrence.
std::vector<StepMark> occurrences(const Report& report, ProcessId process, std::string_view name)
{
    const auto isNamed = [&](std::string_view text) {
        return text == name ? std::optional<int64_t>(0) : std::nullopt;
    };
    std::vector<StepMark> marks = hostMarks(report, process, isNamed);
    for (size_t i = 0; i < marks.size(); ++i)
        marks[i].number = static_cast<int64_t>(i);
    return marks;
}

// Returns the spans that a framework recorded and for whose names `number` returns a value.
template<class Number>
std::vector<StepMark> recordMarks(const Report& report, ProcessId process, const Number& number)
{
    const auto numbers = numbersByName(report.strings, number);
    std::vector<StepMark> marks;
    if (std::ranges::none_of(numbers, [](const auto& n) { return n.has_value(); })) return marks;
    for (const Track& track : report.tracks) {
        if (process.isValid() && track.key.process != process) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const auto& found = numbers[report.slices.name[row].value];
            if (found && report.slices.kind[row] == RowKind::span)
                marks.push_back({*found, report.slices.range(SliceId(row)), SliceId(row), false});
        }
    }
    preferGpuMarks(marks);
    return marks;
}

// Returns the spans with this name that a framework recorded, numbered by occurrence.
std::vector<StepMark> recordsNamed(const Report& report, ProcessId process, std::string_view name)
{
    if (!report.strings.find(name).isValid()) return {};
    std::vector<StepMark> marks = recordMarks(report, process, [&](std::string_view text) {
        return text == name ? std::optional<int64_t>(0) : std::nullopt;
    });
    for (size_t i = 0; i < marks.size(); ++i)
        marks[i].number = static_cast<int64_t>(i);
    return marks;
}

// Each step lasts until the next begins. The last one is left out, because its end is not known.
std::vector<StepMark> untilNext(std::vector<StepMark> begins)
{
    for (size_t i = 0; i + 1 < begins.size(); ++i)
        begins[i].range.end = begins[i + 1].range.begin;
    if (!begins.empty()) begins.pop_back();
    return begins;
}

HostSteps recordedSteps(const Report& report, ProcessId process)
{
    for (const std::string& name : frameworkNames().steps) {
        const auto number = [&](std::string_view text) { return numberAfter(name, text); };
        if (auto marks = recordMarks(report, process, number); !marks.empty())
            return {StepRule::numberedRange, name, std::move(marks)};
        if (auto marks = recordsNamed(report, process, name); !marks.empty())
            return {StepRule::record, name, std::move(marks)};
    }
    for (const std::string& name : frameworkNames().stepBegins) {
        if (auto marks = untilNext(recordsNamed(report, process, name)); !marks.empty())
            return {StepRule::recordBegin, name, std::move(marks)};
    }
    return {};
}

} // namespace

HostSteps findHostSteps(const Report& report, ProcessId process, std::string_view name)
{
    constexpr std::string_view kBareWord = "step";
    const bool isNamed = !name.empty();
    if (!isNamed) {
        if (auto marks = hostMarks(report, process, profilerStepNumber); !marks.empty())
            return {StepRule::profilerStep, std::string(kProfilerStep), std::move(marks)};
        for (const std::string_view word : kHostWords) {
            const auto number = [&](std::string_view text) { return numberAfter(word, text); };
            if (auto marks = hostMarks(report, process, number); !marks.empty())
                return {StepRule::numberedRange, std::string(word), std::move(marks)};
        }
        name = kBareWord;
    }
    auto marks = occurrences(report, process, name);
    if (marks.empty()) return isNamed ? HostSteps() : recordedSteps(report, process);
    return {StepRule::namedRange, std::string(name), std::move(marks)};
}

std::vector<StepMark> findSteps(const Report& report)
{
    if (auto marks = numberedSteps(report, profilerStepNumber); !marks.empty()) return marks;
    if (auto marks = numberedSteps(report, wordedStepNumber); !marks.empty()) return marks;
    if (auto marks = stageSteps(report); !marks.empty()) return marks;
    if (!report.identity.step.value || report.extent.isEmpty()) return {};
    return {{*report.identity.step.value, report.extent, {}, false}};
}

std::optional<TraceTime> findMarker(const Report& report, std::string_view name, size_t occurrence)
{
    const StringId id = report.strings.find(name);
    if (!id.isValid()) return {};
    std::vector<TraceTime> starts;
    forEachMarker(report, [&](SliceId slice) {
        if (report.slices.name[slice.value] == id) starts.push_back(report.slices.start(slice));
    });
    std::ranges::sort(starts);
    return occurrence < starts.size() ? std::optional(starts[occurrence]) : std::nullopt;
}

} // namespace lockstep
