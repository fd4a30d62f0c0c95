// SPDX-License-Identifier: Apache-2.0
#include "ui/selection/selection_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/charts/histogram_view.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/segments.h"
#include "ui/panels/table_view.h"
#include "ui/selection/area_delegate.h"
#include "ui/selection/flame_graph_pane.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString lengthQText(int64_t ns)
{
    return QString::fromUtf8(durationText({ns}));
}

QString countQText(uint64_t count)
{
    return QString::fromUtf8(groupedText(static_cast<int64_t>(count)));
}

QString slicesQText(uint64_t count)
{
    return count == 1 ? SelectionPanel::tr("1 slice")
                      : SelectionPanel::tr("%1 slices").arg(countQText(count));
}

QLabel* addWords(QHBoxLayout& line, QWidget* parent, const char* look)
{
    auto* const label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty(look, true);
    line.addWidget(label);
    return label;
}

QHBoxLayout* addBar(QVBoxLayout& column, QWidget* parent)
{
    auto* const bar = new QWidget(parent);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(12));
    column.addWidget(bar);
    return line;
}

QVBoxLayout* plainColumn(QWidget* of)
{
    auto* const column = new QVBoxLayout(of);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace

SelectionPanel::SelectionPanel(ViewState& view, Workers workers, QWidget* parent)
    : ComputedPanel("Selection", {.help = "selection#Area selection"}, workers, parent), m_view(view),
      m_durationsJob([this](Result<DurationHistogram> made) { showDurations(std::move(made)); }, workers),
      m_pickJob(
          [this](Result<SliceList> picked) {
              if (!picked || *picked == nullptr) return;
              m_view.setRange(std::nullopt);
              m_view.setAreas({}, *picked);
              m_view.finishArea();
          },
          workers)
{
    setProperty("page", true);
    auto* const split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->addWidget(makeLeft());
    m_flame = new FlameGraphPane(std::move(workers), this);
    split->addWidget(m_right = makeRight());
    split->setStretchFactor(0, 48);
    split->setStretchFactor(1, 52);
    plainColumn(this)->addWidget(split);
    connect(&view, &ViewState::areasChanged, this, [this] { outdate(); });
    connect(&view, &ViewState::areaFinished, this, &Panel::attentionRequested);
    compute();
}

SelectionPanel::~SelectionPanel() = default;

QWidget* SelectionPanel::makeLeft()
{
    auto* const left = new QWidget(this);
    QVBoxLayout* const column = plainColumn(left);
    QHBoxLayout* const bar = addBar(*column, left);
    addWords(*bar, left, "muted")->setText(tr("Group by"));
    m_grouping = addSegments(*bar, left, {tr("name"), tr("category"), tr("lane"), tr("rank"), tr("phase")},
                             {tr("One row per slice name"),
                              tr("One row per category: compute, communication, copies\u2026"),
                              tr("One row per lane"), tr("One row per rank of the job"),
                              tr("One row per process phase in which slices began")});
    bar->addStretch(1);
    m_lengthLabel = addWords(*bar, left, "muted");
    m_pane = new ChartedTable(left);
    column->addWidget(m_pane, 1);
    m_delegate = new AreaDelegate(m_pane->view());
    m_pane->view()->setCellDelegate(m_delegate);
    m_pane->view()->setAccessibleName(tr("Totals of the selection"));
    QHBoxLayout* const footer = addBar(*column, left);
    m_footer = addWords(*footer, left, "small");
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    footer->setStretch(0, 1);
    m_clip = new QPushButton(tr("Include clipped"), left);
    m_clip->setObjectName("clip");
    m_clip->setCheckable(true);
    m_clip->setProperty("toggle", true);
    m_clip->setToolTip(
        tr("For slices that extend beyond an area, count the part inside it in Avg, Med, Min, Max, StdDev "
           "and the durations"));
    footer->addWidget(m_clip);
    connect(m_grouping, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) outdate();
    });
    connect(m_clip, &QPushButton::toggled, this, [this] { outdate(); });
    connect(m_pane->view(), &TableView::summaryChanged, this, &SelectionPanel::summaryChanged);
    connect(m_pane->view(), &TableView::currentTableRowChanged, this, &SelectionPanel::computeDurations);
    const auto instanceOf = [this](int row) {
        return m_pane->table() != nullptr ? m_pane->table()->longest(static_cast<size_t>(row)) : SliceRef();
    };
    connect(m_pane, &ChartedTable::rowActivated, this,
            [this, instanceOf](int row) { m_view.navigateTo(instanceOf(row), true); });
    connect(m_pane, &ChartedTable::rowNavigated, this,
            [this, instanceOf](int row) { m_view.navigateTo(instanceOf(row)); });
    return left;
}

QWidget* SelectionPanel::makeRight()
{
    auto* const right = new QSplitter(Qt::Vertical, this);
    right->setHandleWidth(1);
    right->addWidget(m_flame);
    auto* const below = new QWidget(right);
    QVBoxLayout* const column = plainColumn(below);
    QHBoxLayout* const bar = addBar(*column, below);
    m_durationsOf = addWords(*bar, below, "small");
    m_durationsOf->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    bar->setStretch(0, 1);
    m_durations = addWords(*bar, below, "muted");
    m_histogram = new HistogramView(HistogramView::Choice::range, below);
    m_histogram->setAccessibleName(tr("Durations of the selection"));
    column->addWidget(m_histogram, 1);
    right->addWidget(below);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    connect(m_histogram, &HistogramView::barsChosen, this, &SelectionPanel::pickBars);
    return right;
}

void SelectionPanel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_delegate->setSwatchTheme(theme);
    m_delegate->setTheme(theme);
    m_pane->setTheme(theme);
    m_histogram->setTheme(theme);
    m_flame->setTheme(theme);
    computeDurations();
}

bool SelectionPanel::isBusy() const
{
    return ComputedPanel::isBusy() || m_durationsJob.isRunning() || m_pickJob.isRunning() ||
           m_flame->isBusy();
}

AreaQuery SelectionPanel::query() const
{
    return {m_view.areas(), m_view.slices(), m_clip->isChecked() ? Clip::include : Clip::exclude};
}

AreaGroup SelectionPanel::group() const
{
    return static_cast<AreaGroup>(m_grouping->checkedId());
}

void SelectionPanel::compute()
{
    m_requestedScene = scene();
    m_query = query();
    m_flame->setSelection(m_requestedScene, m_query);
    m_right->setVisible(!m_query.isEmpty());
    m_clip->setVisible(!m_query.isEmpty());
    if (m_query.isEmpty()) {
        m_job.cancel();
        m_made.reset();
        m_pane->setTable(nullptr);
        m_pane->setHint(
            scene()->shown.isEmpty()
                ? tr("No report open. Open a report and select slices in its lanes to see their totals.")
                : tr("Nothing selected. Drag over lanes to select an area of time and lanes; hold Ctrl "
                     "to add another area or a slice."));
        return showFooter();
    }
    const AreaGroup by = group();
    m_job.start(
        [scene = m_requestedScene, query = m_query, by](const Progress& progress) -> Result<AreaTotals> {
            AreaAggregate made = LOCKSTEP_TRY(aggregateArea(*scene, query, by, progress));
            AreaTotals out;
            out.table = std::make_shared<const Table>(areaTable(made, by, query.clip));
            out.aggregate = std::make_shared<const AreaAggregate>(std::move(made));
            return out;
        });
}

void SelectionPanel::take(Result<AreaTotals> made)
{
    if (!made) {
        m_made.reset();
        m_pane->setTable(nullptr);
        m_pane->setHint(QString::fromStdString(made.error().message));
        return showFooter();
    }
    m_made = std::move(*made);
    m_delegate->setAggregate(m_made->aggregate);
    m_pane->setTable(m_made->table);
    m_pane->setHint(m_made->aggregate->rows.empty()
                        ? tr("The selection contains no slices. Counter and memory lanes have none.")
                        : QString());
    showFooter();
    computeDurations();
}

void SelectionPanel::showFooter()
{
    m_lengthLabel->clear();
    m_footer->clear();
    if (!m_made) return;
    const AreaGroupRow& total = m_made->aggregate->total;
    const QString lanes = tr("%n lane(s)", nullptr, static_cast<int>(m_made->aggregate->laneCount));
    const int64_t length_ns = m_made->aggregate->length.ns;
    m_lengthLabel->setText(length_ns > 0 ? lanes + " \u00B7 " + lengthQText(length_ns) : lanes);
    const size_t rows = m_made->aggregate->rows.size();
    QString footer =
        tr("%1 \u00B7 sum %2 \u00B7 union %3 \u00B7 %4")
            .arg(rows == 1 ? tr("1 row") : tr("%1 rows").arg(countQText(rows)), lengthQText(total.sum_ns),
                 lengthQText(total.union_ns), slicesQText(total.count));
    if (total.cut > 0) {
        footer += " \u00B7 " + (m_clip->isChecked() ? tr("%1 clipped, only the part inside is counted")
                                                    : tr("%1 clipped, not in Avg, Med, Min, Max, StdDev"))
                                   .arg(countQText(total.cut));
    }
    m_footer->setText(footer);
    m_footer->setToolTip(footer);
}

QString SelectionPanel::footText() const
{
    return m_footer->text();
}

std::optional<std::string> SelectionPanel::chosenGroup() const
{
    const int row = m_pane->view()->currentTableRow();
    if (!m_made || row < 0 || static_cast<size_t>(row) >= m_made->aggregate->rows.size()) return std::nullopt;
    return m_made->aggregate->rows[static_cast<size_t>(row)].label;
}

void SelectionPanel::computeDurations()
{
    if (!m_made || m_query.isEmpty()) {
        m_durationsJob.cancel();
        return m_histogram->setHistogram({}, m_theme->accent);
    }
    m_durationsJob.start([scene = m_requestedScene, query = m_query, by = group(),
                          label = chosenGroup()](const Progress& progress) {
        return durationHistogram(*scene, query, by, label, progress);
    });
}

void SelectionPanel::showDurations(Result<DurationHistogram> made)
{
    if (!made) return m_durationsOf->setText(QString::fromStdString(made.error().message));
    const int row = m_pane->view()->currentTableRow();
    const bool isOfRow = chosenGroup().has_value();
    const QColor color = isOfRow
                             ? m_theme->category(m_made->aggregate->rows[static_cast<size_t>(row)].category)
                             : m_theme->accent;
    const QString subject =
        isOfRow ? QString::fromUtf8(m_pane->table()->cell(0, static_cast<size_t>(row))) : tr("all slices");
    QString title = tr("Duration of %1 \u00B7 %2").arg(subject, slicesQText(made->count));
    if (made->cut > 0 && m_query.clip == Clip::exclude)
        title = tr("%1 \u00B7 %2 clipped, not counted").arg(title, countQText(made->cut));
    m_durationsOf->setText(title);
    m_durationsOf->setToolTip(title);
    m_durations->setText(made->count == 0 ? QString()
                                          : tr("median %1 \u00B7 p95 %2 \u00B7 max %3")
                                                .arg(lengthQText(made->median_ns), lengthQText(made->p95_ns),
                                                     lengthQText(made->max_ns)));
    m_histogram->setHistogram(histogramBarsOf(*made), color,
                              {{static_cast<double>(made->median_ns), tr("median")},
                               {static_cast<double>(made->p95_ns), tr("p95")}});
}

QString SelectionPanel::durationsText() const
{
    return m_durationsOf->text() + '\n' + m_durations->text();
}

void SelectionPanel::pickBars(int first, int last)
{
    if (!m_made) return;
    m_pickJob.start([scene = m_requestedScene, query = m_query, by = group(), label = chosenGroup(), first,
                     last](const Progress& progress) {
        return slicesOfBars(*scene, query, by, label, first, last, progress);
    });
}

} // namespace lockstep
