// SPDX-License-Identifier: Apache-2.0
// FilterHeader shows the column headers of a table and, if switched on, a line of filter fields below the
// headers. UI thread.
#pragma once

#include <vector>

#include <QHeaderView>

class QLineEdit;

namespace lockstep {

class FilterHeader : public QHeaderView {
    Q_OBJECT

  public:
    explicit FilterHeader(QWidget* parent = nullptr);

    // Shows or hides the filter fields. Hiding clears the filters.
    void setFiltersShown(bool isShown);
    bool areFiltersShown() const { return m_areFiltersShown; }
    // Returns the field of a column, or nullptr while the filters are hidden.
    QLineEdit* filterField(int section) const;
    QSize sizeHint() const override;

  signals:
    void filterChanged(int section, const QString& text);

  protected:
    void updateGeometries() override;
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

  private:
    void makeFields();
    void placeFields();

    bool m_areFiltersShown = false;
    std::vector<QLineEdit*> m_fields;
};

} // namespace lockstep
