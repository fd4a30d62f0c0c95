// SPDX-License-Identifier: Apache-2.0
// LedgerCard: the collection status of a run (expected, written and fetched reports) and the buttons that
// fetch them. UI thread.
#pragma once

#include <set>

#include "core/remote/collector.h"
#include "ui/run/ledger_view.h"
#include "ui/style/card.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace lockstep {

class LedgerCard : public Card {
    Q_OBJECT

  public:
    explicit LedgerCard(QWidget* parent);

    // isOver: the run has ended, so that incomplete reports can be fetched, too.
    void setLedger(const Ledger& ledger, bool isOver);
    void setTheme(const Theme& theme) { m_view->setTheme(theme); }
    // Sets the source of the times in the details of reports; see LedgerView::TimeOf.
    void setTimes(LedgerView::TimeOf timeOf) { m_view->setTimes(std::move(timeOf)); }
    // progress: nullopt if nothing is being fetched.
    void setProgress(const std::optional<CollectProgress>& progress);
    LedgerView* view() const { return m_view; }

  signals:
    // Requests to fetch these entries; an empty set requests every report that can be fetched.
    void fetchRequested(const std::set<size_t>& entries, lockstep::CollectMode mode);
    void cancelRequested();
    // Requests that an already fetched report be opened.
    void openRequested(size_t entry);
    // Requests that the data of the report be shown, if it is open or fetched.
    void showRequested(size_t entry);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showState();
    void showCurrent();
    void showMenu(QPoint position);
    void fetchChosen(CollectMode mode);
    void retry();
    void fit();

    Ledger m_ledger;
    LedgerView* m_view;
    QLabel* m_current;
    QLabel* m_progressText;
    QProgressBar* m_progress;
    QToolButton* m_fetchAll;
    QToolButton* m_fetchColumns;
    QToolButton* m_fetchChosen;
    QToolButton* m_retry;
    QToolButton* m_cancel;
    bool m_isFetching = false;
    bool m_isOver = false;
};

// Returns the counts per state: "17 expected · 13 verified · 2 writing · 2 pending".
QString ledgerRemark(const Ledger& ledger);

} // namespace lockstep
