// SPDX-License-Identifier: Apache-2.0
#include "ui/sql/sql_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QTreeWidget>

#include "core/session/shell_quote.h"
#include "core/sql/ready_queries.h"
#include "core/sql/sql_table.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_editor.h"
#include "ui/sql/query_tab.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr qsizetype kMaxTitleLength = 28;      // characters of a tab's title
constexpr qsizetype kMaxEntryLength = 90;      // characters of a query in a menu
constexpr qsizetype kMaxToolTipLength = 1'000; // characters of a query in a tooltip

QString ofView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString shortened(const QString& text, qsizetype maxLength)
{
    return text.size() <= maxLength ? text : text.left(maxLength - 1) + QChar(0x2026);
}

// Adds an action for a query, with the query as its tooltip. Returns the action.
QAction* addQuery(QMenu& menu, const QString& title, const QString& query)
{
    QString text = shortened(title.simplified(), kMaxEntryLength);
    QAction* const action = menu.addAction(text.replace('&', "&&"));
    action->setToolTip(shortened(query, kMaxToolTipLength));
    return action;
}

void clearMenu(QMenu& menu)
{
    menu.clear();
    qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly)); // clear() does not delete submenus
}

QToolButton* makeMenuButton(const QString& text, const QString& tip, QWidget* parent)
{
    auto* const button = new QToolButton(parent);
    button->setText(text + " \u25BE");
    button->setAccessibleName(text);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* const menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    return button;
}

} // namespace

SqlPanel::SqlPanel(ViewState& view, QWidget* parent)
    : Panel("SQL", {.help = "sql"}, parent), m_viewState(view), m_pages(new QStackedWidget(this)),
      m_theme(lightTheme())
{
    setProperty("page", true);
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(makeSchema());
    auto* const column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(m_pages, 1);
    line->addLayout(column, 1);
    connect(&view, &ViewState::queryRequested, this, &SqlPanel::runQuery);
    addTab();
    editor()->setPlainText(ofView(readyQueries().front().query));
    nameTab(*tab());
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
            [this](QTreeWidgetItem* item) { editor()->insertName(item->text(0)); });
    return m_schema;
}

QWidget* SqlPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("panel", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(4), 0, scaledPixels(8), 0);
    line->setSpacing(scaledPixels(6));
    m_tabs = new QTabBar(bar);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setFocusPolicy(Qt::TabFocus);
    m_tabs->setAccessibleName(tr("Queries and results"));
    connect(m_tabs, &QTabBar::currentChanged, this, &SqlPanel::showTab);
    auto* const add = new QToolButton(bar);
    add->setText("+");
    add->setProperty("flat", true);
    add->setFocusPolicy(Qt::StrongFocus);
    add->setAccessibleName(tr("New tab"));
    add->setToolTip(tr("New tab (Ctrl+T). The results in the other tabs stay as they are."));
    connect(add, &QToolButton::clicked, this, &SqlPanel::addTab);
    m_ready = makeMenuButton(tr("Ready queries"), tr("Run a query to start from"), bar);
    m_ready->setObjectName("ready");
    fillReady(*m_ready->menu());
    m_saved = makeMenuButton(tr("Saved"), tr("Save the query under a name, or run a saved query"), bar);
    m_saved->setObjectName("saved");
    connect(m_saved->menu(), &QMenu::aboutToShow, this, [this] { fillSaved(*m_saved->menu()); });
    m_history = makeMenuButton(tr("History"), tr("Put an earlier query into the editor"), bar);
    m_history->setObjectName("history");
    connect(m_history->menu(), &QMenu::aboutToShow, this, [this] { fillHistory(*m_history->menu()); });
    line->addWidget(m_tabs);
    line->addWidget(add);
    line->addStretch(1);
    for (QToolButton* const button : {m_ready, m_saved, m_history})
        line->addWidget(button);
    return bar;
}

void SqlPanel::addTab()
{
    if (m_tabs->count() >= kMaxTabs)
        return tab()->showState(tr("No more than %1 tabs. Close a tab first.").arg(kMaxTabs));
    auto* const page = new QueryTab(m_pages);
    page->setTheme(m_theme);
    page->showHint(
        tr("Ctrl+Enter runs the query on the visible reports; Ready queries has queries to start from. "
           "Double-click a row with a slice id to jump to it."));
    connect(page, &QueryTab::runRequested, this, [this, page] { run(*page); });
    connect(page, &QueryTab::copyRequested, this,
            [this] { QApplication::clipboard()->setText(commandLine()); });
    connect(page, &QueryTab::lanesRequested, this, [this, page] {
        const QString& query = page->answeredQuery();
        emit lanesRequested(titleOf(*page, query), query,
                            page->isOutdated(*scene()) ? nullptr : page->table());
    });
    connect(page, &QueryTab::answered, this, [this, page] {
        if (page->isOutdated(*scene())) page->outdate();
        emit answered();
    });
    connect(page->answer()->view(), &TableView::summaryChanged, this, &SqlPanel::summaryChanged);
    connect(page->answer(), &ChartedTable::sqlRequested, &m_viewState, &ViewState::requestQuery);
    connect(page->answer(), &ChartedTable::rowActivated, this, [this, page](int row) {
        const Table* const table = page->answer()->table();
        if (table == nullptr || page->isOutdated(*scene())) return;
        m_viewState.navigateTo(table->longest(static_cast<size_t>(row)), true);
    });
    const int index = m_pages->addWidget(page);
    m_tabs->addTab({});
    m_tabs->setTabData(index, ++m_lastNumber);
    nameTab(*page);
    auto* const close = new QToolButton(m_tabs);
    close->setText("\u00D7");
    close->setProperty("inField", true);
    close->setFocusPolicy(Qt::TabFocus);
    close->setAccessibleName(tr("Close tab"));
    close->setToolTip(tr("Close the tab and discard its result (Ctrl+W)"));
    connect(close, &QToolButton::clicked, this, [this, page] { closeTab(m_pages->indexOf(page)); });
    m_tabs->setTabButton(index, QTabBar::RightSide, close);
    m_tabs->setCurrentIndex(index);
}

void SqlPanel::closeTab(int index)
{
    if (m_tabs->count() == 1) addTab();
    if (m_tabs->currentIndex() == index)
        m_tabs->setCurrentIndex(index + 1 < m_tabs->count() ? index + 1 : index - 1);
    QueryTab* const page = tabAt(index);
    page->stop();
    m_pages->removeWidget(page); // before the tab, so that the indexes agree when the current tab changes
    m_tabs->removeTab(index);
    page->deleteLater(); // the key that closes the tab may come from its editor
}

QueryTab* SqlPanel::tabAt(int index) const
{
    return static_cast<QueryTab*>(m_pages->widget(index));
}

void SqlPanel::showTab(int index)
{
    if (index < 0 || index >= m_pages->count()) return;
    const bool hadFocus = m_pages->isAncestorOf(QApplication::focusWidget());
    if (m_pages->currentIndex() != index) tabAt(index)->adoptLayout(*tab());
    m_pages->setCurrentIndex(index);
    setFocusProxy(editor());
    if (hadFocus) editor()->setFocus();
}

// Returns the name of the ready or saved query, otherwise a name with the number of the tab.
QString SqlPanel::titleOf(const QueryTab& tab, const QString& query) const
{
    const std::string text = query.toStdString();
    QString title = tr("Query %1").arg(m_tabs->tabData(m_pages->indexOf(&tab)).toInt());
    for (const ReadyQuery& ready : readyQueries()) {
        if (ready.query == text) title = ofView(ready.title);
    }
    for (const StoredQuery& saved : m_savedQueries) {
        if (saved.query == text) title = QString::fromStdString(saved.name);
    }
    return title.simplified();
}

void SqlPanel::nameTab(QueryTab& tab)
{
    const int index = m_pages->indexOf(&tab);
    m_tabs->setTabText(index, shortened(titleOf(tab, tab.query()), kMaxTitleLength).replace('&', "&&"));
    m_tabs->setTabToolTip(index, shortened(tab.query(), kMaxToolTipLength));
}

QueryTab* SqlPanel::tab() const
{
    return static_cast<QueryTab*>(m_pages->currentWidget());
}

QueryEditor* SqlPanel::editor() const
{
    return tab()->editor();
}

TableView* SqlPanel::view() const
{
    return tab()->answer()->view();
}

const Table* SqlPanel::table() const
{
    return tab()->answer()->table();
}

QString SqlPanel::hint() const
{
    return tab()->answer()->hint();
}

QString SqlPanel::commandLine() const
{
    std::vector<std::string> words{"lockstep", "--sql", tab()->query().toStdString()};
    for (const ReportKey key : scene()->shown.keys())
        words.push_back(scene()->shown.report(key).provenance.path.string());
    return QString::fromStdString(shellLine(words));
}

void SqlPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (int i = 0; i < m_pages->count(); ++i)
        tabAt(i)->setTheme(theme);
}

bool SqlPanel::isBusy() const
{
    for (int i = 0; i < m_pages->count(); ++i) {
        if (tabAt(i)->isRunning()) return true;
    }
    return false;
}

// Does not rerun the queries, which may take a long time. Marks the answers as outdated if the scene changed.
void SqlPanel::rebuild()
{
    for (int i = 0; i < m_pages->count(); ++i) {
        if (tabAt(i)->isOutdated(*scene())) tabAt(i)->outdate();
    }
}

// Ctrl+T and Ctrl+W apply to tabs while the focus is in this panel. Accepting the ShortcutOverride keeps the
// window's commands with the same keys from running.
bool SqlPanel::event(QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return Panel::event(event);
    const QKeyCombination pressed = static_cast<QKeyEvent*>(event)->keyCombination();
    const bool opens = pressed == (Qt::CTRL | Qt::Key_T);
    if (!opens && pressed != (Qt::CTRL | Qt::Key_W)) return Panel::event(event);
    event->accept();
    if (event->type() == QEvent::ShortcutOverride) return true;
    opens ? addTab() : closeTab(m_tabs->currentIndex());
    editor()->setFocus();
    return true;
}

void SqlPanel::runQuery(const QString& query)
{
    tab()->setQuery(query);
    emit frontRequested();
    run(*tab());
}

void SqlPanel::run(QueryTab& tab)
{
    nameTab(tab);
    if (scene()->shown.isEmpty())
        return tab.showHint(tr("No reports visible. Open or show reports to query them."));
    addToHistory(m_historyQueries, tab.query().toStdString());
    emit historyChanged(QString::fromStdString(storedText(m_historyQueries)));
    tab.run(scene());
}

void SqlPanel::fillReady(QMenu& menu)
{
    QMenu* group = nullptr;
    for (const ReadyQuery& ready : readyQueries()) {
        if (group == nullptr || group->title() != ofView(ready.group)) {
            group = menu.addMenu(ofView(ready.group));
            group->setToolTipsVisible(true);
        }
        const QString query = ofView(ready.query);
        connect(addQuery(*group, ofView(ready.title), query), &QAction::triggered, this,
                [this, query] { runQuery(query); });
    }
}

void SqlPanel::fillSaved(QMenu& menu)
{
    clearMenu(menu);
    menu.addAction(tr("Save query\u2026"), this, &SqlPanel::promptForName);
    menu.addSeparator();
    if (m_savedQueries.empty()) {
        menu.addAction(tr("No saved queries"))->setEnabled(false);
        return;
    }
    for (const StoredQuery& saved : m_savedQueries) {
        const QString query = QString::fromStdString(saved.query);
        connect(addQuery(menu, QString::fromStdString(saved.name), query), &QAction::triggered, this,
                [this, query] { runQuery(query); });
    }
    menu.addSeparator();
    QMenu* const removals = menu.addMenu(tr("Remove"));
    for (const StoredQuery& saved : m_savedQueries) {
        const QString name = QString::fromStdString(saved.name);
        connect(addQuery(*removals, name, QString::fromStdString(saved.query)), &QAction::triggered, this,
                [this, name] { remove(name); });
    }
}

void SqlPanel::fillHistory(QMenu& menu)
{
    clearMenu(menu);
    if (m_historyQueries.empty()) {
        menu.addAction(tr("No queries were run"))->setEnabled(false);
        return;
    }
    for (const StoredQuery& entry : m_historyQueries) {
        const QString query = QString::fromStdString(entry.query);
        connect(addQuery(menu, query, query), &QAction::triggered, this, [this, query] {
            tab()->setQuery(query);
            nameTab(*tab());
            editor()->setFocus();
        });
    }
    menu.addSeparator();
    menu.addAction(tr("Clear history"), this, [this] {
        m_historyQueries.clear();
        emit historyChanged(QString::fromStdString(storedText({})));
    });
}

void SqlPanel::promptForName()
{
    if (tab()->query().trimmed().isEmpty()) return tab()->showState(tr("No query to save."));
    auto* const dialog = new QInputDialog(this);
    dialog->setObjectName("queryName");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save query"));
    dialog->setLabelText(tr("Name. A saved query with the same name is replaced."));
    dialog->setOkButtonText(tr("Save"));
    connect(dialog, &QInputDialog::textValueSelected, this, &SqlPanel::save);
    dialog->open();
}

void SqlPanel::save(const QString& name)
{
    const QString simple = name.simplified();
    if (simple.isEmpty()) return tab()->showState(tr("Query not saved: no name."));
    if (!saveQuery(m_savedQueries, {simple.toStdString(), tab()->query().toStdString()}))
        return tab()->showState(
            tr("Query not saved: longer than %L1 bytes.").arg(qulonglong(kMaxStoredQuery_bytes)));
    nameTab(*tab());
    tab()->showState(tr("Saved as %1").arg(simple));
    emit savedChanged(QString::fromStdString(storedText(m_savedQueries)));
}

void SqlPanel::remove(const QString& name)
{
    std::erase_if(m_savedQueries, [&](const StoredQuery& saved) { return saved.name == name.toStdString(); });
    emit savedChanged(QString::fromStdString(storedText(m_savedQueries)));
}

void SqlPanel::setHistoryText(const QString& text)
{
    m_historyQueries = parseHistory(text.toStdString());
}

void SqlPanel::setSavedText(const QString& text)
{
    m_savedQueries = parseSavedQueries(text.toStdString());
}

} // namespace lockstep
