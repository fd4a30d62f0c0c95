// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/kernel_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/analysis/analysis.h"
#include "ui/async/kept_analysis.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/kernel_chart.h"
#include "ui/panels/segments.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

KernelPanel::KernelPanel(ViewState& viewState, Workers workers, QWidget* parent)
    : Panel("Kernels", {.isInFront = true}, parent), m_viewState(viewState), m_chart(new KernelChart(this)),
      m_pane(new ChartedTable(this, m_chart)),
      m_job([this](Result<std::shared_ptr<const Table>> outcome) { take(std::move(outcome)); },
            std::move(workers))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(m_pane, 1);
    view()->setAccessibleName(tr("Kernel summary"));
    m_soon.setSingleShot(true);
    m_soon.setInterval(60);
    connect(&m_soon, &QTimer::timeout, this, &KernelPanel::compute);
    connect(view(), &TableView::summaryChanged, this, &KernelPanel::summaryChanged);
    connect(m_pane, &ChartedTable::rowActivated, this, [this](int row) {
        if (table() != nullptr) m_viewState.reveal(table()->longest(static_cast<size_t>(row)), true);
    });
    connect(m_pane, &ChartedTable::sqlRequested, &viewState, &ViewState::askQuery);
    connect(m_chart, &KernelChart::rowClicked, m_pane, &ChartedTable::activateRow);
    connect(&viewState, &ViewState::scopeChanged, this, [this] { outdate(); });
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
                     {tr("Kernels in the visible range; durations are clipped to it"),
                      tr("Kernels in the selected range; durations are clipped to it"),
                      tr("Kernels of all shown reports")});
    m_grouping = addSegments(*line, bar, {tr("Total"), tr("Per rank")},
                             {tr("One row per kernel"), tr("One row per rank and kernel")});
    m_names = addSegments(*line, bar, {tr("Base names"), tr("Full names")},
                          {tr("Kernels of one base name are one row, as cuda_gpu_kern_sum:base"),
                           tr("Kernels with their template arguments, as cuda_gpu_kern_sum")});
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

void KernelPanel::rebuild()
{
    m_job.cancel();
    if (!m_soon.isActive()) m_soon.start();
}

void KernelPanel::compute()
{
    m_askedScene = scene();
    std::optional<Scope> scope = m_viewState.scope();
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        return showTable(nullptr,
                         scene()->shown.isEmpty()
                             ? tr("Open a report with GPU kernels: their times are summed up here by name.")
                             : tr("Nothing is selected. Drag on the ruler or over lanes to select a range."));
    }
    scope->by = m_grouping->checkedId() == 1 ? GroupBy::rank : GroupBy::total;
    m_askedScope = *scope;
    const std::string what = m_names->checkedId() == 0 ? "cuda_gpu_kern_sum:base" : "cuda_gpu_kern_sum";
    if (const auto held = m_viewState.results()->find(scene(), *scope, what)) {
        m_job.cancel();
        return take(held);
    }
    m_job.start(keptAnalysis(m_viewState.results(), what, scene(), *scope));
}

void KernelPanel::take(Result<std::shared_ptr<const Table>> outcome)
{
    if (outcome) {
        showTable(*outcome, tr("No kernels in this range. Zoom out (0 fits everything), or choose Whole."));
    } else if (outcome.error().kind != ErrorKind::canceled) {
        showTable(nullptr, QString::fromStdString(outcome.error().message));
    }
}

void KernelPanel::showTable(const std::shared_ptr<const Table>& made, const QString& hint)
{
    m_pane->setOrigin(m_askedScene, m_askedScope);
    const bool isLaidOut = m_pane->setTable(made);
    const QStringList ranges{tr("visible range"), tr("selected range"), tr("whole workspace")};
    const bool isPerRank = m_askedScope.by == GroupBy::rank;
    m_chart->setTable(made, (isPerRank ? tr("Kernels by rank, %1") : tr("Top kernels, %1"))
                                .arg(ranges[static_cast<int>(m_viewState.scopeChoice())]));
    if (isLaidOut) {
        const auto place = [&](const char* name) { return static_cast<int>(made->columnNamed(name)); };
        QHeaderView* const header = view()->horizontalHeader();
        for (int i = 0; i < header->count(); ++i)
            header->moveSection(header->visualIndex(i), i);
        header->moveSection(header->visualIndex(place("Name")), place("Time") + 1);
        view()->sortByColumn(place("Total Time"), Qt::DescendingOrder);
    }
    m_pane->setHint(made && made->rowCount() > 0 ? QString() : hint);
    emit tableChanged();
}

} // namespace lockstep
