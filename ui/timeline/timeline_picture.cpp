// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_picture.h"

#include <QPainter>

#include "core/base/output_file.h"
#include "core/lanes/memory_lanes.h"
#include "core/timeline/picture_limits.h"
#include "core/timeline/summary_layout.h"
#include "ui/style/picture_bytes.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/ruler_bar.h"

namespace lockstep {

namespace {

// Picture holds the parts of an image, from top to bottom.
struct Picture {
    TimelineState state;
    QRect minimap, ruler, lanes;
    DisplayRow overview;
    DisplayList list;
    QString emptyText; // the reason why there are no lanes; empty if there are lanes
    QString restText;  // states how many lanes do not fit; empty if all fit
};

// Returns why an image has no lanes: no report is open, the reports contain no drawable data, or the filter
// does not match any lane.
QString emptyText(const TimelineState& state, const PictureOptions& options)
{
    const LaneFlow& flow = state.flow();
    if (!flow.scrolling.empty() || !flow.pinned.empty()) return {};
    const Workspace& workspace = state.scene().shown;
    if (workspace.isEmpty()) return "Nothing to draw: no report is open.";
    const bool isOne = workspace.size() == 1;
    if (options.isMemoryOnly && options.lanesRegex.empty())
        return isOne ? QString("Nothing to draw: the report contains no memory snapshot.")
                     : QString("Nothing to draw: the %1 reports contain no memory snapshot.")
                           .arg(workspace.size());
    if (state.tree().size() == 0)
        return isOne ? QString("Nothing to draw: the report contains no slices and no counters.")
                     : QString("Nothing to draw: the %1 reports contain no slices and no counters.")
                           .arg(workspace.size());
    return QString("No lane matches \u201c%2\u201d (lanes searched: %1).")
        .arg(state.tree().size())
        .arg(QString::fromStdString(options.lanesRegex));
}

// Expands the ancestors of memory lanes; the memory lanes themselves are collapsed or expanded together.
LaneState memoryLanes(const LaneTree& tree, MemoryLook look, bool isFolded)
{
    LaneState state;
    state.memoryLook = look;
    for (uint32_t i = 0; i < tree.size(); ++i) {
        if (!tree.lane(i).data.is<MemoryLaneData>()) continue;
        state.fold(tree.lane(i), isFolded);
        for (uint32_t up = tree.parentOf(i); up != kNoLane; up = tree.parentOf(up))
            state.fold(tree.lane(up), false);
    }
    return state;
}

QString restText(const TimelineState& state, int height)
{
    int count = 0, bottom = 0;
    for (const PlacedLane& placed : state.flow().scrolling) {
        bottom = placed.y + placed.height;
        if (state.tree().lane(placed.lane).data.is<MemoryLaneData>() && bottom > height) ++count;
    }
    if (count == 0) return {};
    return QString("Lanes that do not fit: %1. Make the picture %2 pixels taller to show all.")
        .arg(count)
        .arg(bottom - height);
}

Result<Picture> makePicture(const ScenePtr& scene, const PictureOptions& options)
{
    const QSize size = options.size;
    const bool isHighEnough = size.height() == 0 || size.height() >= kMinPictureHeight;
    if (size.width() < kMinPictureWidth || size.width() > kMaxPicturePixels || !isHighEnough ||
        size.height() > kMaxPicturePixels || options.scale < 0.25 || options.scale > 8) {
        return makeError(
            ErrorKind::invalid,
            "a picture must be 300 to 16384 pixels wide and 100 to 16384 pixels high, with a scale of 0.25 to 8");
    }
    Picture out;
    TimelineState& state = out.state;
    state.theme = options.dark ? &darkTheme() : &lightTheme();
    state.workers = options.workers;
    state.setScale(options.scale);
    LaneFilter filter = LOCKSTEP_TRY(LaneFilter::make(options.lanesRegex));
    if (options.isMemoryOnly) filter.showOnly<MemoryLaneData>();
    state.setFilter(std::move(filter));
    state.setGapRule(options.gaps);
    state.setScene(scene);
    state.window.setOpened(options.openedGaps);
    state.scroll = options.scroll;
    if (options.laneState) state.setLaneState(*options.laneState);
    if (options.isFolded) {
        LaneState folded;
        folded.foldRanks(*scene->tree);
        state.setLaneState(std::move(folded));
    }
    if (options.isMemoryOnly) {
        state.setLaneState(memoryLanes(*scene->tree, options.memoryLook, options.isFolded));
        const int room = options.size.height() - state.px(kMinimapHeight) - state.px(kRulerHeight);
        if (options.size.height() > 0 && state.flow().scrollingHeight > room)
            state.setLaneState(memoryLanes(*scene->tree, options.memoryLook, true));
    }
    const int barsHeight = state.px(kMinimapHeight) + state.px(kRulerHeight);
    if (options.size.height() > 0) state.setViewHeight(options.size.height() - barsHeight);
    if (options.range) state.window.show(*options.range);
    const int top = barsHeight;
    int height = options.size.height();
    if (height == 0) height = std::min(kMaxPicturePixels, top + state.flow().scrollingHeight + 1);
    const int width = options.size.width();
    out.minimap = QRect(0, 0, width, state.px(kMinimapHeight));
    out.ruler = QRect(0, out.minimap.bottom() + 1, width, state.px(kRulerHeight));
    out.lanes = QRect(0, top, width, std::max(1, height - top));
    state.headerWidth = std::min(state.headerWidth, width / 2.0 / options.scale);
    state.setViewWidth(width);
    const PixelScale whole = state.window.scaleOfBounds(std::max(1, width - state.px(state.headerWidth)));
    out.overview = layOutOverview(state.scene(), whole, options.workers);
    out.list = layOut(state.scene(), state.frameView({width, out.lanes.height()}));
    out.emptyText = emptyText(state, options);
    if (options.isMemoryOnly) out.restText = restText(state, out.lanes.height());
    return out;
}

void paintTexts(QPainter& painter, const Picture& picture, const PictureOptions& options)
{
    if (!picture.restText.isEmpty()) {
        painter.setPen(picture.state.theme->warn);
        painter.setFont(smallFont(options.scale));
        const QRect line = picture.lanes.adjusted(12, 0, -12, -4);
        painter.fillRect(QRect(line.left() - 12, line.bottom() - 15, line.width() + 24, 20),
                         picture.state.theme->panel);
        painter.drawText(line, Qt::AlignBottom | Qt::AlignLeft, picture.restText);
    }
    if (picture.emptyText.isEmpty()) return;
    painter.setPen(picture.state.theme->mutedText);
    painter.setFont(smallFont(options.scale));
    painter.drawText(picture.lanes.adjusted(12, 12, -12, -12),
                     Qt::AlignTop | Qt::AlignHCenter | Qt::TextWordWrap, picture.emptyText);
}

void paintBars(QPainter& painter, const Picture& picture, const PictureOptions& options)
{
    paintMinimap(painter, picture.minimap, picture.state, picture.overview);
    paintRuler(painter, picture.ruler, picture.state,
               {options.utc ? RulerTime::From::utc : RulerTime::From::zero});
}

void paintVectors(QPainter& painter, const Picture& picture, const PictureOptions& options)
{
    paintBars(painter, picture, options);
    painter.translate(picture.lanes.topLeft());
    LanePainter(*picture.state.theme, options.scale, options.workers)
        .paint(painter, picture.list, picture.state.tree());
    painter.translate(-picture.lanes.topLeft());
    paintTexts(painter, picture, options);
}

} // namespace

Result<QImage> timelineImage(const ScenePtr& scene, const PictureOptions& options)
{
    const Picture picture = LOCKSTEP_TRY(makePicture(scene, options));
    QImage image(picture.lanes.width(), picture.lanes.bottom() + 1, QImage::Format_RGB32);
    QImage lanes(picture.lanes.size(), QImage::Format_RGB32);
    if (image.isNull() || lanes.isNull())
        return makeError(ErrorKind::invalid, "not enough memory for a picture of this size");
    const LanePainter lanePainter(*picture.state.theme, options.scale, options.workers);
    lanePainter.paint(lanes, picture.list, picture.state.tree());
    QPainter painter(&image);
    paintBars(painter, picture, options);
    painter.drawImage(picture.lanes.topLeft(), lanes);
    paintTexts(painter, picture, options);
    return image;
}

Result<std::string> timelinePdf(const ScenePtr& scene, const PictureOptions& options)
{
    const Picture picture = LOCKSTEP_TRY(makePicture(scene, options));
    return pdfBytes({picture.lanes.width(), picture.lanes.bottom() + 1}, QStringLiteral("Lockstep timeline"),
                    [&](QPainter& painter) { paintVectors(painter, picture, options); });
}

Result<uint64_t> writeTimelineSvg(const std::filesystem::path& path, const ScenePtr& scene,
                                  const PictureOptions& options)
{
    const Picture picture = LOCKSTEP_TRY(makePicture(scene, options));
    const std::string svg =
        svgBytes({picture.lanes.width(), picture.lanes.bottom() + 1}, QStringLiteral("Lockstep timeline"),
                 [&](QPainter& painter) { paintVectors(painter, picture, options); });
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
    file.write({svg.data(), static_cast<size_t>(svg.size())});
    LOCKSTEP_TRY(file.commit());
    return uint64_t(svg.size());
}

} // namespace lockstep
