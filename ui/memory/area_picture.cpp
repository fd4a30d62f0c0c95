// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/area_picture.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/base/text.h"
#include "core/memory/pool_envelopes.h"
#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString areaText(const char* text)
{
    return QCoreApplication::translate("lockstep::AreaPicture", text);
}

std::vector<MemoryColumn> columnsOf(const AreaRequest& request)
{
    const auto columns = static_cast<size_t>(std::max(1, request.size.width()));
    const DeviceReplay& device = request.source.device();
    if (request.isByTime && request.source.hasTimes()) {
        const TimeRange all = request.source.extent();
        const auto at = [&](double share) {
            return TraceTime{all.begin.ns +
                             static_cast<int64_t>(share * static_cast<double>(all.length().ns))};
        };
        const TimeRange range{at(request.from), at(request.until)};
        return columnsOfTime(device, request.source.snapshot(),
                             {range.begin, {std::max(range.end.ns, range.begin.ns + 1)}}, columns);
    }
    const auto last = static_cast<double>(device.lastMoment());
    const auto first = static_cast<MemoryMoment>(request.from * last);
    return columnsOfMoments(first, std::max(first, static_cast<MemoryMoment>(request.until * last)), columns);
}

void findEnvelopes(AreaPicture& picture)
{
    const MemorySource& source = picture.request.source;
    picture.envelope_bytes.assign(picture.layout.moments.size(), 0);
    for (const PoolEnvelope& pool :
         poolEnvelopes(source.memory->replay, source.device(), picture.layout.moments)) {
        for (size_t i = 0; i < picture.envelope_bytes.size(); ++i)
            picture.envelope_bytes[i] += std::max<int64_t>(0, pool.height_bytes[i] - pool.active_bytes[i]);
    }
}

void findScale(AreaPicture& picture)
{
    for (size_t i = 0; i < picture.layout.levels.size(); ++i) {
        const MemoryLevels& levels = picture.layout.levels[i];
        const int64_t pools = picture.envelope_bytes.empty() ? 0 : picture.envelope_bytes[i];
        picture.scale_bytes = std::max({picture.scale_bytes, levels.active + pools, levels.reserved});
    }
    picture.scale_bytes += picture.scale_bytes / 16; // margin above the highest area
}

QColor colorOfArea(const AreaPicture& picture, uint32_t key)
{
    const AreaRequest& request = picture.request;
    const Theme& theme = *request.theme;
    const MemorySource& source = request.source;
    if (key == kRestKey) return mixed(theme.window, theme.mutedText, 0.35);
    if (request.kind == AreaKind::unused) {
        return key == kActiveKey ? memoryColor(theme, MemoryCategory::weights)
                                 : mixed(theme.warn, theme.window, 0.45);
    }
    if (request.kind == AreaKind::segments)
        return memoryShade(theme, MemoryCategory::weights, key * 2654435761u >> 16);
    if (request.by == MemoryGrouping::category) return memoryColor(theme, static_cast<MemoryCategory>(key));
    if (request.by == MemoryGrouping::stack) {
        const MemoryStackId stack = key == kNoStackKey ? MemoryStackId() : MemoryStackId(key);
        return memoryShade(theme, categoryOf(source.memory->categories, stack), key * 2654435761u >> 16);
    }
    return memoryShade(theme, source.categoryOfLife(BlockLifeId(key)), key * 2654435761u >> 16);
}

void fillColumn(QImage& image, int x, int top, int bottom, QRgb fill, QRgb edge)
{
    top = std::clamp(top, 0, image.height());
    bottom = std::clamp(bottom, 0, image.height());
    const auto stride = image.bytesPerLine() / 4;
    auto* at = reinterpret_cast<QRgb*>(image.bits()) + top * stride + x;
    for (int y = top; y < bottom; ++y, at += stride)
        *at = y == top && bottom - top > 3 ? edge : fill;
}

void paintAreas(AreaPicture& picture)
{
    const AreaStack& stack = picture.layout.stack;
    const int height = picture.image.height();
    for (const MemoryArea& area : stack.areas) {
        const QColor color = colorOfArea(picture, area.key);
        const QRgb fill = color.rgb(), edge = mixed(color, picture.request.theme->window, 0.45).rgb();
        for (uint32_t i = 0; i < area.columnCount; ++i) {
            const int64_t low = stack.offset_bytes[area.firstPoint + i];
            const int64_t high = low + stack.size_bytes[area.firstPoint + i];
            if (high <= low) continue;
            fillColumn(picture.image, static_cast<int>(area.firstColumn + i), height - picture.heightOf(high),
                       height - picture.heightOf(low), fill, edge);
        }
    }
}

// Draws memory held for private pools as a hatch above active memory, and reserved memory as a line.
void paintOutlines(AreaPicture& picture)
{
    const Theme& theme = *picture.request.theme;
    const int height = picture.image.height();
    const QRgb grey = mixed(theme.window, theme.mutedText, 0.5).rgb(), outline = theme.mutedText.rgb();
    const bool isReservedKnown = picture.request.source.device().segments.isKnown;
    int before = -1;
    for (size_t i = 0; i < picture.layout.levels.size(); ++i) {
        const MemoryLevels& levels = picture.layout.levels[i];
        const int x = static_cast<int>(i);
        if (!picture.envelope_bytes.empty()) {
            const int top = height - picture.heightOf(levels.active + picture.envelope_bytes[i]);
            for (int y = std::max(0, top); y < height - picture.heightOf(levels.active); ++y)
                if ((x + y) % 6 < 2) picture.image.setPixel(x, y, grey);
        }
        // For these kinds, the areas already represent reserved memory.
        if (picture.request.kind >= AreaKind::segments || !isReservedKnown) continue;
        const int y = std::clamp(height - picture.heightOf(levels.reserved), 0, height - 1);
        const int from = before < 0 ? y : before;
        for (int each = std::min(from, y); each <= std::max(from, y); ++each)
            picture.image.setPixel(x, each, outline);
        before = y;
    }
}

QString textOfBlock(const MemorySource& source, BlockLifeId life, MemoryMoment now)
{
    const BlockLifeTable& blocks = source.device().blocks;
    const size_t row = life.value;
    QString age = areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "allocated before the recording"));
    const auto allocated_ns = source.device().timeOf(source.snapshot(), blocks.allocated[row]);
    const auto now_ns = source.device().timeOf(source.snapshot(), now);
    if (!blocks.isPreexisting(row) && allocated_ns && now_ns) {
        age = areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "%1 old"))
                  .arg(QString::fromStdString(durationText({*now_ns - *allocated_ns})));
    } else if (!blocks.isPreexisting(row)) {
        age = areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "age (history entries): %1"))
                  .arg(now - blocks.allocated[row]);
    }
    return areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "Block of %1, %2, %3: %4"))
        .arg(byteQText(blocks.size_bytes[row]), categoryText(source.categoryOfLife(life)), age,
             stackShown(source, blocks.stack[row], 2));
}

Result<MemoryLayout> layoutOf(const AreaRequest& request, const MemoryLayoutRequest& layout,
                              const Progress& progress)
{
    const DeviceReplay& device = request.source.device();
    switch (request.kind) {
    case AreaKind::segments:
        return layOutSegments(device, layout, progress);
    case AreaKind::unused:
        return layOutUnused(device, layout, progress);
    case AreaKind::active:
    case AreaKind::allocated:
        break;
    }
    return layOutMemory(device, layout, request.source.memory->categories, progress);
}

} // namespace

int AreaPicture::heightOf(int64_t bytes) const
{
    return static_cast<int>(static_cast<double>(bytes) / static_cast<double>(scale_bytes) * image.height() +
                            0.5);
}

std::optional<size_t> AreaPicture::areaAt(int x, int y) const
{
    if (x < 0 || static_cast<size_t>(x) >= layout.moments.size() || image.height() == 0) return std::nullopt;
    const double share = static_cast<double>(image.height() - 1 - y) / image.height();
    return layout.stack.areaAt(static_cast<size_t>(x),
                               static_cast<int64_t>(share * static_cast<double>(scale_bytes)));
}

QString AreaPicture::textOf(std::optional<size_t> area, int column) const
{
    const MemorySource& source = request.source;
    const auto at = static_cast<size_t>(column);
    const MemoryLevels& levels = layout.levels[at];
    const QString where = source.momentText(layout.moments[at]);
    if (!area) {
        if (!source.device().segments.isKnown)
            return areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "%1: %2 active"))
                .arg(where, byteQText(levels.active));
        return areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "%1: %2 active, %3 reserved"))
            .arg(where, byteQText(levels.active), byteQText(levels.reserved));
    }
    if (request.kind == AreaKind::unused) {
        const double share = levels.reserved > 0 ? 100.0 * static_cast<double>(levels.unused()) /
                                                       static_cast<double>(levels.reserved)
                                                 : 0;
        return areaText(
                   QT_TRANSLATE_NOOP("lockstep::AreaPicture", "%1: %2 free in the pool, %3 % of %4 reserved"))
            .arg(where, byteQText(levels.unused()), QString::number(share, 'f', 1),
                 byteQText(levels.reserved));
    }
    const MemoryArea& shown = layout.stack.areas[*area];
    const int64_t here = layout.stack.size_bytes[shown.firstPoint + at - shown.firstColumn];
    if (shown.key == kRestKey) {
        return areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture",
                                          "%1: %2, smaller areas merged here: %3. Increase Detail to "
                                          "separate them."))
            .arg(where, byteQText(here))
            .arg(layout.stack.summedUp);
    }
    if (request.kind == AreaKind::segments) {
        const SegmentLife& segment = source.device().segments.lives[shown.key];
        return areaText(QT_TRANSLATE_NOOP("lockstep::AreaPicture", "%1: segment %2 of %3: %4"))
            .arg(where, QString::number(segment.address, 16), byteQText(segment.size_bytes),
                 stackShown(source, segment.stack, 2));
    }
    if (request.by == MemoryGrouping::block)
        return where + ": " + textOfBlock(source, BlockLifeId(shown.key), layout.moments[at]);
    const QString name =
        request.by == MemoryGrouping::category
            ? categoryText(static_cast<MemoryCategory>(shown.key))
            : stackShown(source, shown.key == kNoStackKey ? MemoryStackId() : MemoryStackId(shown.key), 3);
    return QString("%1: %2, %3").arg(where, byteQText(here), name);
}

Result<std::shared_ptr<const AreaPicture>> makeAreaPicture(const AreaRequest& request,
                                                           const Progress& progress)
{
    auto out = std::make_shared<AreaPicture>();
    out->request = request;
    MemoryLayoutRequest layout;
    layout.columns = columnsOf(request);
    layout.by = request.by;
    layout.limits.mostAreas = request.maxAreas;
    out->layout = LOCKSTEP_TRY(layoutOf(request, layout, progress));
    LOCKSTEP_TRY(progress.check());
    if (request.kind == AreaKind::allocated) findEnvelopes(*out);
    findScale(*out);
    out->image = QImage(request.size.expandedTo({1, 1}), QImage::Format_RGB32);
    out->image.fill(request.theme->window);
    paintAreas(*out);
    paintOutlines(*out);
    return std::shared_ptr<const AreaPicture>(std::move(out));
}

} // namespace lockstep
