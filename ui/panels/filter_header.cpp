#include "ui/panels/filter_header.h"

#include <QLineEdit>
#include <QScrollBar>

#include "ui/style/style_sheet.h"

namespace lockstep {

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
    while (m_fields.size() > static_cast<size_t>(count())) {
        m_fields.back()->deleteLater();
        m_fields.pop_back();
    }
    while (m_fields.size() < static_cast<size_t>(count())) {
        auto* const field = new QLineEdit(this);
        const int section = static_cast<int>(m_fields.size());
        const QString name = model()->headerData(section, Qt::Horizontal).toString();
        field->setPlaceholderText("filter");
        field->setToolTip("Rows whose " + name + " holds this text; >10, <=2.5 and =3 compare numbers");
        field->setAccessibleName("Filter of " + name);
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

void FilterHeader::placeFields()
{
    const int height = scaledPixels(24);
    const int top = sizeHint().height() - height - 2;
    for (size_t i = 0; i < m_fields.size(); ++i) {
        const int section = static_cast<int>(i);
        m_fields[i]->setVisible(!isSectionHidden(section));
        m_fields[i]->setGeometry(sectionViewportPosition(section) + 2, top, sectionSize(section) - 4, height);
    }
}

} // namespace lockstep
