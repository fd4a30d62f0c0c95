// SPDX-License-Identifier: Apache-2.0
// EventsPanel: every slice that is seen, in the selected range or anywhere, row by row, or those that the
// window searches for; filtered above its columns, put in order by their heads. A row that is gone to is
// selected in the timeline, and what is selected there is found here. Lists are made off the UI thread. UI
// thread.
#pragma once

#include <filesystem>

#include <QTimer>

#include "ui/async/latest_job.h"
#include "ui/events/event_filters.h"
#include "ui/events/event_listing.h"
#include "ui/events/event_table.h"
#include "ui/window/panel.h"

class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace lockstep {

class ColumnChooser;
class ViewState;

class EventsPanel : public Panel {
    Q_OBJECT

  public:
    // view outlives the panel.
    EventsPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~EventsPanel() override;

    // What the window searches for and has found; null hits: nothing yet, an empty query: nothing.
    void setSearch(std::shared_ptr<const EventHits> hits, const EventQuery& query);
    // All hits, wherever they are.
    void showHits();
    // All slices of exactly this name, wherever they are, by the filter of the name's column.
    void showNamed(const std::string& name);
    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    // Who walks through rows sees them: what they select is in hand here.
    bool tellsSelection() const override { return canBeSeen(); }

    // Shown columns and widths as text: "start:120 name:320"; what is none of that is left out, and nothing
    // at all gives the first ones.
    QString columnsText() const;
    void setColumnsText(const QString& text);
    // The listed rows as CSV, all columns that are shown. Tells by exported().
    void exportTo(const std::filesystem::path& path);

    EventTable* table() const { return m_table; }
    QPushButton* filterSwitch() const { return m_filters; }
    QPushButton* columnsButton() const { return m_columns; }
    ColumnChooser* chooser() const { return m_chooser; }
    QString countText() const;
    QString noteText() const;
    QString hint() const;

  signals:
    void listChanged();
    void columnsChanged(const QString& text);
    void exported(const QString& outcome);

  protected:
    // Rows stay until the new ones are there.
    void rebuild() override;

  private:
    QWidget* makeBar();
    void addControls(QHBoxLayout& line, QWidget* bar);
    void showFilters(bool areShown);
    void compute();
    bool isOfSelection() const;
    void take(const Result<EventListing>& outcome);
    void showList(const EventListing& made, const QString& hint);
    void orderBy(EventColumn column);
    void showOrder();
    void followSlice();
    void goTo(int row);
    void askExport();
    void takeExport(const Result<std::string>& outcome);
    void tell(const QString& note);

    ViewState& m_view;
    Workers m_workers;
    EventTable* m_table;
    QLabel* m_count;
    QLabel* m_note;
    QLabel* m_hint;
    QButtonGroup* m_which = nullptr; // all events, hits
    QPushButton* m_filters = nullptr;
    QPushButton* m_columns = nullptr;
    QPushButton* m_export = nullptr;
    ColumnChooser* m_chooser = nullptr;
    std::shared_ptr<const EventHits> m_hits; // of the window's search
    EventQuery m_search;
    EventFilterTexts m_filterTexts;
    EventOrder m_order = EventOrder::time;
    bool m_isDescending = false;
    bool m_isGoing = false; // the slice that comes is ours
    EventRequest m_asked;
    std::optional<EventListing> m_made; // of what was asked last, or of what passes alike
    QTimer m_soon;
    LatestJob<EventListing> m_job;
    LatestJob<std::string> m_exportJob;
    QString m_exportName;
};

} // namespace lockstep
