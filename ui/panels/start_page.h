// SPDX-License-Identifier: Apache-2.0
// StartPage is the page of an empty window: it has cards to open reports, set up a session and run the demo,
// and a list of recent files. UI thread.
#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include <QWidget>

#include "core/base/help_topic.h"

class QLabel;
class QLayout;
class QVBoxLayout;

namespace lockstep {

class HelpLink;

class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent = nullptr);

    // Lists recent files, newest first. Files that are also in `missing` are disabled and marked as not
    // found.
    void setRecent(const std::vector<std::filesystem::path>& workspaces,
                   const std::vector<std::filesystem::path>& reports,
                   const std::set<std::filesystem::path>& missing);
    // Shows a message below the cards, e.g. why the demo failed; an empty string hides the message. If there
    // is a help topic, a link to the help page is shown below the message.
    void setMessage(const QString& text, HelpTopic help = HelpTopic::none);
    // Adds links to sample sessions, given as pairs of label and template name.
    void setTemplates(const QList<std::pair<QString, QString>>& templates);

  signals:
    void openFilesRequested();
    void openFolderRequested();
    void sessionRequested();
    void demoRequested();
    void templateRequested(const QString& name);
    void helpRequested(const QString& page);
    void recentRequested(const std::filesystem::path& path);

  private:
    void scrollable(QLayout* block);
    void addRecent(const QString& heading, const std::vector<std::filesystem::path>& paths,
                   const std::set<std::filesystem::path>& missing);

    QWidget* m_recent;
    QVBoxLayout* m_recentRows;
    QLabel* m_message;
    QWidget* m_templates;
    HelpLink* m_help;
};

} // namespace lockstep
