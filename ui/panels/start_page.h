// SPDX-License-Identifier: Apache-2.0
// StartPage: what an empty window offers: open reports, see the demo, and what was opened lately. UI thread.
#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include <QWidget>

class QLabel;
class QLayout;
class QVBoxLayout;

namespace lockstep {

class HelpLink;

class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent = nullptr);

    // Newest first. Those that are known to be gone are shown and say so.
    void setRecent(const std::vector<std::filesystem::path>& workspaces,
                   const std::vector<std::filesystem::path>& reports,
                   const std::set<std::filesystem::path>& gone);
    // A line below the cards, e.g. why the demo could not be made; empty for none.
    // Where a help page knows more, a link to it stands below.
    void setMessage(const QString& text);
    // Sessions to begin with, by name and what they are called.
    void setTemplates(const QList<std::pair<QString, QString>>& templates);

  signals:
    void openFilesRequested();
    void openFolderRequested();
    void sessionRequested();
    void demoRequested();
    void templateRequested(const QString& name);
    void helpRequested(const QString& place);
    void recentRequested(const std::filesystem::path& path);

  private:
    void scrollable(QLayout* block);
    void addRecent(const QString& heading, const std::vector<std::filesystem::path>& paths,
                   const std::set<std::filesystem::path>& gone);

    QWidget* m_recent;
    QVBoxLayout* m_recentRows;
    QLabel* m_message;
    QWidget* m_templates;
    HelpLink* m_help;
};

} // namespace lockstep
