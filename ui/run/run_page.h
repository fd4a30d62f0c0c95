// SPDX-License-Identifier: Apache-2.0
// RunPage: the page that shows a run: hosts, collection status and log on the left; progress, utilization and
// the actions after the run's end on the right. It shows a Run and emits signals for its buttons; the owner
// of the run acts on them. Without a run, it lists the runs to attach to. UI thread.
#pragma once

#include <functional>
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

    // `run` must outlive the page, or remain valid until watch(nullptr) is called.
    void watch(Run* run);
    bool isEmpty() const { return m_run == nullptr; }
    void setTheme(const Theme& theme);
    void setKnownRuns(const std::vector<KnownRun>& runs);
    // progress: nullopt if nothing is being fetched.
    void setProgress(const std::optional<CollectProgress>& progress);
    // Shows a message above the cards, with a link to the help page; an empty string hides the message.
    void setMessage(const QString& text, bool isBad, HelpTopic help = HelpTopic::none);

    // Opens the dialog that records the servers of the run, or shows why it cannot be opened.
    void recordServers();
    // Returns true while servers are being recorded. Destroying the page then leaves their profilers running;
    // stopRecording() stops them first and calls `then` once they have stopped.
    bool isRecording() const;
    void stopRecording(const std::function<void()>& then);

    RunHead* head() const { return m_header; }
    HostsCard* hosts() const { return m_hosts; }
    LedgerCard* ledger() const { return m_ledger; }
    LogCard* log() const { return m_log; }
    ProgressCard* progress() const { return m_progress; }
    UseCard* use() const { return m_use; }
    EndCard* end() const { return m_end; }
    RunList* list() const { return m_list; }

  signals:
    void helpRequested(const QString& page); // help page for the message
    void sessionRequested();
    void attachRequested(const QString& id);
    void closeRequested(); // request to close an ended run, or to stop watching a running one

  private:
    QWidget* makeEmpty();
    QWidget* makeCards();
    QWidget* makeFooter();
    void choose(std::optional<size_t> host);
    void refreshHosts();
    void showLedger();
    void refreshFooter();

    Run* m_run = nullptr;
    std::unique_ptr<RunFeed> m_feed;
    std::optional<size_t> m_chosen;
    bool m_isFetching = false;
    RunHead* m_header;
    QLabel* m_message;
    HelpLink* m_help; // next to the message
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
    QPushButton* m_remove = nullptr;
    QLabel* m_linked = nullptr;
    QLabel* m_promise = nullptr;
    QTimer m_clock; // updates the elapsed time and ages
};

} // namespace lockstep
