// SPDX-License-Identifier: Apache-2.0
// MarksPanel: the marks and notes that people set, one a row: sorted, searched, gone to, edited, removed,
// copied. What readers noted of files is another panel. UI thread.
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
    // store outlives the panel.
    explicit MarksPanel(MarkStore& store, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    TableView* view() const { return m_view; }
    MarkModel& model() const { return *m_model; }
    // Selects its row; nothing where it has none.
    void showMark(int64_t number);
    // What is selected, else everything, as a Markdown table or tab-separated lines.
    QString markdown() const;

  signals:
    // By Enter, a double click, or walking over rows: the view goes there, the panel stays.
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
