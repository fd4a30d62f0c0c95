// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/table_cell_delegate.h"

#include <algorithm>
#include <memory>

#include <QPainter>

#include "core/timeline/elide.h"
#include "ui/models/table_roles.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

int digitWidth(const QFontMetrics& metrics)
{
    int width = 0;
    for (char digit = '0'; digit <= '9'; ++digit)
        width = std::max(width, metrics.horizontalAdvance(QChar(digit)));
    return width;
}

constexpr qsizetype kMaxCachedCharacters = 500'000; // total length of the cached lines
constexpr qsizetype kMaxCachedLength = 4'000;
constexpr size_t kMaxFaces = 8;

} // namespace

TableCellDelegate::TableCellDelegate(QObject* parent) : QStyledItemDelegate(parent) {}

TableCellDelegate::Face& TableCellDelegate::faceOf(const QFont& font) const
{
    const auto found = std::ranges::find_if(m_faces, [&](const auto& face) { return face->font == font; });
    if (found != m_faces.end()) return **found;
    if (m_faces.size() == kMaxFaces) m_faces.clear();
    auto face = std::make_unique<Face>();
    face->font = font;
    face->raw = QRawFont::fromFont(font);
    face->digitWidth = digitWidth(QFontMetrics(font));
    face->lines.setMaxCost(kMaxCachedCharacters);
    face->functions.setMaxCost(kMaxCachedCharacters);
    return *m_faces.emplace_back(std::move(face));
}

// Returns the text, or an ellipsis and the last digits that fit. The ellipsis is needed because a number
// without its first digits would be misread.
static QString fittingFigures(const QFontMetrics& metrics, int digitWidth, const QString& text, int width)
{
    const auto cell = [&](QChar c) { return c.isDigit() ? digitWidth : metrics.horizontalAdvance(c); };
    const QChar ellipsis(0x2026);
    int all = 0, last = cell(ellipsis);
    qsizetype from = text.size();
    for (qsizetype i = text.size(); i-- > 0;) {
        all += cell(text[i]);
        if ((last += cell(text[i])) <= width) from = i;
    }
    return all <= width ? text : ellipsis + text.mid(from);
}

// Draws digits in cells of equal width, from the right, because Qt 6.4 cannot enable the tabular figures of a
// font.
void TableCellDelegate::drawTabular(QPainter& painter, Face& face, const QRect& rect, const QString& whole)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const bool mayFit = whole.size() * face.digitWidth <= rect.width();
    const QString text = mayFit ? whole : fittingFigures(metrics, face.digitWidth, whole, rect.width());
    const int baseline = rect.top() + (rect.height() + metrics.ascent() - metrics.descent()) / 2;
    int right = rect.left() + rect.width();
    QList<quint32> indexes;
    QList<QPointF> positions;
    for (qsizetype i = text.size(); i-- > 0 && right > rect.left();) {
        auto glyph = face.glyphs.find(text[i]);
        if (glyph == face.glyphs.end()) {
            const QList<quint32> index = face.raw.glyphIndexesForString(QString(text[i]));
            glyph = face.glyphs.insert(
                text[i], {index.isEmpty() ? 0 : index.front(), metrics.horizontalAdvance(text[i])});
        }
        const auto [index, advance] = *glyph;
        const int cell = text[i].isDigit() ? face.digitWidth : advance;
        right -= cell;
        const QPoint position(right + (cell - advance) / 2, baseline);
        if (index == 0) { // the glyph is in a fallback font
            painter.drawText(position, QString(text[i]));
            continue;
        }
        indexes << index;
        positions << position;
    }
    QGlyphRun run;
    run.setRawFont(face.raw);
    run.setGlyphIndexes(indexes);
    run.setPositions(positions);
    if (right < rect.left()) painter.setClipRect(rect);
    painter.drawGlyphRun({0, 0}, run);
}

void TableCellDelegate::drawLine(QPainter& painter, Face& face, const QRect& rect, const QString& text,
                                 Qt::TextElideMode mode)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QPoint position(rect.left(), rect.top() + (rect.height() - metrics.height()) / 2);
    const QString key = QString::number(rect.width()) + (mode == Qt::ElideRight ? '>' : '<') + text;
    if (const QStaticText* const cached = face.lines.object(key))
        return painter.drawStaticText(position, *cached);
    QString single = text;
    single.replace('\n', ' ');
    auto line = std::make_unique<QStaticText>(metrics.elidedText(single, mode, rect.width()));
    line->setTextFormat(Qt::PlainText);
    painter.drawStaticText(position, *line);
    if (text.size() <= kMaxCachedLength) face.lines.insert(key, line.release(), key.size());
}

bool TableCellDelegate::isFunction(const QModelIndex& index) const
{
    return index.data(functionRole).toBool();
}

QString TableCellDelegate::shortenedFunction(const QString& name, const QFontMetrics& metrics, int width)
{
    if (metrics.horizontalAdvance(name) <= width) return name;
    const std::string whole = name.toStdString();
    const std::string plain(withoutParameters(whole));
    const std::string bare = withoutTemplateArguments(plain);
    const size_t last = bare.rfind("::");
    for (const std::string& shorter : {plain, bare}) {
        const QString text = QString::fromStdString(shorter);
        if (metrics.horizontalAdvance(text) <= width) return text;
    }
    return QString::fromStdString(last == bare.npos ? bare : bare.substr(last + 2));
}

Qt::TextElideMode TableCellDelegate::elideMode(const QStyleOptionViewItem& option)
{
    return option.textElideMode == Qt::ElideNone ? Qt::ElideRight : option.textElideMode;
}

int TableCellDelegate::tabularWidth(const QFontMetrics& metrics, const QString& text)
{
    const int digit = digitWidth(metrics);
    int width = 0;
    for (const QChar c : text)
        width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
}

void TableCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    painter->save();
    const bool isSelected = (option.state & QStyle::State_Selected) != 0;
    const double share = isSelected ? 0.28 : index.row() == m_currentRow ? 0.14 : 0;
    if (share > 0) painter->fillRect(option.rect, mixed(m_theme->window, m_theme->accent, share));
    painter->setPen(m_theme->line);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    if ((option.state & QStyle::State_HasFocus) != 0) {
        painter->setPen(m_theme->accent);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    const QVariant color = index.data(Qt::ForegroundRole);
    painter->setPen(color.isValid() ? color.value<QColor>() : m_theme->text);
    const QVariant font = index.data(Qt::FontRole);
    painter->setFont(font.isValid() ? font.value<QFont>().resolve(option.font) : option.font);
    const QRect inner = textRectIn(option.rect.adjusted(scaledPixels(8), 0, -scaledPixels(8), 0), index);
    QString text = index.data(Qt::DisplayRole).toString();
    Face& face = faceOf(painter->font());
    if (isFunction(index)) {
        const QString key = QString::number(inner.width()) + text;
        if (!face.functions.contains(key))
            face.functions.insert(
                key, new QString(shortenedFunction(text, painter->fontMetrics(), inner.width())), key.size());
        if (const QString* const cachedName = face.functions.object(key)) text = *cachedName;
    }
    if (index.data(numberRole).isValid()) {
        drawTabular(*painter, face, inner, text);
    } else {
        drawLine(*painter, face, inner, text, elideMode(option));
    }
    painter->restore();
}

QSize TableCellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    constexpr qsizetype kMaxMeasuredLength = 1000; // longer texts are wider than the limit in any case
    const QString text = index.data(Qt::DisplayRole).toString().left(kMaxMeasuredLength);
    const QVariant font = index.data(Qt::FontRole);
    const QFontMetrics metrics =
        font.isValid() ? QFontMetrics(font.value<QFont>().resolve(option.font)) : option.fontMetrics;
    // Words are drawn as a whole: the sum of their rounded letter widths can be too small.
    const int needed =
        index.data(numberRole).isValid() ? tabularWidth(metrics, text) : metrics.horizontalAdvance(text) + 1;
    const int width = std::min(needed, scaledPixels(520));
    return {width + scaledPixels(18), option.fontMetrics.height() + scaledPixels(8)};
}

} // namespace lockstep
