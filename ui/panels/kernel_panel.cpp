// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/kernel_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/analysis/analysis.h"
#include "core/base/text.h"
#include "ui/models/table_model.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/kernel_chart.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

KernelPanel::KernelPanel(ViewState& view, Workers workers, QWidget* parent)
    : Panel("Kernels", {.isInFront = true}, parent), m_viewState(view), m_model(new TableModel(this)),
      m_view(new TableView(this)), m_chart(new KernelChart(this)),
      m_job([this](Result<std::shared_ptr<const Table>> outcome) { take(std::move(outcome)); },
            std::move(workers))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    m_hint = new QLabel(this);
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->addWidget(m_view);
    m_split->addWidget(m_chart);
    m_split->setStretchFactor(0, 7);
    m_split->setStretchFactor(1, 3);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(true);
    column->addWidget(m_hint, 1);
    column->addWidget(m_split, 1);
    m_view->setTable(m_model);
    m_view->setAccessibleName(tr("Kernel summary"));
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_soon.setSingleShot(true);
    m_soon.setInterval(60);
    connect(&m_soon, &QTimer::timeout, this, &KernelPanel::compute);
    connect(m_view, &TableView::summaryChanged, this, &KernelPanel::summaryChanged);
    connect(m_view, &TableView::tableRowActivated, this, [this](int row) {
        const SliceRef longest = table() ? table()->longest(static_cast<size_t>(row)) : SliceRef();
        m_viewState.reveal(longest, true);
    });
    connect(&view, &ViewState::scopeChanged, this, [this] {
        m_range->button(static_cast<int>(m_viewState.scopeChoice()))->setChecked(true);
        outdate();
    });
    connect(m_chart, &KernelChart::rowClicked, m_view, &TableView::selectTableRow);
    showHint();
}

KernelPanel::~KernelPanel() = default;

QButtonGroup* KernelPanel::addChoice(QWidget* bar, const QStringList& labels, const QStringList& tooltips)
{
    auto* const group = new QButtonGroup(bar);
    auto* const segments = new QHBoxLayout;
    segments->setSpacing(0);
    for (qsizetype i = 0; i < labels.size(); ++i) {
        auto* const button = new QPushButton(labels[i], bar);
        button->setCheckable(true);
        button->setProperty("segment", true);
        button->setToolTip(tooltips[i]);
        group->addButton(button, static_cast<int>(i));
        segments->addWidget(button);
    }
    group->button(0)->setChecked(true);
    static_cast<QHBoxLayout*>(bar->layout())->addLayout(segments);
    connect(group, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) outdate();
    });
    return group;
}

QWidget* KernelPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(12));
    m_range = addChoice(bar, {tr("Visible"), tr("Selected"), tr("Whole")},
                        {tr("Kernels in the visible range; durations are clipped to it"),
                         tr("Kernels in the selected range; durations are clipped to it"),
                         tr("Kernels of all shown reports")});
    m_range->button(static_cast<int>(m_viewState.scopeChoice()))->setChecked(true);
    connect(m_range, &QButtonGroup::idToggled, this, [this](int id, bool isChecked) {
        if (isChecked) m_viewState.setScopeChoice(static_cast<ScopeChoice>(id));
    });
    m_grouping = addChoice(bar, {tr("Total"), tr("Per rank")},
                           {tr("One row per kernel"), tr("One row per rank and kernel")});
    m_names = addChoice(bar, {tr("Base names"), tr("Full names")},
                        {tr("Kernels of one base name are one row, as cuda_gpu_kern_sum:base"),
                         tr("Kernels with their template arguments, as cuda_gpu_kern_sum")});
    m_find = new QLineEdit(bar);
    m_find->setPlaceholderText(tr("Find in table"));
    m_find->setAccessibleName(tr("Find in the kernel table"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(200));
    connect(m_find, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_view->setTextFilter(text); });
    auto* const filters = new QPushButton(tr("Filter row"), bar);
    filters->setObjectName("filterRow");
    filters->setCheckable(true);
    filters->setProperty("toggle", true);
    filters->setToolTip(tr("A filter for each column: a text, or >10, <=2.5, =3"));
    connect(filters, &QPushButton::toggled, this,
            [this](bool isShown) { m_view->filterHeader()->setFiltersShown(isShown); });
    line->addStretch(1);
    line->addWidget(filters);
    line->addWidget(m_find, 1);
    return bar;
}

const Table* KernelPanel::table() const
{
    return m_model->table();
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
    m_view->setTheme(theme);
    m_chart->setTheme(theme);
    m_layout.clear();
}

void KernelPanel::rebuild()
{
    m_job.cancel();
    if (!m_soon.isActive()) m_soon.start();
}

void KernelPanel::compute()
{
    m_error.clear();
    std::optional<Scope> scope = m_viewState.scope();
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        m_model->setTable(nullptr);
        m_chart->setTable(nullptr, {});
        showHint();
        emit tableChanged();
        return;
    }
    scope->by = m_grouping->checkedId() == 1 ? GroupBy::rank : GroupBy::total;
    const std::string what = m_names->checkedId() == 0 ? "cuda_gpu_kern_sum:base" : "cuda_gpu_kern_sum";
    m_job.start([what, scene = scene(),
                 asked = *scope](const Progress& progress) -> Result<std::shared_ptr<const Table>> {
        Table made = LOCKSTEP_TRY(runAnalysis(what, *scene, asked, progress));
        return std::make_shared<const Table>(std::move(made));
    });
}

void KernelPanel::take(Result<std::shared_ptr<const Table>> outcome)
{
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    const std::shared_ptr<const Table> made = outcome ? *outcome : nullptr;
    if (!outcome) m_error = QString::fromStdString(outcome.error().message);
    m_model->setTable(made);
    const QStringList ranges{tr("visible range"), tr("selected range"), tr("whole workspace")};
    const bool isPerRank = m_grouping->checkedId() == 1;
    m_chart->setTable(
        made,
        (isPerRank ? tr("Kernels by rank, %1") : tr("Top kernels, %1")).arg(ranges[m_range->checkedId()]));
    QString layout;
    for (size_t i = 0; made && i < made->columnCount(); ++i)
        layout += QString::fromStdString(made->column(i).name) + '\n';
    if (made && made->rowCount() > 0 && layout != m_layout) {
        m_layout = layout;
        const int name = static_cast<int>(made->columnNamed("Name"));
        const int share = static_cast<int>(made->columnNamed("Time"));
        QHeaderView* const header = m_view->horizontalHeader();
        for (int i = 0; i < header->count(); ++i)
            header->moveSection(header->visualIndex(i), i);
        header->moveSection(header->visualIndex(name), share + 1);
        m_view->setStretchColumn(name);
        m_view->fitColumns();
        const int total = static_cast<int>(made->columnNamed("Total Time"));
        m_view->sortByColumn(total, Qt::DescendingOrder);
    }
    showHint();
    emit tableChanged();
}

void KernelPanel::showHint()
{
    const bool hasRows = m_model->rowCount() > 0;
    m_split->setVisible(hasRows);
    m_hint->setVisible(!hasRows);
    if (!m_error.isEmpty()) {
        m_hint->setText(m_error);
    } else if (scene()->shown.isEmpty()) {
        m_hint->setText(tr("Open a report with GPU kernels: their times are summed up here by name."));
    } else if (!m_viewState.scope()) {
        m_hint->setText(tr("Nothing is selected. Drag on the ruler or over lanes to select a range."));
    } else {
        m_hint->setText(tr("No kernels in this range. Zoom out (0 fits everything), or choose Whole."));
    }
}

} // namespace lockstep
