// SPDX-License-Identifier: Apache-2.0
#include "ui/analysis/analysis_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/analysis/empty_table.h"
#include "core/session/shell_quote.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/argument_form.h"
#include "ui/async/cached_analysis.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/elided_label.h"
#include "ui/panels/segments.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr std::array kGroupings{GroupBy::total,   GroupBy::rank,    GroupBy::role,         GroupBy::step,
                                GroupBy::host,    GroupBy::process, GroupBy::communicator, GroupBy::replica,
                                GroupBy::version, GroupBy::group,   GroupBy::report};

QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QLabel* mutedLine(QWidget* parent)
{
    auto* const label = new ElidedLabel(parent);
    label->setProperty("muted", true);
    return label;
}

} // namespace

AnalysisPanel::AnalysisPanel(ViewState& viewState, Workers workers, QWidget* parent)
    : ComputedPanel("Analyses", {.help = "analyses"}, std::move(workers), parent), m_viewState(viewState),
      m_list(new AnalysisList(this)), m_pane(new ChartedTable(this))
{
    setProperty("page", true);
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    // The list takes a quarter of the width, within limits. If there is room, the list shows identifiers.
    m_list->setMinimumWidth(scaledPixels(248));
    m_list->setMaximumWidth(scaledPixels(420));
    line->addWidget(m_list, 1);
    auto* const column = new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    line->addLayout(column, 3);
    column->addWidget(m_header = makeHeader());
    column->addWidget(makeControls());
    column->addWidget(makeArguments());
    column->addWidget(m_pane, 1);
    column->addWidget(makeFooter());
    view()->setAccessibleName(tr("Analysis table"));
    connect(m_list, &AnalysisList::chosen, this, &AnalysisPanel::open);
    connect(view(), &TableView::summaryChanged, this, &AnalysisPanel::summaryChanged);
    connect(m_pane, &ChartedTable::rowActivated, this, [this](int row) {
        if (table() != nullptr) showRow(static_cast<size_t>(row));
    });
    connect(m_pane, &ChartedTable::rowNavigated, this, [this](int row) {
        if (table() != nullptr) m_viewState.navigateTo(table()->longest(static_cast<size_t>(row)));
    });
    connect(m_pane, &ChartedTable::sqlRequested, &viewState, &ViewState::requestQuery);
    connect(&viewState, &ViewState::scopeChanged, this, [this] { outdate(); });
    setFocusProxy(m_list);
    m_list->select(*findAnalysis("temporal_breakdown"));
}

AnalysisPanel::~AnalysisPanel() = default;

QWidget* AnalysisPanel::makeHeader()
{
    auto* const header = new QWidget(this);
    auto* const line = new QHBoxLayout(header);
    line->setContentsMargins(scaledPixels(12), scaledPixels(8), scaledPixels(12), 0);
    line->setSpacing(scaledPixels(12));
    m_title = new QLabel(header);
    m_title->setTextFormat(Qt::PlainText);
    QFont bold = m_title->font();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    m_meaning = mutedLine(header);
    line->addWidget(m_title);
    line->addWidget(m_meaning, 1);
    return header;
}

QWidget* AnalysisPanel::makeControls()
{
    auto* const bar = new QWidget(this);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(10));
    m_by = new QComboBox(bar);
    m_by->setAccessibleName(tr("Group rows by"));
    m_by->setToolTip(tr("One total, or separate rows per rank, role, step and so on"));
    for (const GroupBy by : kGroupings)
        m_by->addItem(toQt(groupByName(by)));
    connect(m_by, &QComboBox::currentIndexChanged, this, [this] { outdate(); });
    line->addWidget(m_by);
    addScopeSegments(*line, bar, m_viewState,
                     {tr("Visible range"), tr("Selected range"), tr("All visible reports")});
    m_stop = new QPushButton(tr("Stop"), bar);
    m_stop->setToolTip(tr("Stop the running analysis"));
    m_stop->hide();
    connect(m_stop, &QPushButton::clicked, this, &AnalysisPanel::stop);
    line->addWidget(m_stop);
    m_status = new QLabel(bar);
    m_status->setProperty("muted", true);
    line->addWidget(m_status);
    line->addStretch(1);
    m_pane->addControls(*line);
    m_pane->findField()->setAccessibleName(tr("Find in the analysis table"));
    return bar;
}

// Creates the argument fields, which scroll if the window is too narrow.
QWidget* AnalysisPanel::makeArguments()
{
    auto* const area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->viewport()->setAutoFillBackground(false);
    m_form = new ArgumentForm(area);
    connect(m_form, &ArgumentForm::changed, this, [this] { outdate(); });
    area->setWidget(m_form);
    m_form->setAutoFillBackground(false);
    m_arguments = area;
    return area;
}

QWidget* AnalysisPanel::makeFooter()
{
    auto* const footer = new QWidget(this);
    footer->setProperty("panel", true);
    footer->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(8), scaledPixels(4));
    line->setSpacing(scaledPixels(10));
    m_source = mutedLine(footer);
    m_source->setAccessibleName(tr("Source of the table"));
    line->addWidget(m_source, 2);
    m_command = new QLineEdit(footer);
    m_command->setReadOnly(true);
    m_command->setAccessibleName(tr("Equivalent command line"));
    line->addWidget(m_command, 3);
    auto* const copy = new QPushButton(tr("Copy command"), footer);
    copy->setToolTip(
        tr("Copy the command line that exports this table. It uses the clocks and identities recorded in the "
           "files; corrections made here are stored only in a saved workspace."));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(commandLine()); });
    line->addWidget(copy);
    return footer;
}

const Table* AnalysisPanel::table() const
{
    return m_pane->table();
}

TableView* AnalysisPanel::view() const
{
    return m_pane->view();
}

QString AnalysisPanel::hint() const
{
    return m_pane->hint();
}

std::string AnalysisPanel::what() const
{
    return std::string(m_list->current()->name) + m_form->argumentText();
}

QString AnalysisPanel::commandLine() const
{
    std::vector<std::string> words{"lockstep", "--export", what()};
    const auto by = kGroupings[static_cast<size_t>(m_by->currentIndex())];
    if (by != GroupBy::total) words.insert(words.end(), {"--by", std::string(groupByName(by))});
    const std::optional<Scope> scope = m_viewState.scope();
    if (scope && scope->time) {
        words.insert(words.end(), {"--time-range", std::to_string(scope->time->begin.ns) + "ns.." +
                                                       std::to_string(scope->time->end.ns) + "ns"});
    }
    for (const ReportKey key : scene()->shown.keys())
        words.push_back(scene()->shown.report(key).provenance.path.string());
    return QString::fromStdString(shellLine(words));
}

// Hides the header in a low panel, because the list next to the table shows the title as well.
void AnalysisPanel::resizeEvent(QResizeEvent* event)
{
    constexpr int kLow = 290; // px at scale 1
    Panel::resizeEvent(event);
    m_header->setVisible(height() >= scaledPixels(kLow));
}

void AnalysisPanel::setTheme(const Theme& theme)
{
    m_pane->setTheme(theme);
}

void AnalysisPanel::open(const Analysis& analysis)
{
    m_title->setText(toQt(analysis.title));
    m_meaning->setText(tr("%1 \u00B7 input: %2").arg(toQt(analysis.name), toQt(analysis.rows)));
    m_meaning->setToolTip(m_meaning->text());
    m_form->setArguments(analysis.arguments);
    m_arguments->setVisible(!analysis.arguments.empty());
    m_arguments->setFixedHeight(m_form->sizeHint().height());
    outdate();
}

// A row with a range of its own, such as a gap, is shown with the work before and after it.
void AnalysisPanel::showRow(size_t row)
{
    const SliceRef slice = table()->longest(row);
    const auto range = table()->range(row);
    if (!range || !slice.isValid()) return m_viewState.navigateTo(slice, true);
    const ClockMap& map = scene()->alignment.map(slice.report);
    const TimeRange aligned{map.alignedFromTrace(range->begin), map.alignedFromTrace(range->end)};
    const Duration margin{aligned.length().ns / 4 + 1};
    m_viewState.navigateTo(slice, false, TimeRange{aligned.begin - margin, aligned.end + margin});
}

void AnalysisPanel::stop()
{
    if (!m_job.isRunning()) return;
    m_job.cancel();
    if (table() == nullptr)
        return showOutcome(tr("Stopped. Change the range or an argument to run the analysis again."));
    showOutcome({});
    m_status->setText(
        tr("Stopped. Showing the previous table (%1).").arg(QString::fromStdString(table()->name())));
}

void AnalysisPanel::compute()
{
    std::optional<Scope> scope = m_viewState.scope();
    m_command->setText(commandLine());
    m_command->setCursorPosition(0); // show the beginning of the command, which matters most
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        m_requestedScene = scene();
        m_pane->setOrigin(nullptr, {});
        m_pane->setTable(nullptr);
        showOutcome(
            scene()->shown.isEmpty()
                ? tr("No reports open. Open reports to run any of the %1 analyses.").arg(analyses().size())
                : noRangeText());
        return;
    }
    scope->by = kGroupings[static_cast<size_t>(m_by->currentIndex())];
    m_requestedScene = scene();
    m_requestedScope = *scope;
    m_since.start();
    if (const auto held = m_viewState.results()->find(scene(), *scope, what())) {
        m_job.cancel();
        return take(held);
    }
    m_stop->show();
    m_status->setText(tr("Running \u2026"));
    m_job.start(cachedAnalysis(m_viewState.results(), what(), scene(), *scope));
}

void AnalysisPanel::take(Result<std::shared_ptr<const Table>> outcome)
{
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    const std::shared_ptr<const Table> made = outcome ? *outcome : nullptr;
    m_pane->setOrigin(m_requestedScene, m_requestedScope);
    m_pane->setTable(made);
    const Analysis& analysis = *m_list->current();
    QString hint;
    if (!outcome) {
        hint = QString::fromStdString(outcome.error().message);
    } else if (made->rowCount() == 0) {
        hint = toQt(emptyTableText(analysis, made->source));
        hint += rangeAdvice(m_viewState, m_requestedScope, *m_requestedScene);
    }
    showOutcome(hint);
    m_status->setText(tr("%n row(s), %1 s", nullptr, made ? static_cast<int>(made->rowCount()) : 0)
                          .arg(static_cast<double>(m_since.elapsed()) / 1000, 0, 'f', 2));
}

void AnalysisPanel::showOutcome(const QString& hint)
{
    m_stop->hide();
    m_status->clear();
    m_pane->setHint(hint);
    const Table* const made = table();
    QStringList lines;
    if (made != nullptr) {
        lines << toQt(made->source.rows);
        for (const auto* const part : {&made->source.rules, &made->source.filters})
            for (const std::string& line : *part)
                lines << QString::fromStdString(line);
    }
    m_source->setText(lines.isEmpty() ? QString() : tr("Source: %1").arg(lines.join("; ")));
    m_source->setToolTip(lines.join('\n'));
    emit tableChanged();
}

} // namespace lockstep
