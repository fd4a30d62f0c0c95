// SPDX-License-Identifier: Apache-2.0
#include "core/align/step_markers.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";
constexpr std::array<std::string_view, 4> kNumberedWords{"train_step", "training_step", "step", "iteration"};
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

std::optional<int64_t> wordedStepNumber(std::string_view name)
{
    const std::string lower = lowerAscii(name);
    for (const std::string_view word : kNumberedWords) {
        if (!lower.starts_with(word)) continue;
        std::string_view rest = std::string_view(lower).substr(word.size());
        const size_t separators = rest.find_first_not_of(" _#:=");
        if (separators == std::string_view::npos) continue;
        if (const auto number = parseInt(rest.substr(separators)); number && *number >= 0) return number;
    }
    return {};
}

// What a name means is asked once per name, not once per row.
template<class Number>
std::vector<std::optional<int64_t>> numbersByName(const StringPool& strings, const Number& number)
{
    std::vector<std::optional<int64_t>> numbers(strings.size());
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = number(strings.at(StringId(i)));
    return numbers;
}

bool holdsMarkers(TrackKind kind)
{
    return kind == TrackKind::gpuAnnotation || kind == TrackKind::nvtx || kind == TrackKind::ops;
}

template<class Take>
void forEachMarker(const Report& report, const Take& take)
{
    for (const Track& track : report.tracks) {
        if (!holdsMarkers(track.key.kind)) continue;
        for (uint32_t i = 0; i < track.sliceCount; ++i) {
            const SliceId slice(track.firstSlice.value + i);
            if (isMarker(report.slices.kind[slice.value])) take(slice);
        }
    }
}

void keepOneClockSide(std::vector<StepMark>& marks)
{
    if (std::ranges::any_of(marks, &StepMark::isOnGpu)) {
        std::erase_if(marks, [](const StepMark& mark) { return !mark.isOnGpu; });
    }
    std::ranges::sort(marks, [](const StepMark& a, const StepMark& b) {
        return std::tuple(a.range.begin, a.number, a.slice) < std::tuple(b.range.begin, b.number, b.slice);
    });
}

// One annotation is projected on every stream it launched to: equal numbers that overlap are one step.
void joinEqualNumbers(std::vector<StepMark>& marks)
{
    std::vector<StepMark> joined;
    for (const StepMark& mark : marks) {
        const auto same = std::find_if(joined.rbegin(), joined.rend(), [&](const StepMark& other) {
            return other.number == mark.number && other.range.overlaps(mark.range);
        });
        if (same == joined.rend()) {
            joined.push_back(mark);
        } else {
            same->range = same->range.unitedWith(mark.range);
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
    keepOneClockSide(marks);
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
        keepOneClockSide(marks);
        joinEqualNumbers(marks);
        for (size_t i = 0; i < marks.size(); ++i)
            marks[i].number = static_cast<int64_t>(i);
        if (!marks.empty()) return marks;
    }
    return {};
}

} // namespace

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
