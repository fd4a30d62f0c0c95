// SPDX-License-Identifier: Apache-2.0
#include "ui/sql/query_tab.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>

#include "core/sql/query_lane_rows.h"
#include "core/sql/sql_query.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/elided_label.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr uint64_t kMaxRows = 100'000; // row limit of a result on screen; the command line prints all rows

QHBoxLayout* makeBar(QVBoxLayout& column)
{
    auto* const bar = new QHBoxLayout;
    bar->setContentsMargins(scaledPixels(8), scaledPixels(4), scaledPixels(8), scaledPixels(4));
    bar->setSpacing(scaledPixels(6));
    column.addLayout(bar);
    return bar;
}

} // namespace

QueryTab::QueryTab(QWidget* parent)
    : QWidget(parent), m_answer(new ChartedTable(this)), m_halves(new QSplitter(Qt::Horizontal, this)),
      m_job([this](Result<std::shared_ptr<const Table>> outcome) { take(std::move(outcome)); })
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    m_halves->addWidget(makeQuery());
    m_halves->addWidget(makeAnswer());
    m_halves->setStretchFactor(0, 2);
    m_halves->setStretchFactor(1, 3);
    m_halves->setHandleWidth(1);
    m_halves->setChildrenCollapsible(false);
    line->addWidget(m_halves);
    setFocusProxy(m_editor);
}

QWidget* QueryTab::makeQuery()
{
    auto* const half = new QWidget(this);
    auto* const column = new QVBoxLayout(half);
    column->setContentsMargins(0, scaledPixels(4), 0, 0);
    column->setSpacing(0);
    m_editor = new QueryEditor(half);
    m_editor->setPlaceholderText(tr("SELECT ... FROM kernel"));
    m_editor->setMinimumSize(scaledPixels(240), scaledPixels(48));
    connect(m_editor, &QueryEditor::runRequested, this, &QueryTab::runRequested);
    auto* const framed = new QHBoxLayout;
    framed->setContentsMargins(scaledPixels(8), 0, scaledPixels(8), 0);
    framed->addWidget(m_editor);
    column->addLayout(framed, 1);
    auto* const run = new QPushButton(tr("Run"), half);
    run->setToolTip(tr("Run the query on the visible reports (Ctrl+Enter)"));
    connect(run, &QPushButton::clicked, this, &QueryTab::runRequested);
    m_stop = new QPushButton(tr("Stop"), half);
    m_stop->setToolTip(tr("Stop the running query"));
    m_stop->setEnabled(false);
    connect(m_stop, &QPushButton::clicked, this, &QueryTab::stop);
    auto* const copy = new QPushButton(tr("Copy command"), half);
    copy->setToolTip(tr("Copy the command that prints all rows of this result in a terminal"));
    connect(copy, &QPushButton::clicked, this, &QueryTab::copyRequested);
    QHBoxLayout* const bar = makeBar(*column);
    for (QWidget* const part : std::initializer_list<QWidget*>{run, m_stop, copy})
        bar->addWidget(part);
    bar->addStretch(1);
    return half;
}

QWidget* QueryTab::makeAnswer()
{
    auto* const half = new QWidget(this);
    auto* const column = new QVBoxLayout(half);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_answer, 1);
    m_answer->view()->setAccessibleName(tr("Query result"));
    m_save = new QPushButton(tr("Save result\u2026"), half);
    m_save->setToolTip(tr("Save the rows of this table as CSV, JSON, Markdown or tab-separated text"));
    m_save->setEnabled(false);
    connect(m_save, &QPushButton::clicked, this, &QueryTab::saveAnswer);
    m_lanes = new QPushButton(tr("Show as lane"), half);
    connect(m_lanes, &QPushButton::clicked, this, &QueryTab::lanesRequested);
    offerLanes();
    m_state = new ElidedLabel(half);
    m_state->setProperty("muted", true);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    QHBoxLayout* const bar = makeBar(*column);
    m_answer->addControls(*bar);
    bar->insertWidget(0, m_state, 1);
    bar->addWidget(m_lanes);
    bar->addWidget(m_save);
    return half;
}

void QueryTab::setTheme(const Theme& theme)
{
    m_answer->setTheme(theme);
    m_editor->setTheme(theme);
}

QString QueryTab::query() const
{
    return m_editor->toPlainText();
}

void QueryTab::setQuery(const QString& query)
{
    m_editor->selectAll();
    m_editor->insertPlainText(query); // inserted as text, so that the user can undo the edit
}

void QueryTab::run(ScenePtr scene)
{
    m_scene = std::move(scene);
    m_runningQuery = query();
    m_since.start();
    m_stop->setEnabled(true);
    showState(tr("running"));
    m_job.start([query = m_runningQuery.toStdString(),
                 scene = m_scene](const Progress& progress) -> Result<std::shared_ptr<const Table>> {
        std::vector<Table> tables = LOCKSTEP_TRY(runQuery(query, scene, {kMaxRows}, progress));
        return std::make_shared<const Table>(std::move(tables.back())); // the result of the last statement
    });
}

void QueryTab::stop()
{
    m_job.cancel();
    m_scene.reset();
    m_stop->setEnabled(false);
    m_save->setEnabled(false);
    m_lanes->setEnabled(false);
    showState({});
    showHint(tr("Stopped."));
}

bool QueryTab::isOutdated(const Scene& scene) const
{
    return m_answer->table() != nullptr && m_generation != scene.dataGeneration;
}

void QueryTab::outdate()
{
    m_answer->setOrigin(nullptr, {});
    if (!isRunning()) showState(tr("The open reports changed. Run the query again."));
}

void QueryTab::take(Result<std::shared_ptr<const Table>> outcome)
{
    m_stop->setEnabled(false);
    const ScenePtr scene = std::exchange(m_scene, nullptr);
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    const std::shared_ptr<const Table> made = outcome ? *outcome : nullptr;
    m_table = made;
    m_answeredQuery = m_runningQuery;
    m_generation = scene->dataGeneration;
    offerLanes();
    m_answer->setOrigin(scene, {});
    m_answer->setTable(made);
    m_save->setEnabled(made != nullptr && made->rowCount() > 0);
    if (!made) {
        showState({});
        showHint(QString::fromStdString(outcome.error().message), true);
    } else {
        m_answer->view()->sortByColumn(-1, Qt::AscendingOrder); // in the order of the query
        const bool isCut = made->source.rules.back().starts_with("truncated after");
        const QString rows = isCut ? tr("first %L1 rows shown; there are more").arg(made->rowCount())
                                   : tr("rows: %L1").arg(made->rowCount());
        showState(tr("%1, %2 s").arg(rows).arg(double(m_since.elapsed()) / 1000, 0, 'f', 2));
        showHint(made->rowCount() == 0 ? tr("No rows.") : QString());
    }
    emit answered();
}

void QueryTab::offerLanes()
{
    const bool canShow = m_table != nullptr && m_table->rowCount() > 0 && canBeLanes(*m_table);
    m_lanes->setEnabled(canShow);
    const QString columns =
        tr("Columns: ts, the start on the aligned axis in ns (for example start_ns AS ts); "
           "optionally dur in ns, name, and track (one lane per value).");
    m_lanes->setToolTip(
        (canShow
             ? tr("Show the rows as slices on lanes of this workspace. Tables and analyses do not count them.")
             : tr("Requires a result with an integer column ts.")) +
        '\n' + columns);
}

void QueryTab::showHint(const QString& hint, bool isError)
{
    m_answer->setHint(hint, isError);
}

void QueryTab::showState(const QString& text)
{
    m_state->setText(text);
    m_state->setToolTip(text);
}

void QueryTab::adoptLayout(const QueryTab& other)
{
    if (other.isVisible()) m_halves->restoreState(other.m_halves->saveState());
}

// Runs the window's command, which saves the table with the focus.
void QueryTab::saveAnswer()
{
    m_answer->view()->setFocus();
    if (QAction* const save = m_answer->view()->saveAction()) save->trigger();
}

} // namespace lockstep
