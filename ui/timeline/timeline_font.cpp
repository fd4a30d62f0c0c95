// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_font.h"

#include <cmath>

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QStringList>

#include "ui/style/style_sheet.h"

namespace lockstep {

QFont timelineFont(double scale)
{
    static const bool hasInter = QFontDatabase::families().contains(QStringLiteral("Inter"));
    QFont font =
        hasInter ? QFont(QStringLiteral("Inter")) : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(12 * scale))));
    disableLigatures(font);
    return font;
}

LabelFont labelFontOf(const QFont& font)
{
    const QFontMetricsF metrics(font);
    LabelFont out;
    for (size_t c = 32; c < out.advance.size(); ++c) {
        out.advance[c] = static_cast<float>(metrics.horizontalAdvance(QChar(static_cast<ushort>(c))));
    }
    out.other = static_cast<float>(metrics.horizontalAdvance(QStringLiteral("\u00D8")));
    out.ellipsis = static_cast<float>(metrics.horizontalAdvance(QStringLiteral("\u2026")));
    return out;
}

} // namespace lockstep
