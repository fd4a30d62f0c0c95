// SPDX-License-Identifier: Apache-2.0
#include "ui/events/events_panel.h"

#include <QButtonGroup>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "ui/events/column_chooser.h"
#include "ui/events/event_summary.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/hidden_names_note.h"
#include "ui/panels/segments.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString groupedCount(uint64_t count)
{
    return QString::fromStdString(groupedText(static_cast<int64_t>(count)));
}

} // namespace

EventsPanel::EventsPanel(ViewState& view, Workers workers, QWidget* parent)
    : ComputedPanel("Events", {.help = "selection#Events"}, workers, parent), m_view(view),
      m_workers(workers), m_table(new EventTable(this)), m_count(new QLabel(this)), m_note(new QLabel(this)),
      m_hint(new QLabel(this)),
      m_exportJob([this](const Result<std::filesystem::path>& outcome) { showExportResult(outcome); },
                  std::move(workers))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    m_note->setObjectName("eventNote");
    m_note->setWordWrap(true);
    m_note->setContentsMargins(scaledPixels(12), scaledPixels(2), scaledPixels(12), scaledPixels(4));
    m_note->hide();
    column->addWidget(m_note);
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->hide();
    column->addWidget(m_hint, 1);
    column->addWidget(m_table, 1);
    m_table->setAccessibleName(tr("Events"));
    connect(m_table, &EventTable::summaryChanged, this, &EventsPanel::summaryChanged);
    connect(m_table, &EventTable::currentRowChanged, this, &EventsPanel::goTo);
    connect(m_table, &EventTable::rowActivated, this,
            [this](int row) { m_view.navigateTo(m_table->model().sliceAt(row), true); });
    connect(m_table, &EventTable::orderRequested, this, &EventsPanel::orderBy);
    connect(m_table, &EventTable::columnsChanged, this, [this] { emit columnsChanged(columnsText()); });
    connect(m_table, &EventTable::copied, this, [this](qint64 rows) {
        showNote(rows < static_cast<qint64>(kMaxCopiedRows)
                     ? QString()
                     : tr("Copied the first %1 rows. Use Export to write all rows.")
                           .arg(groupedCount(kMaxCopiedRows)));
    });
    connect(m_table->header(), &FilterHeader::filterChanged, this, [this](int section, const QString& text) {
        m_filterTexts[static_cast<EventColumn>(section)] = text;
        outdate();
    });
    connect(&view, &ViewState::scopeChanged, this, [this] { outdate(); });
    connect(&view, &ViewState::areasChanged, this, [this] {
        if (m_view.scopeChoice() == ScopeChoice::selected) outdate();
    });
    connect(&view, &ViewState::sliceChanged, this, &EventsPanel::followSlice);
    showOrder();
    compute();
}

EventsPanel::~EventsPanel() = default;

QWidget* EventsPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(12));
    addScopeSegments(*line, bar, m_view,
                     {tr("Events that overlap the visible range. Durations are not clipped."),
                      tr("Selected slices and events in area selections, or events that overlap the "
                         "range selected on the ruler. Durations are not clipped."),
                      tr("All events in the visible reports")});
    m_source = addSegments(*line, bar, {tr("All events"), tr("Hits")},
                           {tr("All slices and instants"), tr("Only events that match the search field")});
    connect(m_source, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) outdate();
    });
    m_count->setObjectName("eventCount");
    line->addWidget(m_count);
    line->addWidget(new HiddenNamesNote(m_view, bar));
    line->addStretch(1);
    addControls(*line, bar);
    return bar;
}

void EventsPanel::addControls(QHBoxLayout& line, QWidget* bar)
{
    const auto button = [&](const QString& text, const QString& tooltip, bool isSwitch) {
        auto* const made = new QPushButton(text, bar);
        made->setProperty("toggle", true);
        made->setCheckable(isSwitch);
        made->setToolTip(tooltip);
        line.addWidget(made);
        return made;
    };
    m_filters = button(tr("Filter row"), tr("Show filter fields above the columns"), true);
    m_columns = button(tr("Columns"), tr("Choose and arrange columns"), false);
    m_columns->setObjectName("columns");
    m_export = button(tr("Export"), tr("Write the listed rows and visible columns to a CSV file"), false);
    m_chooser = new ColumnChooser(*m_table, this);
    connect(m_filters, &QPushButton::toggled, this, &EventsPanel::showFilters);
    connect(m_columns, &QPushButton::clicked, this, [this] { m_chooser->popUp(*m_columns); });
    connect(m_chooser, &ColumnChooser::chosen, this, [this] { emit columnsChanged(columnsText()); });
    connect(m_export, &QPushButton::clicked, this, [this] {
        if (!m_exportJob.isRunning()) return promptForExport();
        m_exportJob.cancel();
        m_export->setText(tr("Export"));
        showNote(tr("Export canceled. No file was written."));
    });
}

void EventsPanel::showFilters(bool areShown)
{
    m_table->header()->setFiltersShown(areShown);
    for (size_t i = 0; areShown && i < kEventColumns; ++i) {
        const auto column = static_cast<EventColumn>(i);
        QLineEdit* const field = m_table->header()->filterField(static_cast<int>(i));
        field->setPlaceholderText(isFilterable(column) ? tr("any") : QString());
        field->setEnabled(isFilterable(column));
        field->setToolTip(filterHelp(column));
    }
    if (!areShown) m_filterTexts.clear();
    outdate();
}

bool EventsPanel::isBusy() const
{
    return ComputedPanel::isBusy() || m_exportJob.isRunning() || m_table->isBusy();
}

QString EventsPanel::countText() const
{
    return m_count->text();
}

QString EventsPanel::noteText() const
{
    return m_note->isHidden() ? QString() : m_note->text();
}

QString EventsPanel::hint() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void EventsPanel::setTheme(const Theme& theme)
{
    m_table->setTheme(theme);
}

void EventsPanel::setSearch(std::shared_ptr<const EventHits> hits, const EventQuery& query)
{
    m_hits = std::move(hits);
    m_search = query;
    const auto matcher = EventMatcher::make(query);
    m_table->setMatched(matcher ? matcher->names() : std::vector<TextMatcher>());
    if (m_source->checkedId() == 1) outdate();
}

void EventsPanel::showHits()
{
    m_view.setScopeChoice(ScopeChoice::whole);
    m_source->button(1)->setChecked(true);
}

void EventsPanel::filterByName(const std::string& name)
{
    m_view.setScopeChoice(ScopeChoice::whole);
    m_source->button(0)->setChecked(true);
    m_filters->setChecked(true);
    for (size_t i = 0; i < kEventColumns; ++i) {
        QLineEdit* const field = m_table->header()->filterField(static_cast<int>(i));
        const bool isName = static_cast<EventColumn>(i) == EventColumn::name;
        field->setText(isName ? exactNameFilter(name) : QString());
    }
}

void EventsPanel::compute()
{
    const bool isOfHits = m_source->checkedId() == 1;
    const std::optional<Scope> scope = m_view.scope();
    const auto query = eventFilterQuery(m_filterTexts);
    m_job.cancel();
    showNote(query ? QString() : QString::fromStdString(query.error().message));
    if (!query) return; // if the filters are invalid, the list keeps its previous state
    if (scene()->shown.isEmpty()) {
        m_listing.reset();
        m_request = {};
        return showList({}, tr("No report open. Open one to list its slices here, one per row."));
    }
    if (!scope && !isOfSelection()) return showList({}, noRangeText());
    if (isOfHits && m_hits == nullptr) {
        return showList({}, m_search.isEmpty() ? tr("No search active. Type in the search field (/) first.")
                                               : tr("Searching \u2026"));
    }
    EventRequest request{scene(), *query, isOfHits ? m_hits : nullptr, {}, {}};
    if (isOfSelection())
        request.selection = {m_view.areas(), m_view.slices(), Clip::exclude};
    else if (m_view.scopeChoice() != ScopeChoice::whole)
        request.options.range = scope->time;
    request.options.order = m_order;
    request.options.isDescending = m_isDescending;
    if (!request.hasSameFilters(m_request)) m_listing.reset();
    m_request = request;
    m_job.start([request, previous = m_listing](const Progress& progress) {
        return listEvents(request, previous ? &*previous : nullptr, progress);
    });
}

// Area selections and selected slices are more specific than the time range they span.
bool EventsPanel::isOfSelection() const
{
    return m_view.scopeChoice() == ScopeChoice::selected &&
           (!m_view.areas().empty() || m_view.slices() != nullptr);
}

void EventsPanel::take(Result<EventListing> outcome)
{
    if (outcome) {
        m_listing = *outcome;
        const bool isOfHits = m_source->checkedId() == 1;
        showList(*outcome, isOfHits
                               ? tr("No search hits in this range. Set the range to Whole to list all hits.")
                           : outcome->all > 0
                               ? tr("No events in this range match the filters.")
                               : tr("No events in this range. Set the range to Whole to list all events."));
        if (outcome->list->isTooLong())
            showNote(tr("Lists of more than %1 rows can only be sorted by time. Filter the list or choose "
                        "a range first.")
                         .arg(groupedCount(EventListOptions().mostSorted)));
    } else if (outcome.error().kind != ErrorKind::canceled) {
        showList({}, QString::fromStdString(outcome.error().message));
    }
}

void EventsPanel::showList(const EventListing& made, const QString& hint)
{
    const bool hasRows = made.list != nullptr && made.list->size() > 0;
    m_table->setList(made.list);
    // While filters are shown, their fields stay visible even if there are no rows.
    m_table->setVisible(hasRows || m_filters->isChecked());
    m_hint->setText(hint);
    m_hint->setVisible(!hasRows);
    QString text;
    if (made.list != nullptr) {
        const uint64_t rows = made.list->size();
        const Duration sum = made.list->sumOfDurations();
        text = rows == made.all ? tr("Events: %1").arg(groupedCount(rows))
                                : tr("Events: %1 of %2").arg(groupedCount(rows), groupedCount(made.all));
        if (rows > 0) {
            text += " \u00B7 " + tr("sum: %1 \u00B7 mean: %2")
                                     .arg(durationText(sum).c_str(),
                                          durationText({sum.ns / static_cast<int64_t>(rows)}).c_str());
        }
    }
    m_count->setText(text);
    m_count->setToolTip(tr("Full, unclipped durations of all listed events, including nested ones; "
                           "overlapping time counts more than once"));
    m_export->setEnabled(hasRows);
    showOrder();
    followSlice();
    emit listChanged();
}

void EventsPanel::orderBy(EventColumn column)
{
    const auto order = orderOf(column);
    if (order) {
        m_isDescending = *order == m_order ? !m_isDescending : *order == EventOrder::duration;
        m_order = *order;
        outdate();
    } else {
        showNote(tr("The list cannot be sorted by this column."));
    }
    showOrder();
}

void EventsPanel::showOrder()
{
    EventColumn column = EventColumn::start;
    for (const EventColumn other :
         {EventColumn::duration, EventColumn::name, EventColumn::rank, EventColumn::lane})
        column = orderOf(other) == m_order ? other : column;
    m_table->header()->setSortIndicator(static_cast<int>(column),
                                        m_isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void EventsPanel::followSlice()
{
    if (m_isSelecting) return;
    const auto& list = m_table->model().list();
    const SliceRef slice = m_view.slice();
    if (list == nullptr || slice == m_table->currentSlice()) return;
    const auto row = slice.isValid() ? list->rowOf(slice) : std::nullopt;
    m_table->setCurrentRow(row ? static_cast<int>(*row) : -1);
}

void EventsPanel::goTo(int row)
{
    if (row < 0) return;
    m_isSelecting = true;
    m_view.navigateTo(m_table->model().sliceAt(row));
    m_isSelecting = false;
}

QString EventsPanel::columnsText() const
{
    return shownColumnsText(m_table->columns());
}

void EventsPanel::setColumnsText(const QString& text)
{
    m_table->setColumns(shownColumnsFromText(text));
}

void EventsPanel::promptForExport()
{
    auto* const dialog = new QFileDialog(this, tr("Export events"), "events.csv", tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("csv");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { exportTo(path.toStdString()); });
    dialog->open();
}

void EventsPanel::exportTo(const std::filesystem::path& path)
{
    const auto& list = m_table->model().list();
    if (list == nullptr) return;
    EventRowsText what;
    for (const ShownColumn& shown : m_table->columns())
        what.columns.push_back(shown.column);
    what.end = list->size();
    m_exportName = QString::fromStdString(path.filename().string());
    m_export->setText(tr("Stop export"));
    showNote(tr("Writing %1 rows to %2 \u2026").arg(groupedCount(what.end), m_exportName));
    m_exportJob.start([list, what, path](const Progress& progress) -> Result<std::filesystem::path> {
        OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
        LOCKSTEP_TRY(writeEventRows(
            *list, what, [&](std::string_view line) { file.write(line); }, progress));
        LOCKSTEP_TRY(file.commit());
        return path;
    });
}

void EventsPanel::showExportResult(const Result<std::filesystem::path>& outcome)
{
    m_export->setText(tr("Export"));
    const QString text =
        outcome ? tr("Exported %1").arg(m_exportName) : QString::fromStdString(outcome.error().message);
    showNote(text);
    emit exported(text);
}

void EventsPanel::showNote(const QString& note)
{
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

} // namespace lockstep
