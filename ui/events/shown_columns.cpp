// SPDX-License-Identifier: Apache-2.0
#include "ui/events/shown_columns.h"

#include <algorithm>

#include <QHeaderView>
#include <QStringList>

#include "ui/style/style_sheet.h"

namespace lockstep {

ShownColumns firstColumns()
{
    ShownColumns out;
    for (size_t i = 0; i < kEventColumns; ++i) {
        const auto column = static_cast<EventColumn>(i);
        if (eventColumn(column).isShownAtFirst) out.push_back({column, eventColumn(column).width});
    }
    return out;
}

ShownColumns shownColumns(const QHeaderView& header)
{
    ShownColumns out;
    const double scale = scaledPixels(1000) / 1000.0;
    for (int visual = 0; visual < header.count(); ++visual) {
        const int section = header.logicalIndex(visual);
        if (header.isSectionHidden(section)) continue;
        out.push_back({static_cast<EventColumn>(section),
                       static_cast<int>(std::lround(header.sectionSize(section) / scale))});
    }
    return out;
}

void showColumns(QHeaderView& header, const ShownColumns& columns)
{
    for (int section = 0; section < header.count(); ++section) {
        const auto isThis = [section](const ShownColumn& c) { return static_cast<int>(c.column) == section; };
        header.setSectionHidden(section, std::ranges::none_of(columns, isThis));
    }
    for (size_t i = 0; i < columns.size(); ++i) {
        const int section = static_cast<int>(columns[i].column);
        header.moveSection(header.visualIndex(section), static_cast<int>(i));
        header.resizeSection(section, scaledPixels(columns[i].width));
    }
}

QString shownColumnsText(const ShownColumns& columns)
{
    QStringList out;
    for (const ShownColumn& shown : columns)
        out << QString("%1:%2").arg(eventColumn(shown.column).word).arg(shown.width);
    return out.join(' ');
}

ShownColumns shownColumnsFromText(const QString& text)
{
    constexpr int kMinWidth = 20, kMaxWidth = 4'000;
    ShownColumns out;
    for (const QString& part : text.split(' ', Qt::SkipEmptyParts)) {
        const QString word = part.section(':', 0, 0);
        const int width = part.section(':', 1, 1).toInt();
        for (size_t i = 0; i < kEventColumns; ++i) {
            const auto column = static_cast<EventColumn>(i);
            const bool isListed = std::ranges::find(out, column, &ShownColumn::column) != out.end();
            if (word == eventColumn(column).word && width >= kMinWidth && width <= kMaxWidth && !isListed)
                out.push_back({column, width});
        }
    }
    return out.empty() ? firstColumns() : out;
}

} // namespace lockstep
