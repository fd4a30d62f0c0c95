// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/kernel_panel.h"

#include <algorithm>
#include <climits>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/analysis/summary.h"
#include "ui/async/cached_analysis.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/hidden_names_note.h"
#include "ui/panels/kernel_chart.h"
#include "ui/panels/segments.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

KernelPanel::KernelPanel(ViewState& viewState, Workers workers, QWidget* parent)
    : ComputedPanel("Kernels", {.isInFront = true, .help = "analyses"}, std::move(workers), parent),
      m_viewState(viewState), m_chart(new KernelChart(this)), m_pane(new ChartedTable(this, m_chart))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(m_pane, 1);
    column->addWidget(makeFooter());
    view()->setAccessibleName(tr("Kernel summary"));
    connect(view(), &TableView::summaryChanged, this, &KernelPanel::summaryChanged);
    connect(m_pane, &ChartedTable::rowActivated, this, [this](int row) {
        if (table() != nullptr) m_viewState.navigateTo(table()->longest(static_cast<size_t>(row)), true);
    });
    connect(m_pane, &ChartedTable::rowNavigated, this, [this](int row) {
        if (table() != nullptr) m_viewState.navigateTo(table()->longest(static_cast<size_t>(row)));
    });
    connect(m_pane, &ChartedTable::sqlRequested, &viewState, &ViewState::requestQuery);
    connect(m_chart, &KernelChart::rowClicked, m_pane, &ChartedTable::activateRow);
    connect(&viewState, &ViewState::scopeChanged, this, [this] { outdate(); });
    connect(&viewState, &ViewState::scopePinnedChanged, this, [this] { m_chart->setTitle(chartTitle()); });
    compute();
}

KernelPanel::~KernelPanel() = default;

QWidget* KernelPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(12));
    addScopeSegments(*line, bar, m_viewState,
                     {tr("Kernels in the visible range, with durations clipped to the range"),
                      tr("Kernels in the selected range, with durations clipped to the range"),
                      tr("Kernels in all visible reports")});
    m_grouping = addSegments(*line, bar, {tr("Total"), tr("Per rank")},
                             {tr("One row per kernel"), tr("One row per rank and kernel")});
    m_names = addSegments(*line, bar, {tr("Base names"), tr("Full names")},
                          {tr("One row per base name, as in cuda_gpu_kern_sum:base"),
                           tr("Kernel names with template arguments, as in cuda_gpu_kern_sum")});
    for (const QButtonGroup* group : {m_grouping, m_names}) {
        connect(group, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
            if (isChecked) outdate();
        });
    }
    line->addStretch(1);
    m_pane->addControls(*line);
    m_pane->filterSwitch()->setObjectName("filterRow");
    m_pane->findField()->setAccessibleName(tr("Find in the kernel table"));
    return bar;
}

QWidget* KernelPanel::makeFooter()
{
    m_footerBar = new QWidget(this);
    m_footerBar->setProperty("page", true);
    m_footerBar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(m_footerBar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(3), scaledPixels(8), scaledPixels(3));
    line->setSpacing(scaledPixels(12));
    m_footer = new QLabel(m_footerBar);
    m_footer->setObjectName("cutNote");
    m_footer->setProperty("small", true);
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_footer, 1);
    line->addWidget(new HiddenNamesNote(m_viewState, m_footerBar));
    m_cutSwitch = new QPushButton(tr("Include clipped"), m_footerBar);
    m_cutSwitch->setObjectName("cutRows");
    m_cutSwitch->setCheckable(true);
    m_cutSwitch->setProperty("toggle", true);
    m_cutSwitch->setToolTip(
        tr("For slices that extend beyond the range, count the part inside it in Avg, Med, Min, Max and "
           "StdDev. Command line: --clip include"));
    line->addWidget(m_cutSwitch);
    connect(m_cutSwitch, &QPushButton::toggled, this, [this] { outdate(); });
    connect(&m_viewState, &ViewState::hiddenNamesChanged, this, &KernelPanel::showClippedCount);
    showClippedCount();
    return m_footerBar;
}

// Shows how many slices are clipped. Hides the footer if it has nothing to show.
void KernelPanel::showClippedCount()
{
    const Table* const made = table();
    const int64_t cut = made != nullptr && made->rowCount() > 0 ? made->source.cut.value_or(0) : 0;
    const int count = static_cast<int>(std::min<int64_t>(cut, INT_MAX));
    const bool isIncluded = m_requestedScope.clip == Clip::include;
    QString text = isIncluded ? tr("%n slice(s) extend beyond the visible range; the part inside is counted",
                                   nullptr, count)
                              : tr("%n slice(s) extend beyond the visible range: counted in Total Time, not "
                                   "in Min, Avg, Med, Max, StdDev",
                                   nullptr, count);
    if (m_viewState.scopeChoice() == ScopeChoice::selected)
        text = isIncluded ? tr("%n slice(s) extend beyond the selected range; the part inside is counted",
                               nullptr, count)
                          : tr("%n slice(s) extend beyond the selected range: counted in Total Time, not in "
                               "Min, Avg, Med, Max, StdDev",
                               nullptr, count);
    m_footer->setText(cut == 0 ? QString() : text);
    m_footer->setToolTip(m_footer->text());
    m_cutSwitch->setVisible(cut > 0);
    m_footerBar->setVisible(cut > 0 || !m_viewState.hiddenNames().isEmpty());
}

QString KernelPanel::footText() const
{
    return m_footerBar->isHidden() ? QString() : m_footer->text();
}

void KernelPanel::showKernel(const std::string& baseName)
{
    m_requestedKernel = QString::fromStdString(baseName);
    setFullNames(false);
    m_viewState.setScopeChoice(ScopeChoice::whole);
    m_pane->findField()->clear();
    selectRequestedKernel();
}

// Selects the requested kernel. If the kernel is not in this table, it may be in the table that is being
// computed.
void KernelPanel::selectRequestedKernel()
{
    const Table* const made = table();
    if (m_requestedKernel.isEmpty() || made == nullptr || made->rowCount() == 0) return;
    const size_t name = TimeSummaryColumns(m_shownBy).labels;
    for (size_t row = 0; row < made->rowCount(); ++row) {
        if (made->cell(name, row) != m_requestedKernel.toStdString()) continue;
        view()->selectTableRow(static_cast<int>(row));
        if (!isBusy()) m_requestedKernel.clear();
        return;
    }
}

const Table* KernelPanel::table() const
{
    return m_pane->table();
}

TableView* KernelPanel::view() const
{
    return m_pane->view();
}

void KernelPanel::setPerRank(bool isPerRank)
{
    m_grouping->button(isPerRank ? 1 : 0)->setChecked(true);
}

void KernelPanel::setFullNames(bool isFull)
{
    m_names->button(isFull ? 1 : 0)->setChecked(true);
}

void KernelPanel::setTheme(const Theme& theme)
{
    m_pane->setTheme(theme);
    m_chart->setTheme(theme);
}

void KernelPanel::compute()
{
    m_requestedScene = scene();
    std::optional<Scope> scope = m_viewState.scope();
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        return showTable(
            nullptr, scene()->shown.isEmpty()
                         ? tr("No reports open. Open a report with GPU kernels to total their times by name.")
                         : noRangeText());
    }
    scope->by = m_grouping->checkedId() == 1 ? GroupBy::rank : GroupBy::total;
    if (scope->time && !m_cutSwitch->isChecked()) scope->clip = Clip::exclude;
    m_requestedScope = *scope;
    const std::string what = m_names->checkedId() == 0 ? "cuda_gpu_kern_sum:base" : "cuda_gpu_kern_sum";
    if (const auto held = m_viewState.results()->find(scene(), *scope, what)) {
        m_job.cancel();
        return take(held);
    }
    m_job.start(cachedAnalysis(m_viewState.results(), what, scene(), *scope));
}

void KernelPanel::take(Result<std::shared_ptr<const Table>> outcome)
{
    if (outcome) {
        showTable(*outcome, (*outcome)->rowCount() > 0 ? QString() : emptyText(**outcome));
    } else if (outcome.error().kind != ErrorKind::canceled) {
        showTable(nullptr, QString::fromStdString(outcome.error().message));
    }
}

// Returns why the table has no rows, and a remedy.
QString KernelPanel::emptyText(const Table& made) const
{
    if (!made.source.whenEmpty.empty()) return QString::fromStdString(made.source.whenEmpty);
    if (!hasKernels()) return tr("None of the visible reports has GPU kernels.");
    return tr("No kernels in this range.") + rangeAdvice(m_viewState, m_requestedScope, *m_requestedScene);
}

// Returns true if a visible report has a GPU kernel. Cheap, because a busy stream has kernels among its first
// slices.
bool KernelPanel::hasKernels() const
{
    for (const ReportKey key : scene()->shown.keys()) {
        const Report& report = scene()->shown.report(key);
        for (const Track& track : report.tracks) {
            if (track.key.kind != TrackKind::gpuStream) continue;
            const auto first = report.slices.kind.begin() + track.firstSlice.value;
            if (std::find(first, first + track.sliceCount, RowKind::kernel) != first + track.sliceCount)
                return true;
        }
    }
    return false;
}

QString KernelPanel::chartTitle() const
{
    const QStringList ranges{m_viewState.isScopePinned() ? tr("kept range") : tr("visible range"),
                             tr("selected range"), tr("whole workspace")};
    const bool isPerRank = m_requestedScope.by == GroupBy::rank;
    return (isPerRank ? tr("Kernels by rank, %1") : tr("Top kernels, %1"))
        .arg(ranges[static_cast<int>(m_viewState.scopeChoice())]);
}

void KernelPanel::showTable(const std::shared_ptr<const Table>& made, const QString& hint)
{
    m_shownBy = m_requestedScope.by;
    m_pane->setOrigin(m_requestedScene, m_requestedScope);
    const bool isLaidOut = m_pane->setTable(made);
    m_chart->setTable(made.get(), m_shownBy, chartTitle());
    if (isLaidOut) {
        const TimeSummaryColumns at(m_shownBy);
        QHeaderView* const header = view()->horizontalHeader();
        for (int i = 0; i < header->count(); ++i)
            header->moveSection(header->visualIndex(i), i);
        header->moveSection(header->visualIndex(static_cast<int>(at.labels)), static_cast<int>(at.time) + 1);
        view()->sortByColumn(static_cast<int>(at.total), Qt::DescendingOrder);
    }
    m_pane->setHint(made && made->rowCount() > 0 ? QString() : hint);
    showClippedCount();
    selectRequestedKernel();
    emit tableChanged();
}

} // namespace lockstep
