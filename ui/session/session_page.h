// SPDX-License-Identifier: Apache-2.0
// SessionPage: the page on which a run is set up: the form on the left, what follows from it on the right.
// Everything it does is undone by undo; it writes session files where the person says so and nothing else, on
// no host. UI thread.
#pragma once

#include <filesystem>
#include <functional>

#include <QWidget>

#include "ui/async/latest_job.h"
#include "ui/session/session_draft.h"
#include "ui/style/theme.h"

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace lockstep {

class HelpLink;
class FindingsSection;
class PlanSection;
class RoleSection;
class ToolSection;
class WhatIsRecordedSection;
class WhatRunsSection;

class SessionPage : public QWidget {
    Q_OBJECT

  public:
    explicit SessionPage(QWidget* parent = nullptr);
    ~SessionPage() override;

    SessionDraft& draft() { return m_draft; }
    PlanSection* plan() const { return m_plan; }
    WhatIsRecordedSection* recorded() const { return m_recorded; }
    ToolSection* tool() const { return m_tool; }
    RoleSection* role() const { return m_role; }
    void setTheme(const Theme& theme);
    // Says what could not be done, above the form, until something else is.
    void setMessage(const QString& message);
    // The hosts are being asked, in these words; the buttons that ask them rest. Empty: no more.
    void setWaiting(const QString& text);

    // What menus and buttons ask for. Those with a dialog open it and return; files are read and written off
    // the UI thread, where the newest wish counts.
    void openFile(const std::filesystem::path& path);
    void saveTo(const std::filesystem::path& path);
    void importVerlFile(const std::filesystem::path& path);
    void loadFacts(const std::filesystem::path& path);
    // One of templates(), by name.
    void startFromTemplate(const QString& name);
    // What they are called, and their names.
    static QList<std::pair<QString, QString>> templates();
    void askToOpen();
    void save();
    void askToSave();
    void askToImportVerl();
    void askToImportOverrides();
    void askToImportNrl();
    void askForFacts();
    // A file is being read or written.
    bool isBusy() const { return m_reading.isRunning() || m_saving.isRunning(); }
    // Adds an entry per template.
    void fillTemplateMenu(QMenu& menu);

  signals:
    void helpRequested(const QString& place); // of a message
    // A session file was opened or saved.
    void fileUsed(const std::filesystem::path& path);
    // Ask the hosts what they have; launch the session.
    void hostCheckRequested();
    void runRequested();

  private:
    QWidget* makeHead();
    QWidget* makeForm();
    QWidget* makePreview();
    // What a file's content changes here, once it is read.
    using Deed = std::function<void()>;
    void begin(LatestJob<Deed>& job, const std::filesystem::path& file, std::function<Result<Deed>()> work);
    void take(const Result<Deed>& deed);
    void goToField(const QString& path);
    void refresh();

    SessionDraft m_draft;
    QLabel* m_file;
    QLabel* m_facts;
    QLabel* m_message;
    HelpLink* m_help; // of the message
    QLabel* m_equivalent;
    QToolButton* m_check = nullptr;
    QPushButton* m_run = nullptr;
    QString m_waiting;
    WhatRunsSection* m_runs = nullptr;
    WhatIsRecordedSection* m_recorded = nullptr;
    RoleSection* m_role = nullptr;
    ToolSection* m_tool = nullptr;
    FindingsSection* m_findings = nullptr;
    PlanSection* m_plan = nullptr;
    LatestJob<Deed> m_reading, m_saving;
};

} // namespace lockstep
