// SPDX-License-Identifier: Apache-2.0
// MarksPanel lists the markers and notes set by the user, one per row. The user can sort, search, edit,
// remove and copy the markers, and go to them. Import notes are in the Import notes panel. UI thread.
#pragma once

#include "ui/models/mark_model.h"
#include "ui/window/panel.h"

class QLabel;
class QLineEdit;

namespace lockstep {

class TableView;

class MarksPanel : public Panel {
    Q_OBJECT

  public:
    // `store` must outlive the panel.
    explicit MarksPanel(MarkStore& store, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    TableView* view() const { return m_view; }
    MarkModel& model() const { return *m_model; }
    // Selects the row of a marker, if it has one.
    void showMark(int64_t number);
    // Returns the selected rows, or all shown rows if at most one cell is selected, as a Markdown table.
    QString markdown() const;

  signals:
    // Emitted on Enter, on a double click, or when the current row changes. The view goes to the marker; the
    // keyboard focus stays in the panel.
    void markActivated(int64_t number);

  protected:
    void rebuild() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    std::vector<int64_t> selected() const;
    bool pressMarkKey(int key, Qt::KeyboardModifiers modifiers);
    void editText();

    MarkStore& m_store;
    QLabel* m_hint;
    QWidget* m_bar;
    QLineEdit* m_find;
    MarkModel* m_model;
    TableView* m_view;
    bool m_isRefreshing = false;
};

} // namespace lockstep
