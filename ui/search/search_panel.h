// SPDX-License-Identifier: Apache-2.0
// SearchPanel drops down below the search field during a search: it shows the filters of the query as chips,
// the hits as rows in chronological order, and the number of hits per rank. The panel does not take the
// focus; keys in the search field move through the rows. The panel is a child of the window and lies above
// the other widgets. UI thread.
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

    // Sets the text and its parsed query. `error` is the reason if the text is not a valid query, otherwise
    // "".
    void setQuery(const QString& text, const EventQuery& query, const QString& error);
    // Sets the names that are hidden in the lanes. The search still finds slices with these names, which the
    // footer states.
    void setHiddenNames(const QStringList& names) { m_hiddenNames = names; }
    // Sets the results; null if there are no results yet.
    void setFound(const std::shared_ptr<const SceneSearch>& found);
    // Sets the progress of reading files, 0..1; nullopt if no files are being read.
    void setProgress(std::optional<double> fraction);
    void setTheme(const Theme& theme);
    // Places the panel below the field, right-aligned, at least as wide as the field and as tall as there is
    // room.
    void placeBelow(const QWidget& field);

    EventTable* table() const { return m_table; }
    QLabel* message() const { return m_message; }
    QStringList chips() const;

  signals:
    // Requests new text for the search field, with a filter added or removed.
    void textRequested(const QString& text);
    void stepRequested(bool isForward);
    void rowRequested(int row);
    void cancelRequested();

  protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeHeader();
    void fillChips(const EventQuery& query);
    void showFilters();
    void updateFooter(const SceneSearch& found);

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
