// SPDX-License-Identifier: Apache-2.0
#include "app/window/difference_picture.h"

#include <array>

#include <QPainter>

#include "core/base/text.h"
#include "core/compare/compared_sides.h"
#include "core/compare/difference_strip.h"
#include "core/timeline/pixel_scale.h"
#include "ui/compare/delta_painter.h"
#include "ui/style/picture_bytes.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

namespace {

constexpr int kFootHeight = 20;
constexpr int kMinHalfHeight = 40;

struct DifferenceHalf {
    TimelineState state;
    DisplayList list;
    QRect title, lanes;
    QString mark, name, facts;
};

struct DifferencePicture {
    ComparisonLook look;
    std::array<DifferenceHalf, 2> halves;
    QRect ruler, delta, footer;
    TimeRange relative; // range of the ruler
    DifferenceStrip strip;
    QString footerText;
    bool hasNotes = false;
};

void describeHalf(DifferenceHalf& half, const Scene& scene)
{
    const Workspace& shown = scene.shown;
    const Report& first = shown.report(shown.keys().front());
    half.name = QString::fromStdString(first.provenance.path.filename().string());
    if (shown.size() > 1) half.name += QString(" and %1 more").arg(shown.size() - 1);
    half.name += " \u00b7 " + QString::fromStdString(durationText(scene.extent().length()));
    half.facts = QString::fromStdString(sideFactsText(shown));
}

// Returns the visible ranges of both panes, which have the same length and are aligned by the coupling.
std::array<TimeRange, 2> visibleOf(const PictureRequest& request)
{
    const Coupling coupling = request.pairs->byStep();
    if (request.range) return {coupling.toA(*request.range), *request.range};
    const CouplingKnot& zero = coupling.knots().front();
    const TimeRange a = request.baseline->extent(), b = request.scene->extent();
    const Duration begin = std::min(a.begin - zero.a, b.begin - zero.b);
    const Duration end = std::max({a.end - zero.a, b.end - zero.b, begin + Duration{100}});
    const Duration margin{(end - begin).ns / 50};
    const auto around = [&](TraceTime t) { return TimeRange{t + begin - margin, t + end + margin}; };
    return {around(zero.a), around(zero.b)};
}

Status setHalf(DifferenceHalf& half, const PictureRequest& request, const ScenePtr& scene, TimeRange visible)
{
    TimelineState& state = half.state;
    state.theme = request.isDark ? &darkTheme() : &lightTheme();
    state.workers = request.workers;
    state.setScale(1);
    state.setFilter(LOCKSTEP_TRY(LaneFilter::make(request.lanes)));
    state.setScene(scene);
    if (request.isFolded) {
        LaneState folded;
        folded.foldRanks(*scene->tree);
        state.setLaneState(std::move(folded));
    }
    state.setViewHeight(half.lanes.height());
    // Allow a range beyond the pane's own end, up to the end of the other pane.
    state.window.setBounds(state.extent().unitedWith(visible));
    state.window.show(visible);
    state.headerWidth = std::min(state.headerWidth, half.lanes.width() / 2.0);
    half.list = layOut(state.scene(), state.frameView({half.lanes.width(), half.lanes.height()}));
    describeHalf(half, *scene);
    return {};
}

Result<DifferencePicture> makeDifference(const PictureRequest& request)
{
    DifferencePicture out;
    const int fixed = kRulerHeight + 2 * kSideTitleHeight + kDeltaHeight + kFootHeight;
    const int half = (request.height - fixed) / 2;
    if (half < kMinHalfHeight)
        return makeError(ErrorKind::invalid, "a comparison picture must be at least " +
                                                 std::to_string(fixed + 2 * kMinHalfHeight) + " pixels high");
    int y = 0;
    const auto below = [&](int height) {
        y += height;
        return QRect(0, y - height, request.width, height);
    };
    out.ruler = below(kRulerHeight);
    out.halves[0].title = below(kSideTitleHeight);
    out.halves[0].lanes = below(half);
    out.delta = below(kDeltaHeight);
    out.halves[1].title = below(kSideTitleHeight);
    out.halves[1].lanes = below(request.height - fixed - half);
    out.footer = below(kFootHeight);
    const std::array<TimeRange, 2> visible = visibleOf(request);
    LOCKSTEP_TRY(setHalf(out.halves[0], request, request.baseline, visible[0]));
    LOCKSTEP_TRY(setHalf(out.halves[1], request, request.scene, visible[1]));
    out.halves[0].mark = "A";
    out.halves[1].mark = "B";
    const TimelineState& state = out.halves[0].state;
    out.look = {state.theme, 1, state.px(state.headerWidth)};
    const TraceTime zero = request.pairs->byStep().knots().front().a;
    out.relative = {{(visible[0].begin - zero).ns}, {(visible[0].end - zero).ns}};
    out.strip =
        layOutDifference(*request.pairs, visible[0], std::max(1, request.width - out.look.headerWidth));
    out.footerText = QString::fromStdString(slicePairsText(*request.pairs));
    for (const std::string& note : request.pairs->notes)
        out.footerText += "; " + QString::fromStdString(note);
    out.hasNotes = !request.pairs->notes.empty();
    return out;
}

// Dims the parts of a pane before the start and after the end of its data.
void dimBeyond(QPainter& painter, const DifferenceHalf& half, const ComparisonLook& look)
{
    const TimeRange visible = half.state.window.visible(), extent = half.state.extent();
    const int left = half.lanes.left() + look.headerWidth;
    const int width = half.lanes.right() + 1 - left;
    if (width <= 0 || extent.isEmpty()) return;
    const PixelScale scale(visible, width);
    QColor wash = look.theme->panel;
    wash.setAlphaF(0.7f);
    const int begin = scale.pixelOf(extent.begin), end = scale.pixelOf(extent.end);
    painter.fillRect(left, half.lanes.top(), begin, half.lanes.height(), wash);
    if (end >= width) return;
    painter.fillRect(left + end, half.lanes.top(), width - end, half.lanes.height(), wash);
    painter.fillRect(left + end, half.lanes.top(), 1, half.lanes.height(), look.theme->mutedText);
    painter.setFont(smallFont(look.scale));
    painter.setPen(look.theme->mutedText);
    const QRect text(left + end + 4, half.lanes.top() + 2, width - end - 4, 18);
    const QString label = half.mark + " ends";
    if (QFontMetrics(painter.font()).horizontalAdvance(label) <= text.width())
        painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, label);
}

void paintDifference(QPainter& painter, const DifferencePicture& picture, bool asVectors,
                     const Workers& workers)
{
    const ComparisonLook& look = picture.look;
    paintRelativeRuler(painter, picture.ruler, look, picture.relative);
    const LanePainter lanes(*look.theme, look.scale, workers);
    for (const DifferenceHalf& half : picture.halves) {
        paintSideTitle(painter, half.title, look, half.mark, half.name, half.facts);
        if (asVectors) {
            painter.save();
            painter.translate(half.lanes.topLeft());
            painter.setClipRect(QRect(QPoint(), half.lanes.size()));
            lanes.paint(painter, half.list, half.state.tree());
            painter.restore();
        } else {
            QImage image(half.lanes.size(), QImage::Format_RGB32);
            lanes.paint(image, half.list, half.state.tree());
            painter.drawImage(half.lanes.topLeft(), image);
        }
        dimBeyond(painter, half, look);
    }
    paintDelta(painter, picture.delta, look, picture.strip);
    painter.fillRect(picture.footer, look.theme->panel);
    painter.setFont(smallFont(look.scale));
    painter.setPen(picture.hasNotes ? look.theme->warn : look.theme->mutedText);
    const QRect text = picture.footer.adjusted(look.px(12), 0, -look.px(12), 0);
    painter.drawText(
        text, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(painter.font()).elidedText(picture.footerText, Qt::ElideRight, text.width()));
}

Result<std::string> differencePng(const PictureRequest& request, const DifferencePicture& picture)
{
    QImage image(request.width, request.height, QImage::Format_RGB32);
    if (image.isNull()) return makeError(ErrorKind::invalid, "not enough memory for a picture of this size");
    image.fill(picture.look.theme->window);
    {
        QPainter painter(&image);
        paintDifference(painter, picture, false, request.workers);
    }
    return pngBytes(image);
}

} // namespace

Result<std::string> drawDifference(const PictureRequest& request)
{
    const DifferencePicture picture = LOCKSTEP_TRY(makeDifference(request));
    if (request.format == PictureFormat::png) return differencePng(request, picture);
    const QSize size(request.width, request.height);
    const QString title = QStringLiteral("Lockstep comparison");
    const auto paint = [&](QPainter& painter) { paintDifference(painter, picture, true, request.workers); };
    return request.format == PictureFormat::svg ? svgBytes(size, title, paint) : pdfBytes(size, title, paint);
}

} // namespace lockstep
