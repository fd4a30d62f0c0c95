// SPDX-License-Identifier: Apache-2.0
// SearchPanel: what drops down below the search field while something is searched for: the query's filters as
// chips, the hits as rows in the order of time, how many each rank has. It takes no focus: the field's keys
// walk its rows. A child of the window, laid over what is below. UI thread.
#pragma once

#include <optional>

#include <QFrame>

#include "core/timeline/scene_search.h"
#include "ui/events/event_table.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace lockstep {

class SearchPanel : public QFrame {
    Q_OBJECT

  public:
    explicit SearchPanel(QWidget* window);

    // What is typed, and the query that it is; error: it is none.
    void setQuery(const QString& text, const EventQuery& query, const QString& error);
    // null: nothing yet.
    // Which names lanes do not show: their slices are found all the same, and that is said.
    void setHiddenNames(const QStringList& names) { m_hiddenNames = names; }
    void setFound(const std::shared_ptr<const SceneSearch>& found);
    // Of the files that are read; empty: none are.
    void setProgress(std::optional<double> fraction);
    void setTheme(const Theme& theme);
    // Right-aligned below the field, as wide as it, as high as there is room.
    void placeBelow(const QWidget& field);

    EventTable* table() const { return m_table; }
    QLabel* footer() const { return m_footer; }
    QLabel* message() const { return m_message; }
    QStringList chips() const;

  signals:
    void textRequested(const QString& text); // for the field: without a chip, or with a filter begun
    void stepRequested(bool isForward);
    void rowRequested(int row);
    void cancelRequested();

  protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeHead();
    void fillChips(const EventQuery& query);
    void showFilters();
    void tellFooter(const SceneSearch& found);

    QString m_text;
    QHBoxLayout* m_chips = nullptr;
    QLabel* m_message;
    EventTable* m_table;
    QProgressBar* m_progress;
    QPushButton* m_stop;
    QLabel* m_ranks;
    QLabel* m_footer;
    QStringList m_hiddenNames;
};

} // namespace lockstep
