// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_page.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>

#include "core/remote/host_machine.h"
#include "core/remote/server_targets.h"
#include "ui/help/help_link.h"
#include "ui/run/hosts_card.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"
#include "ui/run/servers_dialog.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QScrollArea* scrollableColumn(const std::vector<QWidget*>& cards, QWidget* stretched)
{
    auto* const content = new QWidget;
    auto* const column = new QVBoxLayout(content);
    const int margin = scaledPixels(14);
    column->setContentsMargins(margin, margin, margin, margin);
    column->setSpacing(scaledPixels(12));
    for (QWidget* card : cards)
        column->addWidget(card, card == stretched ? 1 : 0);
    if (stretched == nullptr) column->addStretch(1);
    auto* const area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(content);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

} // namespace

RunPage::RunPage(QWidget* parent)
    : QWidget(parent), m_header(new RunHead(this)), m_message(new QLabel(this)), m_help(new HelpLink(this)),
      m_pages(new QStackedWidget(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setContentsMargins(scaledPixels(16), scaledPixels(6), scaledPixels(16), 0);
    m_message->hide();
    m_pages->addWidget(makeEmpty());
    m_pages->addWidget(makeCards());
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_message);
    column->addWidget(m_help, 0, Qt::AlignLeft);
    connect(m_help, &HelpLink::helpRequested, this, &RunPage::helpRequested);
    column->addWidget(m_pages, 1);
    column->addWidget(makeFooter());
    const auto search = [this] { m_log->searchField()->setFocus(Qt::ShortcutFocusReason); };
    for (const QKeySequence& keys : {QKeySequence(QKeySequence::Find), QKeySequence("/")})
        connect(new QShortcut(keys, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
                &QShortcut::activated, this, search);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &RunPage::refreshHosts);
    connect(m_hosts, &HostsCard::hostChosen, this, &RunPage::choose);
    connect(m_log, &LogCard::hostChosen, this, &RunPage::choose);
    connect(m_log, &LogCard::messageChanged, this,
            [this](const QString& text, bool isBad) { setMessage(text, isBad); });
    connect(m_header, &RunHead::closeRequested, this, &RunPage::closeRequested);
    connect(m_header, &RunHead::recordRequested, this, &RunPage::recordServers);
    watch(nullptr);
}

RunPage::~RunPage() = default;

QWidget* RunPage::makeEmpty()
{
    auto* const page = new QWidget(this);
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(scaledPixels(40), scaledPixels(32), scaledPixels(40), scaledPixels(32));
    column->setSpacing(scaledPixels(12));
    auto* const title = new QLabel(tr("No run open"), page);
    title->setProperty("title", true);
    m_hint = new QLabel(page);
    m_hint->setProperty("muted", true);
    m_hint->setWordWrap(true);
    m_list = new RunList(page);
    auto* const session = new QPushButton(tr("Set up a session"), page);
    m_attach = new QPushButton(tr("Attach"), page);
    m_attach->setProperty("primary", true);
    m_attach->setToolTip(tr("Attach to the selected run to watch it and fetch its reports"));
    m_remove = new RemoveRunButton(*m_list, page);
    auto* const line = new QHBoxLayout;
    line->addWidget(m_attach);
    line->addWidget(m_remove);
    line->addWidget(session);
    line->addStretch(1);
    column->addWidget(title);
    column->addWidget(m_hint);
    column->addWidget(m_list, 1);
    column->addLayout(line);
    column->addStretch(0);
    connect(session, &QPushButton::clicked, this, &RunPage::sessionRequested);
    connect(m_attach, &QPushButton::clicked, this, [this] { emit attachRequested(m_list->chosen()); });
    connect(m_list, &RunList::attachRequested, this, &RunPage::attachRequested);
    return page;
}

QWidget* RunPage::makeCards()
{
    auto* const split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    m_hosts = new HostsCard(split);
    m_ledger = new LedgerCard(split);
    m_log = new LogCard(split);
    m_progress = new ProgressCard(split);
    m_use = new UseCard(split);
    m_end = new EndCard(split);
    QScrollArea* const left = scrollableColumn({m_hosts, m_ledger, m_log}, m_log);
    QScrollArea* const right = scrollableColumn({m_progress, m_use, m_end}, nullptr);
    left->setMinimumWidth(scaledPixels(520));
    right->setMinimumWidth(scaledPixels(300));
    right->setProperty("panel", true);
    right->setAttribute(Qt::WA_StyledBackground);
    split->addWidget(left);
    split->addWidget(right);
    split->setSizes({scaledPixels(650), scaledPixels(350)});
    split->setStretchFactor(0, 65);
    split->setStretchFactor(1, 35);
    return split;
}

QWidget* RunPage::makeFooter()
{
    auto* const footer = new QWidget(this);
    footer->setProperty("panel", true);
    footer->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), scaledPixels(4));
    m_linked = new QLabel(footer);
    m_promise = new QLabel(footer);
    for (QLabel* label : {m_linked, m_promise}) {
        label->setProperty("muted", true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    line->addWidget(m_linked);
    line->addStretch(1);
    line->addWidget(m_promise);
    return footer;
}

void RunPage::watch(Run* run)
{
    m_clock.stop();
    m_hosts->show(nullptr, nullptr);
    m_log->show(nullptr, {});
    m_ledger->setTimes({});
    m_feed.reset();
    if (m_run != nullptr) m_run->disconnect(this);
    m_run = run;
    m_chosen.reset();
    m_isFetching = false;
    setMessage({}, false);
    m_pages->setCurrentIndex(run == nullptr ? 0 : 1);
    setProgress(std::nullopt);
    showLedger();
    if (run != nullptr) {
        m_feed = std::make_unique<RunFeed>(*run);
        m_hosts->show(run, m_feed.get());
        m_ledger->setTimes([feed = m_feed.get()](const LedgerEntry& entry) {
            return feed->reportTime_ns(entry.host, entry.path);
        });
        const auto showLog = [this] {
            QStringList names;
            for (const HostStatus& host : m_run->hosts())
                names << (host.host.empty() ? tr("this machine") : QString::fromStdString(host.host));
            m_log->show(&m_feed->log(), names);
        };
        showLog();
        connect(run, &Run::hostsAdded, this, showLog);
        connect(run, &Run::stateChanged, this, &RunPage::refreshHosts);
        connect(run, &Run::stateChanged, this, &RunPage::showLedger);
        connect(m_feed.get(), &RunFeed::hostsChanged, this, &RunPage::refreshHosts);
        connect(m_feed.get(), &RunFeed::logChanged, m_log, &LogCard::refresh);
        connect(m_feed.get(), &RunFeed::ledgerChanged, this, [this] {
            showLedger();
            m_hosts->refresh(); // refresh the hosts table, because its rank rows show report states
            m_header->refresh(m_run, m_isFetching);
        });
        m_clock.start();
    }
    refreshHosts();
}

void RunPage::recordServers()
{
    if (m_run == nullptr) return;
    for (auto* dialog : findChildren<ServersDialog*>()) {
        if (dialog->isVisible()) return dialog->raise();
    }
    auto targets = targetsOfRun(m_run->record(), m_run->config(), m_run->options(), {}, {});
    auto key = serverKeyFromEnvironment();
    if (!targets || !key) {
        const Error& error = targets ? key.error() : targets.error();
        return setMessage(QString::fromStdString(error.message), true, error.help);
    }
    auto* const dialog = new ServersDialog(*std::move(targets), *std::move(key), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

bool RunPage::isRecording() const
{
    return std::ranges::any_of(findChildren<ServersDialog*>(),
                               [](const ServersDialog* dialog) { return dialog->isRecording(); });
}

void RunPage::stopRecording(const std::function<void()>& then)
{
    for (ServersDialog* dialog : findChildren<ServersDialog*>()) {
        if (!dialog->isRecording()) continue;
        connect(dialog, &QDialog::finished, this, then, Qt::QueuedConnection);
        return dialog->reject(); // there is at most one dialog
    }
    then();
}

void RunPage::showLedger()
{
    if (m_run == nullptr) return m_ledger->setLedger({}, true);
    m_ledger->setLedger(m_run->ledger(), m_run->state() == RunState::ended);
}

void RunPage::refreshHosts()
{
    m_hosts->refresh();
    m_header->refresh(m_run, m_isFetching);
    m_progress->refresh(m_run, m_feed.get());
    m_use->refresh(m_run, m_feed.get(), m_chosen);
    refreshFooter();
    if (m_run != nullptr && (m_run->state() == RunState::ended || m_run->state() == RunState::detached))
        m_clock.stop();
}

void RunPage::refreshFooter()
{
    if (m_run == nullptr) {
        m_linked->setText(tr("no run"));
        m_promise->setText(tr("runs continue on their hosts: closing this window never stops them"));
        return;
    }
    const auto linked =
        std::ranges::count_if(m_run->hosts(), [](const HostStatus& host) { return isFollowed(host.state); });
    const auto over =
        std::ranges::count_if(m_run->hosts(), [](const HostStatus& host) { return isFinal(host.state); });
    const QString id = QString::fromStdString(m_run->record().id).toHtmlEscaped();
    const QString gap = QString(4, QChar::Nbsp);
    const bool isOver = over == static_cast<std::ptrdiff_t>(m_run->hosts().size());
    const auto hosts = static_cast<int>(m_run->hosts().size());
    m_linked->setText((isOver ? tr("ended on %n host(s)", nullptr, hosts)
                              : tr("%1 of %n host(s) linked", nullptr, hosts).arg(linked)) +
                      gap + tr("run <b>%1</b>").arg(id));
    m_promise->setText(
        (isOver ? tr("to reopen: <b>lockstep --attach %1</b>")
                : tr("closing the window does not stop the run; to reattach: <b>lockstep --attach %1</b>"))
            .arg(id));
}

void RunPage::choose(std::optional<size_t> host)
{
    m_chosen = host;
    m_hosts->choose(host);
    m_log->choose(host);
    m_use->refresh(m_run, m_feed.get(), host);
}

void RunPage::setTheme(const Theme& theme)
{
    m_hosts->setTheme(theme);
    m_ledger->setTheme(theme);
    m_log->setTheme(theme);
    m_progress->setTheme(theme);
    m_use->setTheme(theme);
    m_end->setTheme(theme);
}

void RunPage::setKnownRuns(const std::vector<KnownRun>& runs)
{
    m_list->setRuns(runs);
    m_list->setVisible(!runs.empty());
    m_attach->setVisible(!runs.empty());
    m_remove->setVisible(!runs.empty());
    m_hint->setText(
        runs.empty()
            ? tr("Launch a session from the Session page. Its hosts, log and reports then appear here. "
                 "Runs started from this machine are listed here.")
            : tr("Launch a session from the Session page, or attach to an earlier run. Its event stream "
                 "resumes where it stopped, and its reports can be fetched."));
}

void RunPage::setProgress(const std::optional<CollectProgress>& progress)
{
    m_isFetching = progress.has_value();
    m_ledger->setProgress(progress);
    m_header->refresh(m_run, m_isFetching);
}

void RunPage::setMessage(const QString& text, bool isBad, HelpTopic help)
{
    m_message->setText(text);
    m_message->setProperty("tone", isBad ? "bad" : "quiet");
    m_message->setStyleSheet(m_message->styleSheet()); // reevaluates the style rule for the tone
    m_message->setVisible(!text.isEmpty());
    m_help->setTopic(help);
}

} // namespace lockstep
