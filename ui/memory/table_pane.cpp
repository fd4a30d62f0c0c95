// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/table_pane.h"

#include <algorithm>

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "core/memory/allocations.h"
#include "ui/memory/moment_picker.h"
#include "ui/models/table_model.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr double kBytesPerMB = 1e6;

} // namespace

TablePane::TablePane(MemoryTableKind kind, const QString& name, const QString& caption, QWidget* parent)
    : MemoryPane(name, parent), m_kind(kind), m_caption(caption), m_model(new TableModel(this)),
      m_view(new TableView(this)), m_rows(new QHBoxLayout), m_footer(new QLabel(this)),
      m_job([this](Result<TableResult> made) { take(std::move(made)); }),
      m_without([this](Result<MemoryPeak> peak) {
          if (!peak) return m_footer->setText(QString::fromStdString(peak.error().message));
          if (!hasSource()) return;
          const int64_t less = source().device().peaks.active.levels.active - peak->levels.active;
          m_footer->setText(
              tr("Without this stack, the peak would be %1 (%2 less) at %3.")
                  .arg(byteQText(peak->levels.active), byteQText(less), source().momentText(peak->moment)));
      })
{
    makeControls();
    m_rows->addWidget(m_view, 3);
    static_cast<QVBoxLayout*>(layout())->addLayout(m_rows, 1);
    m_footer->setTextFormat(Qt::PlainText);
    m_footer->setProperty("muted", true);
    m_footer->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(12), scaledPixels(7));
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_footer->setText(caption);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_footer);
    m_view->setTable(m_model);
    m_view->setAccessibleName(name);
    m_view->setTextElideMode(Qt::ElideRight);
    connect(m_view, &TableView::currentTableRowChanged, this, &TablePane::showStack);
    if (m_kind == MemoryTableKind::byStack)
        connect(m_view, &TableView::currentTableRowChanged, this, &TablePane::computePeakWithout);
}

TablePane::~TablePane() = default;

// Created when a row is first selected, because the panel creates all of its panes at once.
void TablePane::makeStackList()
{
    m_stack = new QPlainTextEdit(this);
    m_stack->setReadOnly(true);
    m_stack->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_stack->setAccessibleName(tr("Frames of the stack, innermost first"));
    m_stack->setToolTip(m_stack->accessibleName());
    m_rows->addWidget(m_stack, 2);
}

void TablePane::showStack(int row)
{
    const auto at = static_cast<size_t>(row);
    const bool hasStack = row >= 0 && at < m_result.stacks.size();
    if (m_stack == nullptr && !hasStack) return;
    if (m_stack == nullptr) makeStackList();
    if (!hasStack) return m_stack->clear();
    const RowStack& of = m_result.stacks[at];
    m_stack->setPlainText(wholeStackText(*(of.isBefore ? m_result.before : m_result.source), of.stack));
}

void TablePane::makeControls()
{
    QHBoxLayout* const bar = makeBar();
    const auto addLabel = [&](const QString& text) {
        auto* const label = new QLabel(text, this);
        label->setProperty("muted", true);
        bar->addWidget(label);
    };
    if (m_kind == MemoryTableKind::leaks) {
        addLabel(tr("Leak threshold"));
        m_threshold = new QDoubleSpinBox(this);
        m_threshold->setRange(0, 1e6);
        m_threshold->setDecimals(3);
        m_threshold->setValue(TrendRule().threshold_gbPerStep * 1e9 / kBytesPerMB);
        m_threshold->setSuffix(' ' + tr("MB/step"));
        m_threshold->setAccessibleName(tr("Leak threshold in MB per step"));
        bar->addWidget(m_threshold);
        connect(m_threshold, &QDoubleSpinBox::valueChanged, this, &TablePane::compute);
    }
    if (m_kind == MemoryTableKind::compare) {
        for (const bool isAfter : {false, true}) {
            m_sides[isAfter] = new MomentPicker(isAfter ? tr("After") : tr("Before"), this);
            bar->addWidget(m_sides[isAfter]);
            connect(m_sides[isAfter], &MomentPicker::picked, this, &TablePane::compute);
        }
    }
    bar->addStretch(1);
    m_find = new QLineEdit(this);
    m_find->setPlaceholderText(tr("Find in table"));
    m_find->setAccessibleName(tr("Find in table"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(200));
    bar->addWidget(m_find, 1);
    connect(m_find, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_view->setTextFilter(text); });
}

void TablePane::setTheme(const Theme& theme)
{
    MemoryPane::setTheme(theme);
    m_view->setTheme(theme);
}

const Table* TablePane::table() const
{
    return m_model->table();
}

QString TablePane::footText() const
{
    return m_footer->text();
}

void TablePane::refresh()
{
    if (m_kind == MemoryTableKind::compare) {
        using enum MomentPicker::Preset;
        m_sides[0]->setSources(sources(), previous().value_or(current()), previous() ? peak : begin);
        m_sides[1]->setSources(sources(), current(), peak);
    }
    compute();
}

void TablePane::factsArrived()
{
    if (m_kind == MemoryTableKind::leaks) outdate(); // the leak table needs the steps
}

TablePane::Work TablePane::work() const
{
    const MemorySource shown = source();
    switch (m_kind) {
    case MemoryTableKind::byStack:
        return [shown](const Progress&) -> Result<TableResult> {
            TableResult made{nullptr, {}, shown};
            made.table = stackUseTable(shown.at(0), &made.stacks);
            return made;
        };
    case MemoryTableKind::leaks:
        return leakWork();
    case MemoryTableKind::compare:
        return compareWork();
    case MemoryTableKind::ranks:
        return rankWork();
    case MemoryTableKind::settings:
        break;
    }
    return [shown](const Progress&) -> Result<TableResult> {
        return TableResult{allocatorSettingTable(shown.report->facts)};
    };
}

TablePane::Work TablePane::leakWork() const
{
    const std::vector<MemoryMoment> steps = facts() ? facts()->steps : std::vector<MemoryMoment>();
    TrendRule rule;
    rule.threshold_gbPerStep = m_threshold->value() * kBytesPerMB / 1e9;
    return [shown = source(), steps, rule](const Progress&) -> Result<TableResult> {
        TableResult made{nullptr, {}, shown};
        made.table = leakSuspectTable(shown.at(0), steps, rule, &made.stacks);
        return made;
    };
}

TablePane::Work TablePane::compareWork() const
{
    return [before = m_sides[0]->source(), beforeAt = m_sides[0]->moment(), after = m_sides[1]->source(),
            afterAt = m_sides[1]->moment()](const Progress&) -> Result<TableResult> {
        TableResult made{nullptr, {}, after, before};
        made.table = differenceTable(before.at(beforeAt), after.at(afterAt), &made.stacks);
        return made;
    };
}

TablePane::Work TablePane::rankWork() const
{
    return [all = sources()](const Progress& progress) -> Result<TableResult> {
        std::vector<MemoryView> views;
        std::vector<std::string> names;
        for (const MemorySource& each : *all) {
            views.push_back(each.at(0));
            names.push_back(each.name.toStdString());
            LOCKSTEP_TRY(progress.check());
        }
        return TableResult{imbalanceTable(views, names)};
    };
}

void TablePane::compute()
{
    if (!hasSource()) return;
    m_without.cancel();
    m_job.start(work());
}

void TablePane::take(Result<TableResult> outcome)
{
    if (!outcome) return m_footer->setText(QString::fromStdString(outcome.error().message));
    m_result = *std::move(outcome);
    const TablePtr& made = m_result.table;
    const bool isFirst = m_model->columnCount() == 0;
    if (isFirst) m_view->sortByColumn(-1, Qt::AscendingOrder); // in the table's own order
    m_model->setTable(made);
    showStack(m_view->currentTableRow());
    m_view->stretchWideColumn(*made);
    m_view->fitColumns();
    const bool isEmpty = made->rowCount() == 0;
    if (m_kind == MemoryTableKind::leaks && (facts() == nullptr || facts()->steps.size() < 2)) {
        m_footer->setText(tr("No step annotations: growth cannot be measured. Mark steps with "
                             "torch.profiler.record_function(\"step 3\") while the history is recorded."));
    } else {
        m_footer->setText(isEmpty ? tr("Nothing to show: this recording has no data for this view.")
                                  : m_caption);
    }
}

void TablePane::computePeakWithout(int row)
{
    m_without.cancel();
    if (row < 0 || !hasSource() || m_job.isRunning()) return m_footer->setText(m_caption);
    m_without.start([shown = source(), row](const Progress& progress) -> Result<MemoryPeak> {
        const std::vector<StackUse> uses = stackUses(shown.device());
        LOCKSTEP_TRY(progress.check());
        const auto at = static_cast<size_t>(row);
        if (at >= uses.size())
            return makeError(ErrorKind::notFound, "The table changed. Select the row again.");
        const MemoryStackId stack = uses[at].stack;
        if (!stack.isValid())
            return makeError(
                ErrorKind::notFound,
                tr("Not computed: blocks without a stack may come from different places.").toStdString());
        std::vector<bool> without(shown.snapshot().stackCount());
        without[stack.value] = true;
        return peakWithout(shown.device(), without);
    });
}

} // namespace lockstep
