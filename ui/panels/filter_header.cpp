// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/filter_header.h"

#include <algorithm>

#include <QLineEdit>
#include <QPainter>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Returns the width reserved for the sort arrow next to the text.
int arrowWidth()
{
    return scaledPixels(12);
}

QFont headerFont()
{
    QFont font = smallFont(scaledPixels(100) / 100.0);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

FilterHeader::FilterHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true);
    setSectionsMovable(true);
    setHighlightSections(false);
    setSortIndicatorShown(true);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, &QHeaderView::sectionResized, this, &FilterHeader::placeFields);
    connect(this, &QHeaderView::sectionMoved, this, &FilterHeader::placeFields);
    connect(this, &QHeaderView::sectionCountChanged, this, [this] {
        if (m_areFiltersShown) makeFields();
    });
}

void FilterHeader::setFiltersShown(bool isShown)
{
    if (isShown == m_areFiltersShown) return;
    m_areFiltersShown = isShown;
    if (isShown) {
        makeFields();
    } else {
        for (size_t i = 0; i < m_fields.size(); ++i) {
            if (!m_fields[i]->text().isEmpty()) emit filterChanged(static_cast<int>(i), {});
            m_fields[i]->deleteLater();
        }
        m_fields.clear();
    }
    updateGeometries();
    emit geometriesChanged();
}

QLineEdit* FilterHeader::filterField(int section) const
{
    const auto at = static_cast<size_t>(section);
    return at < m_fields.size() ? m_fields[at] : nullptr;
}

void FilterHeader::makeFields()
{
    // count() may run a pending layout, which recounts the sections and calls this function again. Call it
    // once, at the start.
    const auto sections = static_cast<size_t>(count());
    while (m_fields.size() > sections) {
        m_fields.back()->deleteLater();
        m_fields.pop_back();
    }
    while (m_fields.size() < sections) {
        auto* const field = new QLineEdit(this);
        const int section = static_cast<int>(m_fields.size());
        const QString name = model()->headerData(section, Qt::Horizontal).toString();
        field->setPlaceholderText(tr("filter"));
        field->setToolTip(
            tr("Show rows whose %1 contains this text; >10, <=2.5 and =3 compare numbers").arg(name));
        field->setAccessibleName(tr("Filter for %1").arg(name));
        connect(field, &QLineEdit::textChanged, this,
                [this, section](const QString& text) { emit filterChanged(section, text); });
        m_fields.push_back(field);
    }
    placeFields();
}

QSize FilterHeader::sizeHint() const
{
    QSize size = QHeaderView::sizeHint();
    if (m_areFiltersShown) size.rheight() += scaledPixels(28);
    return size;
}

void FilterHeader::updateGeometries()
{
    setViewportMargins(0, 0, 0, m_areFiltersShown ? scaledPixels(28) : 0);
    QHeaderView::updateGeometries();
    placeFields();
}

void FilterHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    painter->save();
    painter->fillRect(rect, palette().color(QPalette::Window));
    painter->setPen(palette().color(QPalette::Mid));
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    painter->setPen(palette().color(isSorted ? QPalette::WindowText : QPalette::PlaceholderText));
    painter->setFont(headerFont());
    const auto alignment = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    const bool isRight = (alignment & Qt::AlignRight) != 0;
    QRect text = rect.adjusted(scaledPixels(8), 0, -scaledPixels(8), 0);
    const QString name = model()->headerData(section, Qt::Horizontal).toString();
    if (isSorted) {
        const QString arrow(QChar(sortIndicatorOrder() == Qt::DescendingOrder ? 0x25BE : 0x25B4));
        const int used =
            std::min(text.width() - arrowWidth(), painter->fontMetrics().horizontalAdvance(name));
        const int left = isRight ? text.right() - arrowWidth() + 1 : text.left() + used + scaledPixels(3);
        painter->drawText(QRect(left, text.top(), arrowWidth(), text.height()),
                          Qt::AlignRight | Qt::AlignVCenter, arrow);
        if (isRight) text.setRight(text.right() - arrowWidth());
    }
    painter->drawText(text, alignment | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(name, Qt::ElideRight, text.width()));
    painter->restore();
}

QSize FilterHeader::sectionSizeFromContents(int section) const
{
    const QFontMetrics metrics(headerFont());
    const QString name = model()->headerData(section, Qt::Horizontal).toString();
    return {metrics.horizontalAdvance(name) + scaledPixels(18) + arrowWidth(),
            metrics.height() + scaledPixels(9)};
}

void FilterHeader::placeFields()
{
    const int height = scaledPixels(24);
    // The fields are placed below the names, even if the owner set a different header height.
    const int top = std::max(sizeHint().height(), this->height()) - height - 2;
    for (size_t i = 0; i < m_fields.size(); ++i) {
        const int section = static_cast<int>(i);
        m_fields[i]->setVisible(!isSectionHidden(section));
        m_fields[i]->setGeometry(sectionViewportPosition(section) + 2, top, sectionSize(section) - 4, height);
    }
}

} // namespace lockstep
