// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_card.h"

#include <algorithm>
#include <memory>

#include <QComboBox>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

LogCard::LogCard(QWidget* parent)
    : Card(tr("Log"), parent), m_view(new LogView(this)), m_hosts(new QComboBox(this)),
      m_ranks(new QComboBox(this)), m_streams(new QComboBox(this)), m_search(new QLineEdit(this)),
      m_matches(new QLabel(this)), m_only(new QPushButton(this)), m_follow(new QPushButton(this)),
      m_wrap(new QPushButton(this)), m_save([this](const Result<QString>& saved) {
          emit messageChanged(saved ? tr("Log saved to %1").arg(*saved)
                                    : tr("Couldn't save the log: %1").arg(saved.error().message.c_str()),
                              !saved);
      })
{
    makeFilters();
    makeTools();
    lines()->addWidget(m_view, 1);
    m_view->setMinimumHeight(scaledPixels(150));
    connect(m_search, &QLineEdit::textChanged, this, &LogCard::updateQuery);
    connect(m_only, &QPushButton::toggled, this, &LogCard::updateQuery);
    connect(m_follow, &QPushButton::toggled, m_view, &LogView::setFollowing);
    connect(m_view, &LogView::followingChanged, m_follow, &QToolButton::setChecked);
    connect(m_wrap, &QPushButton::toggled, m_view, &LogView::setWrapping);
    connect(m_view, &LogView::matchesChanged, this, &LogCard::showMatches);
    connect(m_view, &LogView::menuRequested, this, [this](QPoint position) {
        auto* const menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillMenu(menu, true);
        menu->popup(position);
    });
    show(nullptr, {});
}

void LogCard::makeFilters()
{
    m_hosts->setAccessibleName(tr("Filter by host"));
    m_hosts->setToolTip(m_hosts->accessibleName());
    m_ranks->setObjectName("ranks");
    m_ranks->setAccessibleName(tr("Filter by rank"));
    m_ranks->setToolTip(tr("Filter by rank, as far as the ranks of the lines are known"));
    m_streams->setObjectName("streams");
    m_streams->setAccessibleName(tr("Filter by stream"));
    m_streams->setToolTip(tr("Filter by stream: standard output, standard error, or messages from Lockstep"));
    m_streams->addItem(tr("all streams"));
    m_streams->addItem(tr("stdout"), static_cast<int>(LogStream::standardOutput));
    m_streams->addItem(tr("stderr"), static_cast<int>(LogStream::standardError));
    m_streams->addItem(tr("messages"), static_cast<int>(LogStream::messages));
    connect(m_hosts, &QComboBox::currentIndexChanged, this, [this](int index) {
        updateQuery();
        emit hostChosen(index > 0 ? std::optional<size_t>(static_cast<size_t>(index) - 1) : std::nullopt);
    });
    connect(m_ranks, &QComboBox::currentIndexChanged, this, &LogCard::updateQuery);
    connect(m_streams, &QComboBox::currentIndexChanged, this, &LogCard::updateQuery);
}

void LogCard::makeTools()
{
    m_search->setPlaceholderText(tr("Search the log"));
    m_search->setAccessibleName(tr("Search the log"));
    m_search->setToolTip(tr("Enter: next match; Shift+Enter: previous match"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(scaledPixels(220));
    m_search->installEventFilter(this);
    m_matches->setProperty("muted", true);
    const auto toggle = [](QPushButton* button, const QString& text, const QString& tooltip) {
        button->setText(text);
        button->setToolTip(tooltip);
        button->setCheckable(true);
        button->setProperty("toggle", true);
    };
    toggle(m_only, tr("Only matches"), tr("Show only matching lines"));
    toggle(m_follow, tr("Follow"), tr("Keep the newest line in view"));
    toggle(m_wrap, tr("Wrap"), tr("Wrap long lines"));
    m_follow->setChecked(true);
    auto* const more = new QToolButton(this);
    more->setText(tr("Copy"));
    more->setToolTip(tr("Copy or save the selected lines, or all listed lines if none are selected"));
    more->setProperty("flat", true);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* const menu = new QMenu(more);
    more->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        fillMenu(menu, false);
    });
    for (QWidget* tool :
         {static_cast<QWidget*>(m_hosts), static_cast<QWidget*>(m_ranks), static_cast<QWidget*>(m_streams),
          static_cast<QWidget*>(m_search), static_cast<QWidget*>(m_matches), static_cast<QWidget*>(m_only),
          static_cast<QWidget*>(m_follow), static_cast<QWidget*>(m_wrap), static_cast<QWidget*>(more)})
        header()->addWidget(tool);
}

// Fills the menu of the Copy button, or the context menu of the current line.
void LogCard::fillMenu(QMenu* menu, bool isForLine)
{
    const bool isAny = m_view->rowCount() > 0;
    QAction* const copy = menu->addAction(tr("Copy"), m_view, [this] { m_view->copy(LogFormat::withTimes); });
    copy->setShortcut(QKeySequence::Copy);
    copy->setEnabled(isAny);
    menu->addAction(tr("Copy without times"), m_view, [this] { m_view->copy(LogFormat::plain); })
        ->setEnabled(isAny);
    QAction* const all = menu->addAction(tr("Select all"), m_view, &LogView::selectAll);
    all->setShortcut(QKeySequence::SelectAll);
    all->setEnabled(isAny);
    menu->addSeparator();
    menu->addAction(tr("Save log\u2026"), this, [this] { promptForFile(false); })
        ->setEnabled(m_buffer != nullptr && m_buffer->end() > m_buffer->first());
    if (!m_view->query().isEveryLine())
        menu->addAction(tr("Save filtered lines\u2026"), this, [this] { promptForFile(true); })
            ->setEnabled(isAny);
    menu->addSeparator();
    QAction* const find =
        menu->addAction(tr("Find"), this, [this] { m_search->setFocus(Qt::ShortcutFocusReason); });
    find->setShortcut(QKeySequence::Find);
    const auto current = m_view->current();
    if (isForLine && current && *current >= m_buffer->first()) addLineFilters(menu, m_buffer->line(*current));
    if (m_view->query().isEveryLine()) return;
    menu->addAction(tr("Show all lines"), this, [this] {
        for (QComboBox* filter : {m_hosts, m_ranks, m_streams})
            filter->setCurrentIndex(0);
        m_only->setChecked(false);
    });
}

void LogCard::addLineFilters(QMenu* menu, const LogLine& line)
{
    menu->addSeparator();
    menu->addAction(tr("Show in timeline"), this, [this, host = line.host, time_ns = line.time_ns] {
        emit timelineRequested(host, time_ns);
    });
    const auto add = [menu, this](const QString& text, QComboBox* filter, int index) {
        if (index <= 0 || index == filter->currentIndex()) return;
        menu->addAction(text, this, [filter, index] { filter->setCurrentIndex(index); });
    };
    if (const auto rank = m_buffer->rank(line))
        add(tr("Only rank %1").arg(*rank), m_ranks, m_ranks->findData(QVariant::fromValue<qlonglong>(*rank)));
    const int stream = m_streams->findData(static_cast<int>(line.stream));
    add(tr("Only %1").arg(m_streams->itemText(stream)), m_streams, stream);
    if (m_hosts->count() > 2)
        add(tr("Only %1").arg(hostName(line.host, m_hostNames)), m_hosts, static_cast<int>(line.host) + 1);
}

void LogCard::promptForFile(bool isFiltered)
{
    auto* const dialog =
        new QFileDialog(this, isFiltered ? tr("Save filtered lines") : tr("Save log"), "run.log",
                        tr("Log files (*.log *.txt)") + ";;" + tr("All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("log");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, isFiltered](const QString& path) { saveTo(path.toStdString(), isFiltered); });
    dialog->open();
}

void LogCard::saveTo(const std::filesystem::path& path, bool isFiltered)
{
    if (m_buffer == nullptr) return;
    SavedLog log;
    log.hosts = m_hostNames;
    if (m_buffer->first() > 0)
        log.remark = tr("# Earlier lines that are only in the event files of the run: %1")
                         .arg(groupedText(static_cast<int64_t>(m_buffer->first())).c_str())
                         .toStdString();
    const auto add = [&log](const LogLine& line) {
        log.lines.push_back({line.time_ns, line.host, line.content.text});
    };
    if (isFiltered) {
        LogIndex index;
        index.setQuery(m_view->query());
        index.follow(*m_buffer, LogBuffer::kMaxLines);
        for (size_t row = 0; row < index.rows(); ++row)
            add(m_buffer->line(index.number(row)));
    } else {
        for (uint64_t number = m_buffer->first(); number < m_buffer->end(); ++number)
            add(m_buffer->line(number));
    }
    m_save.start([log = std::make_shared<const SavedLog>(std::move(log)),
                  path](const Progress& progress) -> Result<QString> {
        LOCKSTEP_TRY(saveLog(*log, path, progress));
        return QString::fromStdString(path.string());
    });
}

void LogCard::show(const LogBuffer* buffer, const QStringList& hosts)
{
    m_buffer = buffer;
    m_hostNames = hosts;
    const QSignalBlocker blocker(m_hosts);
    m_hosts->clear();
    m_hosts->addItem(tr("all hosts"));
    m_hosts->addItems(hosts);
    m_hosts->setVisible(hosts.size() > 1);
    m_view->setBuffer(buffer, hosts);
    showRanks();
    updateQuery();
    refresh();
}

// Lists the known ranks. The chosen rank stays chosen.
void LogCard::showRanks()
{
    const size_t count = m_buffer == nullptr ? 0 : m_buffer->ranks().size();
    if (m_ranks->count() == static_cast<int>(count) + 1) return;
    const QVariant chosen = m_ranks->currentData();
    const QSignalBlocker blocker(m_ranks);
    m_ranks->clear();
    m_ranks->addItem(tr("all ranks"));
    if (count > 0) {
        for (const int64_t rank : m_buffer->ranks())
            m_ranks->addItem(tr("rank %1").arg(rank), QVariant::fromValue<qlonglong>(rank));
    }
    m_ranks->setCurrentIndex(chosen.isValid() ? std::max(0, m_ranks->findData(chosen)) : 0);
    m_ranks->setVisible(count > 0);
}

void LogCard::choose(std::optional<size_t> host)
{
    const QSignalBlocker blocker(m_hosts);
    m_hosts->setCurrentIndex(host ? static_cast<int>(*host) + 1 : 0);
    updateQuery();
}

void LogCard::goTo(size_t host, int64_t time_ns, std::string_view text)
{
    if (m_buffer == nullptr) return;
    m_search->clear();
    m_only->setChecked(false);
    m_ranks->setCurrentIndex(0);
    m_streams->setCurrentIndex(0);
    choose(std::nullopt);
    if (const auto line = m_buffer->find(static_cast<uint32_t>(host), time_ns, text)) m_view->goTo(*line);
}

void LogCard::updateQuery()
{
    LogQuery query;
    if (m_hosts->currentIndex() > 0) query.host = static_cast<uint32_t>(m_hosts->currentIndex() - 1);
    if (m_ranks->currentIndex() > 0) query.rank = m_ranks->currentData().toLongLong();
    if (m_streams->currentIndex() > 0)
        query.stream = static_cast<LogStream>(m_streams->currentData().toInt());
    query.text = m_search->text().toStdString();
    query.isFilter = m_only->isChecked();
    m_view->setQuery(query);
    showMatches();
}

void LogCard::refresh()
{
    showRanks();
    m_view->refresh();
    const uint64_t forgotten = m_buffer == nullptr ? 0 : m_buffer->first();
    setRemark(
        forgotten == 0
            ? QString()
            : tr("earlier lines on disk: %1").arg(groupedText(static_cast<int64_t>(forgotten)).c_str()));
}

void LogCard::showMatches()
{
    m_matches->setVisible(!m_search->text().isEmpty());
    const size_t position = m_view->matchPosition(), count = m_view->matchCount();
    const QString total = QString::fromStdString(groupedText(static_cast<int64_t>(count)));
    m_matches->setText(count == 0     ? (m_view->isSearching() ? tr("searching") : tr("no match"))
                       : position > 0 ? tr("%1 of %2").arg(position).arg(total)
                                      : total);
}

bool LogCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            m_view->step(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_search->clear();
            return true;
        }
    }
    return Card::eventFilter(watched, event);
}

} // namespace lockstep
