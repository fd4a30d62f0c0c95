// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ledger_card.h"

#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/run/run_text.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Reports that are still being written are fetched once the run has ended, up to their last complete block.
bool isFetchable(const LedgerEntry& entry, bool isOver)
{
    const bool isOpen = entry.state == LedgerState::capturing || entry.state == LedgerState::flushing;
    return entry.localPath.empty() && !entry.path.empty() && (isOver || !isOpen);
}

} // namespace

QString ledgerRemark(const Ledger& ledger)
{
    using enum LedgerState;
    if (ledger.entries().empty())
        return LedgerCard::tr("no reports expected yet; reports found on the hosts appear here");
    QString remark = ledger.expectedCount() > 0 ? LedgerCard::tr("%1 expected").arg(ledger.expectedCount())
                                                : LedgerCard::tr("reports found");
    const auto counts = ledger.counts();
    for (const LedgerState state : {verified, fetched, complete, capturing, flushing, missing, expected}) {
        const size_t count = counts[static_cast<size_t>(state)];
        if (count > 0) remark += QString(" \u00B7 %1 %2").arg(count).arg(ledgerStateText(state));
    }
    return remark;
}

LedgerCard::LedgerCard(QWidget* parent)
    : Card(tr("Collection status"), parent), m_view(new LedgerView(this)), m_current(new QLabel(this)),
      m_progressText(new QLabel(this)), m_progress(new QProgressBar(this)), m_fetchAll(new QToolButton(this)),
      m_fetchColumns(new QToolButton(this)), m_fetchChosen(new QToolButton(this)),
      m_retry(new QToolButton(this)), m_cancel(new QToolButton(this))
{
    m_fetchAll->setText(tr("Fetch all"));
    m_fetchColumns->setText(tr("Fetch compact data"));
    m_fetchChosen->setToolTip(tr("Fetch the selected reports (Space selects, Ctrl+A selects all)"));
    m_retry->setText(tr("Retry"));
    m_retry->setToolTip(tr("Retry the reports that could not be fetched or were corrupt"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop fetching. Fetched data is kept, and the next fetch resumes from there."));
    for (QToolButton* button : {m_retry, m_fetchChosen, m_fetchColumns, m_fetchAll, m_cancel})
        header()->addWidget(button);
    m_current->setProperty("muted", true);
    m_current->setTextFormat(Qt::PlainText);
    m_current->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_current->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_progressText->setProperty("muted", true);
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    lines()->addWidget(m_view);
    lines()->addWidget(m_current);
    lines()->addWidget(m_progressText);
    lines()->addWidget(m_progress);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this, &LedgerCard::showMenu);
    connect(m_view, &LedgerView::contentHeightChanged, this, &LedgerCard::fit);
    connect(m_view, &LedgerView::currentChanged, this, &LedgerCard::showCurrent);
    connect(m_view, &LedgerView::chosenChanged, this, &LedgerCard::showState);
    connect(m_view, &LedgerView::activated, this, [this](size_t entry) {
        if (isFetchable(m_ledger.entries()[entry], m_isOver)) {
            if (!m_isFetching) emit fetchRequested({entry}, CollectMode::whole);
        } else {
            emit showRequested(entry);
        }
    });
    connect(m_fetchAll, &QToolButton::clicked, this, [this] { emit fetchRequested({}, CollectMode::whole); });
    connect(m_fetchColumns, &QToolButton::clicked, this,
            [this] { emit fetchRequested({}, CollectMode::reduced); });
    connect(m_fetchChosen, &QToolButton::clicked, this, [this] { fetchChosen(CollectMode::whole); });
    connect(m_retry, &QToolButton::clicked, this, &LedgerCard::retry);
    connect(m_cancel, &QToolButton::clicked, this, &LedgerCard::cancelRequested);
    setProgress(std::nullopt);
    setLedger({}, true);
}

void LedgerCard::setLedger(const Ledger& ledger, bool isOver)
{
    m_ledger = ledger;
    m_isOver = isOver;
    m_view->setLedger(ledger);
    setRemark(ledgerRemark(ledger));
    fit();
    showState();
}

void LedgerCard::fit()
{
    m_view->setFixedHeight(std::max(m_view->contentHeight(), scaledPixels(1)));
    m_view->setVisible(!m_ledger.entries().empty());
}

void LedgerCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    showCurrent();
}

void LedgerCard::setProgress(const std::optional<CollectProgress>& progress)
{
    m_isFetching = progress.has_value();
    m_progress->setVisible(m_isFetching);
    m_progressText->setVisible(m_isFetching);
    m_cancel->setVisible(m_isFetching);
    if (progress) {
        const double share = progress->bytes > 0 ? static_cast<double>(progress->bytesDone) /
                                                       static_cast<double>(progress->bytes)
                                                 : 0;
        m_progress->setValue(static_cast<int>(share * 1000));
        m_progressText->setText(
            progress->files == 0
                ? tr("Querying the hosts for reports\u2026")
                : tr("Fetching: %1 of %n report(s), %2 of %3", nullptr, static_cast<int>(progress->files))
                      .arg(progress->filesDone)
                      .arg(byteQText(progress->bytesDone), byteQText(progress->bytes)));
    }
    showState();
}

void LedgerCard::showState()
{
    size_t fetchable = 0, broken = 0, chosen = 0, here = 0;
    for (size_t i = 0; i < m_ledger.entries().size(); ++i) {
        const LedgerEntry& entry = m_ledger.entries()[i];
        const bool canFetch = isFetchable(entry, m_isOver);
        fetchable += canFetch;
        chosen += canFetch && m_view->chosen().contains(i);
        here += !entry.localPath.empty();
        broken += entry.state == LedgerState::missing && !entry.path.empty();
    }
    m_fetchAll->setVisible(!m_isFetching && !m_ledger.entries().empty());
    const QString reason = fetchable > 0 ? QString()
                           : here > 0    ? tr("All reports found on the hosts are on this machine.")
                           : m_isOver    ? tr("No report was found on the hosts.")
                                         : tr("No report is complete yet.");
    m_fetchAll->setEnabled(fetchable > 0);
    m_fetchAll->setToolTip(reason.isEmpty() ? tr("Fetch and verify all complete reports") : reason);
    m_fetchColumns->setVisible(m_fetchAll->isVisibleTo(this));
    m_fetchColumns->setEnabled(fetchable > 0);
    m_fetchColumns->setToolTip(
        reason.isEmpty()
            ? tr("Fetch only the compact columns of all complete reports; the hosts extract them")
            : reason);
    m_fetchChosen->setVisible(!m_isFetching && chosen > 0);
    m_fetchChosen->setText(tr("Fetch selected (%1)").arg(chosen));
    m_retry->setVisible(!m_isFetching && broken > 0);
}

void LedgerCard::showCurrent()
{
    const auto current = m_view->current();
    m_current->setVisible(current.has_value());
    if (!current) return;
    const QString text = m_view->textOf(*current);
    const QString line = QString(text).replace('\n', "  \u00B7  ");
    m_current->setText(
        m_current->fontMetrics().elidedText(line, Qt::ElideMiddle, width() - scaledPixels(30)));
    m_current->setToolTip(text);
    m_current->setAccessibleName(text);
}

void LedgerCard::fetchChosen(CollectMode mode)
{
    std::set<size_t> entries;
    for (const size_t entry : m_view->chosen()) {
        if (isFetchable(m_ledger.entries()[entry], m_isOver)) entries.insert(entry);
    }
    if (!entries.empty()) emit fetchRequested(entries, mode);
}

void LedgerCard::retry()
{
    std::set<size_t> entries;
    for (size_t i = 0; i < m_ledger.entries().size(); ++i) {
        const LedgerEntry& entry = m_ledger.entries()[i];
        if (entry.state == LedgerState::missing && !entry.path.empty()) entries.insert(i);
    }
    emit fetchRequested(entries, CollectMode::whole);
}

void LedgerCard::showMenu(QPoint position)
{
    const auto entry = m_view->entryAt(position);
    if (entry && !m_view->chosen().contains(*entry)) m_view->setChosen({*entry});
    if (entry) m_view->setCurrent(*entry);
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool canFetch = m_fetchChosen->isVisibleTo(this);
    menu->addAction(tr("Fetch full reports"), this, [this] { fetchChosen(CollectMode::whole); })
        ->setEnabled(canFetch);
    menu->addAction(tr("Fetch compact data only"), this, [this] { fetchChosen(CollectMode::reduced); })
        ->setEnabled(canFetch);
    if (entry && !m_ledger.entries()[*entry].localPath.empty())
        menu->addAction(tr("Open"), this, [this, at = *entry] { emit openRequested(at); });
    if (entry && m_ledger.entries()[*entry].knownRank())
        menu->addAction(tr("Show last slice"), this, [this, at = *entry] { emit showRequested(at); });
    menu->popup(m_view->mapToGlobal(position));
}

} // namespace lockstep
