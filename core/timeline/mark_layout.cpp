// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/mark_layout.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/timeline/elide.h"

namespace lockstep {

namespace {

constexpr int kFlagWidth = 10; // at scale 1
constexpr int kMarkGap = 6;
constexpr size_t kMaxShownText = 200; // maximum number of bytes that are examined for a label

// Returns the marker's name, followed by the first line of its note.
std::string labelOf(const Mark& mark, TimeRange aligned)
{
    std::string label = markName(mark);
    if (aligned.begin < aligned.end) label += " \u00B7 " + durationText(aligned.length());
    if (mark.kind == MarkKind::slice && !mark.isNote())
        label += " \u00B7 " + mark.name.substr(0, kMaxShownText);
    if (mark.isNote())
        label += " \u00B7 " + mark.text.substr(0, std::min(mark.text.find('\n'), kMaxShownText));
    return printable(label);
}

} // namespace

const MarkShape* MarkLayout::at(int x) const
{
    for (const MarkShape& shape : shapes) {
        if (shape.areaBegin <= x && x < shape.areaEnd) return &shape;
    }
    return nullptr;
}

MarkLayout layOutMarks(std::vector<MarkOnAxis> marks, const PixelScale& pixels, double scale,
                       const LabelFont& font)
{
    const TimeRange visible = pixels.range();
    const int width = pixels.width();
    const auto px = [scale](int atScaleOne) { return static_cast<int>(std::lround(atScaleOne * scale)); };
    std::erase_if(marks, [&](const MarkOnAxis& on) {
        return on.aligned.end < visible.begin || on.aligned.begin >= visible.end;
    });
    std::ranges::sort(marks, [](const MarkOnAxis& a, const MarkOnAxis& b) {
        return std::pair(a.aligned.begin, a.mark->number) < std::pair(b.aligned.begin, b.mark->number);
    });
    MarkLayout out;
    std::vector<const MarkOnAxis*> firsts; // by shape
    for (const MarkOnAxis& on : marks) {
        const bool isRange = on.aligned.begin < on.aligned.end;
        MarkShape shape;
        shape.begin = std::min(pixels.pixelOf(on.aligned.begin), std::max(0, width - 1));
        shape.end = isRange ? std::max(shape.begin, pixels.pixelOf(on.aligned.end)) : shape.begin;
        shape.isCut = on.aligned.begin < visible.begin || on.aligned.end > visible.end;
        shape.isNote = on.mark->isNote();
        shape.areaBegin = shape.begin;
        shape.areaEnd = std::max(shape.end, shape.begin + px(kFlagWidth));
        shape.numbers = {on.mark->number};
        if (!out.shapes.empty() && shape.begin < out.shapes.back().areaEnd + px(2)) {
            MarkShape& last = out.shapes.back();
            last.numbers.push_back(on.mark->number);
            last.end = std::max(last.end, shape.end);
            last.areaEnd = std::max(last.areaEnd, shape.areaEnd);
            last.isNote = last.isNote || shape.isNote;
            continue;
        }
        out.shapes.push_back(std::move(shape));
        firsts.push_back(&on);
    }
    for (size_t i = 0; i < out.shapes.size(); ++i) {
        MarkShape& shape = out.shapes[i];
        const int next = i + 1 < out.shapes.size() ? out.shapes[i + 1].areaBegin : width;
        const bool isCluster = shape.numbers.size() > 1;
        shape.number =
            isCluster ? "+" + std::to_string(shape.numbers.size()) : std::to_string(shape.numbers.front());
        shape.textX = shape.areaEnd + px(kMarkGap) / 2;
        const std::string label = isCluster ? shape.number : labelOf(*firsts[i]->mark, firsts[i]->aligned);
        shape.text = elideEnd(label, static_cast<float>(next - px(kMarkGap) - shape.textX), font);
        if (!shape.text.empty())
            shape.areaEnd = shape.textX + static_cast<int>(std::ceil(font.widthOf(shape.text)));
    }
    return out;
}

} // namespace lockstep
