// SPDX-License-Identifier: Apache-2.0
// RunPage: the page on which a run is watched: hosts, ledger and log at the left; progress, use and what
// happens at the end at the right. It shows a Run and asks for what its buttons say; whoever owns the run
// does it. Without a run it lists those that can be picked up again. UI thread.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include <QTimer>
#include <QWidget>

#include "core/remote/collector.h"
#include "ui/run/run_feed.h"
#include "ui/run/run_list.h"
#include "ui/run/side_cards.h"
#include "ui/style/theme.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace lockstep {

class HelpLink;
class HostsCard;
class LedgerCard;
class LogCard;
class RunHead;

class RunPage : public QWidget {
    Q_OBJECT

  public:
    explicit RunPage(QWidget* parent = nullptr);
    ~RunPage() override;

    // run outlives the page or is taken away by watch(nullptr).
    void watch(Run* run);
    bool isEmpty() const { return m_run == nullptr; }
    void setTheme(const Theme& theme);
    void setKnownRuns(const std::vector<KnownRun>& runs);
    // empty: nothing is being fetched.
    void setProgress(const std::optional<CollectProgress>& progress);
    // A line above the cards; empty for none.
    void setMessage(const QString& text, bool isBad);

    RunHead* head() const { return m_head; }
    HostsCard* hosts() const { return m_hosts; }
    LedgerCard* ledger() const { return m_ledger; }
    LogCard* log() const { return m_log; }
    ProgressCard* progress() const { return m_progress; }
    UseCard* use() const { return m_use; }
    EndCard* end() const { return m_end; }
    RunList* list() const { return m_list; }

  signals:
    void helpRequested(const QString& place); // of a message
    void sessionRequested();
    void attachRequested(const QString& id);
    void closeRequested(); // of a run that is over or let go of

  private:
    QWidget* makeEmpty();
    QWidget* makeCards();
    QWidget* makeFoot();
    void choose(std::optional<size_t> host);
    void refreshHosts();
    void refreshFoot();

    Run* m_run = nullptr;
    std::unique_ptr<RunFeed> m_feed;
    std::optional<size_t> m_chosen;
    bool m_isFetching = false;
    RunHead* m_head;
    QLabel* m_message;
    HelpLink* m_help; // of the message
    QStackedWidget* m_pages;
    HostsCard* m_hosts = nullptr;
    LedgerCard* m_ledger = nullptr;
    LogCard* m_log = nullptr;
    ProgressCard* m_progress = nullptr;
    UseCard* m_use = nullptr;
    EndCard* m_end = nullptr;
    RunList* m_list = nullptr;
    QLabel* m_hint = nullptr;
    QPushButton* m_attach = nullptr;
    QLabel* m_linked = nullptr;
    QLabel* m_promise = nullptr;
    QTimer m_clock; // elapsed time and ages
};

} // namespace lockstep
