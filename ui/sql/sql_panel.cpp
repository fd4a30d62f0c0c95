// SPDX-License-Identifier: Apache-2.0
#include "ui/sql/sql_panel.h"

#include <array>

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>

#include "core/session/shell_quote.h"
#include "core/sql/sql_query.h"
#include "core/sql/sql_table.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr uint64_t kMaxRows = 100'000; // row limit of a result on screen; the command line prints all rows

struct Example {
    const char* title;
    const char* query;
};

constexpr std::array<Example, 7> kExamples{{
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Kernels by total time"),
     "SELECT name, count(*) AS n, sum(duration_ns) AS total_ns, max(duration_ns) AS longest_ns\nFROM "
     "kernel\nGROUP BY "
     "name\nORDER BY total_ns DESC\nLIMIT 50"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Longest kernels and their location"),
     "SELECT id, rank, stream, name, start_ns, duration_ns\nFROM kernel\nORDER BY duration_ns DESC\nLIMIT "
     "100"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Longest delays from launch to kernel start"),
     "SELECT k.id, k.rank, k.name, k.start_ns - a.start_ns AS waited_ns\nFROM link l\nJOIN kernel k ON k.id "
     "= "
     "l.effect\nJOIN api a ON a.id = l.cause\nWHERE l.kind = 'launch'\nORDER BY waited_ns DESC\nLIMIT 100"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Copies by kind and size"),
     "SELECT copy_kind, count(*) AS n, sum(bytes) AS bytes, sum(duration_ns) AS total_ns,\n       sum(bytes) "
     "* 1.0 / "
     "sum(duration_ns) AS gb_per_s\nFROM memcpy\nGROUP BY copy_kind\nORDER BY total_ns DESC"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Collectives by rank"),
     "SELECT rank, collective, count(*) AS n, sum(duration_ns) AS total_ns\nFROM collective\nGROUP BY rank, "
     "collective\nORDER BY rank, total_ns DESC"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Steps of each report"),
     "SELECT r.rank, s.number, s.start_ns, s.duration_ns\nFROM step s JOIN report r ON r.id = "
     "s.report\nORDER BY "
     "s.number, r.rank"},
    {QT_TRANSLATE_NOOP("lockstep::SqlPanel", "Clock error bound of each report"),
     "SELECT r.path, a.method, a.bound_ns, a.confidence, a.reason\nFROM alignment a JOIN report r ON r.id = "
     "a.report\nORDER BY a.bound_ns DESC"},
}};

QString ofView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

SqlPanel::SqlPanel(ViewState& view, QWidget* parent)
    : Panel("SQL", {.help = "sql"}, parent), m_viewState(view), m_answer(new ChartedTable(this)),
      m_job([this](Result<std::shared_ptr<const Table>> outcome) { take(std::move(outcome)); })
{
    setProperty("page", true);
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(makeSchema());
    auto* const halves = new QSplitter(Qt::Horizontal, this);
    halves->addWidget(makeQuery());
    halves->addWidget(makeAnswer());
    halves->setStretchFactor(0, 2);
    halves->setStretchFactor(1, 3);
    halves->setHandleWidth(1);
    halves->setChildrenCollapsible(false);
    line->addWidget(halves, 1);
    m_editor->setPlainText(kExamples[0].query);
    connect(this->view(), &TableView::summaryChanged, this, &SqlPanel::summaryChanged);
    connect(m_answer, &ChartedTable::sqlRequested, &view, &ViewState::requestQuery);
    connect(m_answer, &ChartedTable::rowActivated, this, [this](int row) {
        if (table() == nullptr || m_generation != scene()->generation) return;
        m_viewState.navigateTo(table()->longest(static_cast<size_t>(row)), true);
    });
    setFocusProxy(m_editor);
    connect(&view, &ViewState::queryRequested, this, &SqlPanel::ask);
    showHint(tr("Ctrl+Enter runs the query on the visible reports. Double-click a row with a slice id to "
                "jump to it."),
             false);
}

SqlPanel::~SqlPanel() = default;

QWidget* SqlPanel::makeSchema()
{
    m_schema = new QTreeWidget(this);
    m_schema->setHeaderHidden(true);
    m_schema->setColumnCount(2);
    m_schema->setFixedWidth(scaledPixels(248));
    m_schema->setAccessibleName(tr("Tables and columns"));
    m_schema->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_schema->setFrameShape(QFrame::NoFrame);
    for (const SqlTable& table : sqlTables()) {
        auto* const item = new QTreeWidgetItem(m_schema, {ofView(table.name), ofView(table.doc)});
        item->setToolTip(0, ofView(table.doc));
        item->setToolTip(1, ofView(table.doc));
        for (const SqlColumn& column : table.columns) {
            auto* const child = new QTreeWidgetItem(item, {ofView(column.name), ofView(column.doc)});
            const QString type = ofView(sqlTypeName(column.type)).toLower();
            child->setToolTip(0, tr("%1: %2").arg(type, ofView(column.doc)));
            child->setToolTip(1, child->toolTip(0));
        }
    }
    connect(m_schema, &QTreeWidget::itemDoubleClicked, this,
            [this](QTreeWidgetItem* item) { m_editor->insertName(item->text(0)); });
    return m_schema;
}

QWidget* SqlPanel::makeQuery()
{
    auto* const half = new QWidget(this);
    auto* const column = new QVBoxLayout(half);
    column->setContentsMargins(scaledPixels(8), scaledPixels(8), scaledPixels(8), scaledPixels(5));
    column->setSpacing(scaledPixels(5));
    m_editor = new QueryEditor(half);
    m_editor->setPlaceholderText(tr("SELECT ... FROM kernel"));
    m_editor->setMinimumSize(scaledPixels(240), scaledPixels(48));
    connect(m_editor, &QueryEditor::runRequested, this, &SqlPanel::run);
    column->addWidget(m_editor, 1);
    auto* const bar = new QHBoxLayout;
    bar->setSpacing(scaledPixels(10));
    m_run = new QPushButton(tr("Run"), half);
    m_run->setToolTip(tr("Run the query on the visible reports (Ctrl+Enter)"));
    connect(m_run, &QPushButton::clicked, this, &SqlPanel::run);
    m_stop = new QPushButton(tr("Stop"), half);
    m_stop->setToolTip(tr("Stop the running query"));
    m_stop->setEnabled(false);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_job.cancel();
        m_stop->setEnabled(false);
        m_taken->clear();
        showHint(tr("Stopped."), false);
    });
    m_examples = new QComboBox(half);
    m_examples->setAccessibleName(tr("Examples"));
    m_examples->addItem(tr("Examples"));
    for (const Example& example : kExamples)
        m_examples->addItem(tr(example.title));
    connect(m_examples, &QComboBox::activated, this, [this](int index) {
        if (index == 0) return;
        m_examples->setCurrentIndex(0);
        ask(kExamples[static_cast<size_t>(index - 1)].query);
    });
    m_taken = new QLabel(half);
    m_taken->setProperty("muted", true);
    m_taken->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_examples->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_examples->setMinimumContentsLength(9);
    m_examples->view()->setMinimumWidth(scaledPixels(320));
    for (QWidget* const part : std::initializer_list<QWidget*>{m_run, m_stop, m_examples})
        bar->addWidget(part);
    bar->addWidget(m_taken, 1);
    column->addLayout(bar);
    return half;
}

QWidget* SqlPanel::makeAnswer()
{
    auto* const half = new QWidget(this);
    auto* const column = new QVBoxLayout(half);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* const bar = new QHBoxLayout;
    bar->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    bar->setSpacing(scaledPixels(10));
    m_answer->addControls(*bar);
    bar->insertStretch(0, 1);
    column->addLayout(bar);
    column->addWidget(m_answer, 1);
    column->addWidget(makeFoot());
    view()->setAccessibleName(tr("Query result"));
    return half;
}

QWidget* SqlPanel::makeFoot()
{
    auto* const foot = new QWidget(this);
    foot->setProperty("panel", true);
    foot->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(foot);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(8), scaledPixels(4));
    line->setSpacing(scaledPixels(10));
    m_command = new QLineEdit(foot);
    m_command->setReadOnly(true);
    m_command->setAccessibleName(tr("Equivalent command line"));
    line->addWidget(m_command, 1);
    auto* const copy = new QPushButton(tr("Copy command"), foot);
    copy->setToolTip(tr("Copy the command that prints all rows of this result in a terminal"));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(commandLine()); });
    line->addWidget(copy);
    return foot;
}

const Table* SqlPanel::table() const
{
    return m_answer->table();
}

TableView* SqlPanel::view() const
{
    return m_answer->view();
}

QString SqlPanel::hint() const
{
    return m_answer->hint();
}

QString SqlPanel::commandLine() const
{
    std::vector<std::string> words{"lockstep", "--sql", m_editor->toPlainText().toStdString()};
    for (const ReportKey key : scene()->shown.keys())
        words.push_back(scene()->shown.report(key).provenance.path.string());
    return QString::fromStdString(shellLine(words));
}

void SqlPanel::setTheme(const Theme& theme)
{
    m_answer->setTheme(theme);
    m_editor->setTheme(theme);
}

// Does not rerun the query, which may take a long time. Marks the result as outdated if the scene changed.
void SqlPanel::rebuild()
{
    if (table() != nullptr && m_generation != scene()->generation)
        m_taken->setText(tr("The open reports changed. Run the query again."));
}

void SqlPanel::ask(const QString& query)
{
    m_editor->selectAll();
    m_editor->insertPlainText(query); // inserted as text, so that the user can undo the edit
    emit frontRequested();
    run();
}

void SqlPanel::run()
{
    if (scene()->shown.isEmpty())
        return showHint(tr("No reports visible. Open or show reports to query them."), false);
    m_generation = scene()->generation;
    m_since.start();
    m_stop->setEnabled(true);
    m_taken->setText(tr("running"));
    m_command->setText(commandLine());
    m_command->setCursorPosition(0);
    m_job.start([query = m_editor->toPlainText().toStdString(),
                 scene = scene()](const Progress& progress) -> Result<std::shared_ptr<const Table>> {
        std::vector<Table> tables = LOCKSTEP_TRY(runQuery(query, scene, {kMaxRows}, progress));
        return std::make_shared<const Table>(std::move(tables.back())); // the result of the last statement
    });
}

void SqlPanel::take(Result<std::shared_ptr<const Table>> outcome)
{
    m_stop->setEnabled(false);
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    const std::shared_ptr<const Table> made = outcome ? *outcome : nullptr;
    m_answer->setOrigin(scene(), {});
    m_answer->setTable(made);
    const double seconds = double(m_since.elapsed()) / 1000;
    if (!made) {
        m_taken->clear();
        showHint(QString::fromStdString(outcome.error().message), true);
    } else {
        view()->sortByColumn(-1, Qt::AscendingOrder); // in the order of the query
        const bool isCut = made->source.rules.back().starts_with("truncated after");
        const QString rows = isCut ? tr("first %L1 rows shown; there are more").arg(made->rowCount())
                                   : tr("rows: %L1").arg(made->rowCount());
        m_taken->setText(tr("%1, %2 s").arg(rows).arg(seconds, 0, 'f', 2));
        showHint(made->rowCount() == 0 ? tr("No rows.") : QString(), false);
    }
    emit answered();
}

void SqlPanel::showHint(const QString& hint, bool isError)
{
    m_answer->setHint(hint, isError);
}

} // namespace lockstep
