// SPDX-License-Identifier: Apache-2.0
// SessionPage: the page on which a run is configured. The form is on the left, the results of the form are on
// the right. Every edit can be undone. The page writes only session files, and only on request; it writes
// nothing to hosts. UI thread.
#pragma once

#include <filesystem>
#include <functional>

#include <QWidget>

#include "ui/async/latest_job.h"
#include "ui/session/page_banner.h"
#include "ui/session/session_draft.h"
#include "ui/style/theme.h"

class QMenu;
class QPushButton;
class QToolButton;

namespace lockstep {

class ElidedLabel;
class FindingsSection;
class PlanSection;
class RoleSection;
class ToolSection;
class RecordingSection;
class ProgramSection;

class SessionPage : public QWidget {
    Q_OBJECT

  public:
    explicit SessionPage(QWidget* parent = nullptr);
    ~SessionPage() override;

    SessionDraft& draft() { return m_draft; }
    PlanSection* plan() const { return m_plan; }
    RecordingSection* recorded() const { return m_recorded; }
    ToolSection* tool() const { return m_tool; }
    RoleSection* role() const { return m_role; }
    void setTheme(const Theme& theme);
    // Shows an error over the top of the form until the next action, with a link to its help topic if there
    // is one, and an action if it has a text. An empty message hides the error.
    void setMessage(const QString& message, HelpTopic help = HelpTopic::none,
                    const PageBanner::Action& action = {});
    // Shows this text and a Cancel button while the hosts are queried, and disables the buttons that query
    // them. An empty string ends this state.
    void setWaiting(const QString& text);
    // Sets the sizes of the files that a check of the hosts copies to each host; 0 = unknown. The page states
    // them before the check.
    void setInstalledSizes(int64_t agent_bytes, int64_t library_bytes);

    // Actions of menus and buttons. Actions that need a dialog open it and return. Files are read and written
    // off the UI thread; a newer request replaces an older one.
    void openFile(const std::filesystem::path& path);
    void saveTo(const std::filesystem::path& path);
    // Imports a launch script or the configuration file of a framework; the script is read, never run.
    void importFile(const std::filesystem::path& path);
    // Opens a session, and imports any other supported text.
    void openOrImport(const std::filesystem::path& path);
    void loadFacts(const std::filesystem::path& path);
    // Loads one of templates() by its name.
    void startFromTemplate(const QString& name);
    // If a field has a refused text, shows it in a message, goes to the field and returns false. Such a
    // session can be neither saved nor launched.
    bool checkTexts(const QString& action);
    // Returns the labels and names of the templates.
    static QList<std::pair<QString, QString>> templates();
    void promptToOpen();
    // Saves the session, asking for a path if there is none. Calls `then` once everything is saved; never if
    // saving fails or is canceled.
    void save(std::function<void()> then = {});
    void promptToSave();
    enum class ImportSource { script, configuration, overrides };
    void promptToImport(ImportSource source);
    void promptForFacts();
    // Returns true while a file is being read or written.
    bool isBusy() const { return m_reading.isRunning() || m_saving.isRunning(); }
    // Adds a menu entry per template.
    void fillTemplateMenu(QMenu& menu);

  signals:
    void helpRequested(const QString& page); // help page for the message
    // Emitted when a session file was opened or saved.
    void fileUsed(const std::filesystem::path& path);
    // Requests to query the hosts, and to launch the session.
    void hostCheckRequested();
    void dryRunRequested();
    void hostCheckCanceled();
    void runRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeHeader();
    QWidget* makeForm();
    QWidget* makePreview();
    // Applies the content of a file on the UI thread, after a worker has read or written the file.
    using ApplyFile = std::function<void()>;
    // Replaces the session by one that runs a launch script of this machine unread.
    void runScript(const std::filesystem::path& path, Framework framework);
    void begin(LatestJob<ApplyFile>& job, const std::filesystem::path& file,
               std::function<Result<ApplyFile>()> work);
    // Returns what imports the text of a file. Asks for the values that a script does not contain.
    Result<ApplyFile> importedFile(const std::filesystem::path& path, std::string text);
    void take(const Result<ApplyFile>& apply);
    void handleSaved(const Result<ApplyFile>& apply);
    QString installedText() const;
    void goToField(const QString& path);
    void refresh();

    SessionDraft m_draft;
    ElidedLabel* m_file;
    ElidedLabel* m_facts;
    ElidedLabel* m_equivalent;
    QLabel* m_writes; // what is written to hosts before the launch
    PageBanner* m_banner = nullptr;
    bool m_showsRefusal = false; // the banner is about a refused text
    QToolButton* m_check = nullptr;
    QToolButton* m_cancel = nullptr;
    QToolButton* m_save = nullptr;
    QPushButton* m_run = nullptr;
    QString m_waiting;
    int64_t m_agent_bytes = 0, m_library_bytes = 0;
    ProgramSection* m_runs = nullptr;
    RecordingSection* m_recorded = nullptr;
    RoleSection* m_role = nullptr;
    ToolSection* m_tool = nullptr;
    FindingsSection* m_findings = nullptr;
    PlanSection* m_plan = nullptr;
    LatestJob<ApplyFile> m_reading, m_saving;
    std::function<void()> m_afterSaving;
};

} // namespace lockstep
