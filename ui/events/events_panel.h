// SPDX-License-Identifier: Apache-2.0
// EventsPanel lists the slices in the selected range, everywhere, or among the search hits, with filters
// above the columns. A click on a column header sorts the list. The current row is selected in the timeline,
// and a slice selected in the timeline becomes current in the list. Workers compute the lists. UI thread.
#pragma once

#include <filesystem>

#include "ui/async/latest_job.h"
#include "ui/events/event_filters.h"
#include "ui/events/event_listing.h"
#include "ui/events/event_table.h"
#include "ui/window/computed_panel.h"

class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace lockstep {

class ColumnChooser;
class ViewState;

class EventsPanel : public ComputedPanel<EventListing> {
    Q_OBJECT

  public:
    // view must outlive the panel.
    EventsPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~EventsPanel() override;

    // Sets the window's search and its hits. If `hits` is null, the search is still running. If the query is
    // empty, there is no search.
    void setSearch(std::shared_ptr<const EventHits> hits, const EventQuery& query);
    // Lists all hits in all reports.
    void showHits();
    // Lists all slices with exactly this name by setting the name filter.
    void filterByName(const std::string& name);
    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    // Returns true while the panel is visible, because a visible panel shows the selection.
    bool showsSelection() const override { return isEffectivelyVisible(); }

    // The visible columns and their widths as text: "start:120 name:320". Unknown entries are skipped; if no
    // valid entry is left, the defaults are used.
    QString columnsText() const;
    void setColumnsText(const QString& text);
    // Exports the listed rows and the visible columns as CSV; emits exported() when finished.
    void exportTo(const std::filesystem::path& path);

    EventTable* table() const { return m_table; }
    QPushButton* filterSwitch() const { return m_filters; }
    QString countText() const;
    QString noteText() const;
    QString hint() const;

  signals:
    void listChanged();
    void columnsChanged(const QString& text);
    void exported(const QString& outcome);

  protected:
    // The old rows stay on screen until the new ones are ready.
    void compute() override;
    void take(Result<EventListing> outcome) override;

  private:
    QWidget* makeBar();
    void addControls(QHBoxLayout& line, QWidget* bar);
    void showFilters(bool areShown);
    bool isOfSelection() const;
    void showList(const EventListing& made, const QString& hint);
    void orderBy(EventColumn column);
    void showOrder();
    void followSlice();
    void goTo(int row);
    void promptForExport();
    void showExportResult(const Result<std::filesystem::path>& outcome);
    void showNote(const QString& note);

    ViewState& m_view;
    Workers m_workers;
    EventTable* m_table;
    QLabel* m_count;
    QLabel* m_note;
    QLabel* m_hint;
    QButtonGroup* m_source = nullptr; // two buttons: all events, or only hits
    QPushButton* m_filters = nullptr;
    QPushButton* m_columns = nullptr;
    QPushButton* m_export = nullptr;
    ColumnChooser* m_chooser = nullptr;
    std::shared_ptr<const EventHits> m_hits; // hits of the window's search
    EventQuery m_search;
    EventFilterTexts m_filterTexts;
    EventOrder m_order = EventOrder::time;
    bool m_isDescending = false;
    bool m_isSelecting = false; // true while this panel changes the selection
    EventRequest m_request;
    std::optional<EventListing>
        m_listing; // result of the last request, or of a request that accepts the same events
    LatestJob<std::filesystem::path> m_exportJob;
    QString m_exportName;
};

} // namespace lockstep
