// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_head.h"

#include <algorithm>

#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "core/base/text.h"
#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kUsualGrace_s = 30;

} // namespace

size_t arrivedCount(const Ledger& ledger)
{
    const auto counts = ledger.counts();
    using enum LedgerState;
    return counts[static_cast<size_t>(complete)] + counts[static_cast<size_t>(fetched)] +
           counts[static_cast<size_t>(verified)] + counts[static_cast<size_t>(cutShort)];
}

size_t reportCount(const Ledger& ledger)
{
    const auto counts = ledger.counts();
    return ledger.entries().size() - counts[static_cast<size_t>(LedgerState::found)] -
           counts[static_cast<size_t>(LedgerState::absent)];
}

size_t unfinishedCount(const Ledger& ledger)
{
    using enum LedgerState;
    return static_cast<size_t>(std::ranges::count_if(ledger.entries(), [](const LedgerEntry& entry) {
        return (entry.state == capturing || entry.state == flushing) && entry.size_bytes > 0;
    }));
}

QString recordingObstacle(const Run* run)
{
    if (run == nullptr) return RunHead::tr("No run is being watched. Launch a session, or attach to a run.");
    if (run->state() == RunState::ended || run->state() == RunState::detached)
        return RunHead::tr("The run has ended.");
    if (run->config().servers.empty())
        return RunHead::tr("The session lists no servers. Add their addresses with the key servers.");
    return {};
}

QString runHeadText(const Run& run, int64_t now_ns)
{
    const bool isOver = run.state() == RunState::ended;
    int64_t end = now_ns;
    if (isOver) {
        end = run.record().started_ns;
        for (const HostStatus& host : run.hosts())
            end = std::max(end, host.lastEvent_ns);
    }
    const std::string_view state = runStateName(run.state());
    QStringList parts{QString::fromUtf8(state.data(), static_cast<qsizetype>(state.size())),
                      RunHead::tr("started %1 UTC, %2")
                          .arg(QString::fromStdString(utcTimeText(run.record().started_ns)).left(8),
                               elapsedText(end - run.record().started_ns))};
    if (const auto step = run.latestStep()) {
        const auto total = knownTotalSteps(run.config());
        parts << (total ? RunHead::tr("step %1 of %2").arg(*step).arg(*total)
                        : RunHead::tr("step %1").arg(*step));
    }
    const auto reached =
        std::ranges::count_if(run.hosts(), [](const HostStatus& host) { return host.lastSeq > 0; });
    parts << RunHead::tr("%1 of %n host(s) reached", nullptr, static_cast<int>(run.hosts().size()))
                 .arg(reached);
    const size_t total = reportCount(run.ledger()), arrived = arrivedCount(run.ledger());
    if (run.ledger().expectedCount() > 0) {
        parts << RunHead::tr("%1 of %n report(s)", nullptr, static_cast<int>(total)).arg(arrived);
    } else if (arrived > 0) {
        parts << RunHead::tr("%n report(s)", nullptr, static_cast<int>(arrived));
    }
    return parts.join(" \u00B7 ");
}

RunHead::RunHead(QWidget* parent)
    : QWidget(parent), m_name(new QLabel(this)), m_state(new QLabel(this)),
      m_record(new QPushButton(tr("Record servers\u2026"), this)),
      m_detach(new QPushButton(tr("Stop watching"), this)),
      m_stopAfterStep(new QPushButton(tr("Stop after this step"), this)),
      m_stop(new QPushButton(tr("Stop now\u2026"), this)), m_open(new QPushButton(this))
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(scaledPixels(16), scaledPixels(6), scaledPixels(16), scaledPixels(6));
    line->setSpacing(scaledPixels(8));
    m_name->setProperty("strong", true);
    m_name->setTextFormat(Qt::PlainText);
    m_state->setProperty("muted", true);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_stop->setProperty("danger", true);
    m_open->setProperty("primary", true);
    m_stop->setToolTip(tr("Stop the program on every host (asks for confirmation)"));
    line->addWidget(m_name);
    line->addWidget(m_state, 1);
    m_record->setToolTip(tr("Record with the profilers of the session's vLLM and SGLang servers"));
    for (QPushButton* button : {m_record, m_detach, m_stopAfterStep, m_stop, m_open})
        line->addWidget(button);
    connect(m_record, &QPushButton::clicked, this, &RunHead::recordRequested);
    connect(m_detach, &QPushButton::clicked, this,
            [this] { m_isOver ? emit closeRequested() : emit detachRequested(); });
    connect(m_stopAfterStep, &QPushButton::clicked, this, &RunHead::stopAfterStepRequested);
    connect(m_stop, &QPushButton::clicked, this, &RunHead::requestStop);
    connect(m_open, &QPushButton::clicked, this, &RunHead::openRequested);
    refresh(nullptr, false);
}

void RunHead::refresh(const Run* run, bool isFetching)
{
    for (QPushButton* button : {m_detach, m_stopAfterStep, m_stop, m_open})
        button->setVisible(run != nullptr);
    m_record->setVisible(run != nullptr && recordingObstacle(run).isEmpty());
    m_isOver = run != nullptr && (run->state() == RunState::ended || run->state() == RunState::detached);
    m_name->setText(run == nullptr ? tr("No run") : QString::fromStdString(run->record().session));
    if (run == nullptr) return m_state->setText(tr("not watching a run"));
    const QString text = runHeadText(*run, QDateTime::currentMSecsSinceEpoch() * 1'000'000);
    m_state->setText(text);
    m_state->setToolTip(text);
    m_detach->setText(m_isOver ? tr("Close") : tr("Stop watching"));
    m_detach->setToolTip(
        m_isOver ? tr("Close this run; it stays in the run list")
                 : tr("Stop watching. The run continues on its hosts; you can attach to it again."));
    const bool isStopping = run->state() == RunState::stopping;
    m_stopAfterStep->setVisible(!m_isOver && !isStopping);
    const std::optional<int64_t> step = run->latestStep();
    m_stopAfterStep->setEnabled(step && !run->lastStep());
    m_stopAfterStep->setText(run->lastStep() ? tr("Stops after step %1").arg(*run->lastStep())
                                             : tr("Stop after this step"));
    m_stopAfterStep->setToolTip(
        step
            ? tr("Stop the run when the next training step begins; profilers still write their reports")
            : tr("No training step has been seen yet. Steps are found in the program's log (\u201Cstep:12\u201D, "
                 "\u201CStep 12/100\u201D) and in captures (ranges named \u201Cstep 12\u201D)."));
    m_stop->setVisible(!m_isOver);
    m_stop->setEnabled(!isStopping);
    m_stop->setText(isStopping ? tr("Stopping") : tr("Stop now\u2026"));
    const size_t arrived = arrivedCount(run->ledger()) + (m_isOver ? unfinishedCount(run->ledger()) : 0);
    m_open->setText((m_isOver ? tr("Open results (%1)") : tr("Open collected reports (%1)")).arg(arrived));
    m_open->setEnabled(arrived > 0 && !isFetching);
    m_open->setToolTip(isFetching    ? tr("Reports are being fetched.")
                       : arrived > 0 ? tr("Fetch the reports and open them on one timeline")
                       : m_isOver    ? tr("The run has no reports.")
                                     : tr("No report is complete yet."));
}

void RunHead::requestStop()
{
    auto* const dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Stop the run"));
    auto* const column = new QVBoxLayout(dialog);
    column->setSpacing(scaledPixels(10));
    auto* const text =
        new QLabel(tr("Sends SIGTERM to the program on every host. Profilers then write their reports. "
                      "Programs that are still running after the grace period are killed."),
                   dialog);
    text->setWordWrap(true);
    text->setMinimumWidth(scaledPixels(380));
    auto* const line = new QHBoxLayout;
    auto* const grace = new QSpinBox(dialog);
    grace->setRange(0, 3600);
    grace->setValue(kUsualGrace_s);
    grace->setSuffix(" s");
    grace->setAccessibleName(tr("Grace period for reports"));
    line->addWidget(new QLabel(tr("Grace period for reports"), dialog));
    line->addWidget(grace);
    line->addStretch(1);
    auto* const buttons = new QDialogButtonBox(dialog);
    QPushButton* const stop = buttons->addButton(tr("Stop the run"), QDialogButtonBox::AcceptRole);
    stop->setProperty("danger", true);
    QPushButton* const stay = buttons->addButton(tr("Keep running"), QDialogButtonBox::RejectRole);
    stay->setDefault(true);
    column->addWidget(text);
    column->addLayout(line);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(dialog, &QDialog::accepted, this, [this, grace] { emit stopRequested(grace->value()); });
    dialog->open();
}

} // namespace lockstep
