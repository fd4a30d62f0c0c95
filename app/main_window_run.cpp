// MainWindow: the Run page as a page of the window, and what a run asks of the window.
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/desktop_notification.h"
#include "app/known_runs.h"
#include "app/main_window.h"
#include "app/run_controller.h"
#include "app/status_line.h"
#include "core/base/text.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// "ledger 47/48, 1 missing".
QString ledgerFoot(const Ledger& ledger)
{
    const auto counts = ledger.counts();
    const size_t missing = counts[static_cast<size_t>(LedgerState::missing)];
    QString foot = QString("ledger %1/%2").arg(arrivedCount(ledger)).arg(ledger.entries().size());
    if (missing > 0) foot += QString(", %1 missing").arg(missing);
    return foot;
}

} // namespace

bool MainWindow::isRunPageShown() const
{
    return m_pages->currentWidget() == m_runPage;
}

void MainWindow::showRunPage()
{
    if (!isRunPageShown()) {
        hideDocks();
        m_status->hide();
        m_pages->setCurrentWidget(m_runPage);
        m_runPage->setFocus();
    }
    m_strip->setPage(TopStrip::Page::run);
    enablePageActions();
}

void MainWindow::connectRun()
{
    m_runs = std::make_unique<RunController>(*m_runPage, m_runOptions);
    const auto on = [this](ActionId id, auto&& run) {
        connect(m_actions->at(id), &QAction::triggered, this, run);
    };
    on(ActionId::showRun, [this] { showRunPage(); });
    on(ActionId::runSession, [this] {
        showSessionPage(); // where the checks are told
        m_runs->launch(m_session->draft().config(), false);
    });
    on(ActionId::attachRun, [this] { askToAttach(); });
    on(ActionId::detachRun, [this] { m_runs->letGo(); });
    on(ActionId::openResults, [this] { m_runs->openResults(); });
    connect(m_session, &SessionPage::hostCheckRequested, this,
            [this] { m_runs->checkHosts(m_session->draft().config()); });
    connect(m_session, &SessionPage::runRequested, m_actions->at(ActionId::runSession), &QAction::trigger);
    connect(m_runPage, &RunPage::sessionRequested, this, &MainWindow::showSessionPage);
    m_runPage->end()->setOptions(m_settings.runEnd());
    connect(m_runPage->end(), &EndCard::optionsChanged, this,
            [this] { m_settings.setRunEnd(m_runPage->end()->options()); });
    RunController* const runs = m_runs.get();
    connect(runs, &RunController::preparing, m_session, &SessionPage::setWaiting);
    connect(runs, &RunController::factsArrived, this, [this](const std::vector<HostFacts>& facts) {
        m_session->draft().takeFacts(facts);
        m_session->setMessage({});
    });
    connect(runs, &RunController::refused, this, &MainWindow::takeRefusal);
    connect(runs, &RunController::secretsWanted, this, &MainWindow::askForSecrets);
    connect(runs, &RunController::launched, this, [this] {
        m_session->setMessage({});
        showRunPage();
    });
    connect(runs, &RunController::runsListed, this, &MainWindow::offerToAttach);
    connect(runs, &RunController::workspaceWritten, this,
            [this](const std::filesystem::path& path) { open({path}); });
    connect(runs, &RunController::reportOpenRequested, this,
            [this](const std::filesystem::path& path) { open({path}); });
    connect(runs, &RunController::ended, this, &notifyDesktop);
    connect(&m_controller, &WorkspaceController::workspaceOpened, this,
            [this](const std::filesystem::path&, const std::map<std::string, std::string>& sections) {
                const auto found = sections.find(runSection::kLedger);
                if (found == sections.end()) return;
                if (const auto ledger = ledgerFromJson(found->second))
                    m_reports->setFoot(ledgerFoot(*ledger));
            });
    m_runs->listRuns();
}

// What stands against a launch is told on the page that can mend it.
void MainWindow::takeRefusal(const QString& reason, bool canForce)
{
    showSessionPage();
    m_session->setMessage(reason);
    if (!canForce) return;
    m_notice->tell(NoticeBar::Tone::warn, "Nothing was started.",
                   {{"Run all the same", [this] { m_runs->launch(m_session->draft().config(), true); }},
                    {"Dismiss", [] {}}});
}

// What is typed goes to this launch and the next ones of this window, and into no file.
void MainWindow::askForSecrets(const std::vector<std::string>& names, bool isForced)
{
    auto* const dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName("secrets");
    dialog->setWindowTitle("Values for secrets");
    auto* const column = new QVBoxLayout(dialog);
    auto* const why =
        new QLabel("Sessions and workspaces keep only the names of these variables. Their values are handed "
                   "to the processes of the run and written nowhere.");
    why->setWordWrap(true);
    column->addWidget(why);
    auto* const form = new QFormLayout;
    column->addLayout(form);
    std::vector<std::pair<std::string, QLineEdit*>> fields;
    for (const std::string& name : names) {
        auto* const field = new QLineEdit(dialog);
        field->setEchoMode(QLineEdit::Password);
        field->setObjectName(QString::fromStdString(name));
        form->addRow(field->objectName(), field);
        fields.emplace_back(name, field);
    }
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
    buttons->addButton("Run", QDialogButtonBox::AcceptRole);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(dialog, &QDialog::accepted, this, [this, fields, isForced] {
        TextPairs values;
        for (const auto& [name, field] : fields)
            values.emplace_back(name, field->text().toStdString());
        m_runs->giveSecrets(values);
        m_runs->launch(m_session->draft().config(), isForced);
    });
    dialog->open();
}

// A run that an earlier window left going on; asked once.
void MainWindow::offerToAttach(const std::vector<KnownRun>& runs)
{
    if (std::exchange(m_hasOfferedRun, true) || m_runs->run() != nullptr || !m_notice->isEmpty()) return;
    const KnownRun* const run = unfinishedRun(runs, QDateTime::currentMSecsSinceEpoch() * 1'000'000);
    if (run == nullptr) return;
    const QString id = QString::fromStdString(run->record.id);
    const QString started = QString::fromStdString(utcDateText(run->record.started_ns)) + " " +
                            QString::fromStdString(utcTimeText(run->record.started_ns)).left(5);
    m_notice->tell(NoticeBar::Tone::quiet,
                   QString("%1, started %2 UTC, goes on on %3 host%4.")
                       .arg(QString::fromStdString(run->record.session), started)
                       .arg(run->record.hosts.size())
                       .arg(run->record.hosts.size() == 1 ? "" : "s"),
                   {{"Attach",
                     [this, id] {
                         showRunPage();
                         m_runs->attach(id);
                     }},
                    {"Not now", [] {}}});
}

void MainWindow::askToAttach()
{
    showRunPage();
    if (m_runPage->isEmpty()) return; // the page lists them itself
    auto* const dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle("Attach to a run");
    dialog->resize(scaledPixels(760), scaledPixels(360));
    auto* const column = new QVBoxLayout(dialog);
    auto* const list = new RunList(dialog);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
    QPushButton* const attach = buttons->addButton("Attach", QDialogButtonBox::AcceptRole);
    attach->setDefault(true);
    column->addWidget(list, 1);
    column->addWidget(buttons);
    connect(m_runs.get(), &RunController::runsListed, list, &RunList::setRuns);
    connect(list, &RunList::attachRequested, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(dialog, &QDialog::accepted, this, [this, list] {
        if (!list->chosen().isEmpty()) m_runs->attach(list->chosen());
    });
    m_runs->listRuns();
    dialog->open();
}

} // namespace lockstep
