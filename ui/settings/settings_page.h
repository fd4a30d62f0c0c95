// SPDX-License-Identifier: Apache-2.0
// SettingsPage: every setting of the program, by groups, with a search over all of it. Knows the table and
// shows what it is told; what a change does is the program's. UI thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <QWidget>

#include "ui/settings/setting_row.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace lockstep {

class SettingsPage : public QWidget {
    Q_OBJECT

  public:
    // settings are immortal; those of a group stand together.
    explicit SettingsPage(std::span<const Setting> settings, QWidget* parent = nullptr);

    // The row that keeps this key of the file; nullptr: none does.
    SettingRow* row(const QString& key) const;
    // Scrolls there and gives it the keyboard; the search is cleared.
    void goTo(const QString& key);
    // A line above all: the file cannot be written; empty takes it away.
    void setTrouble(const QString& sentence);
    // The file, where it is.
    void setFile(const QString& path);

    QLineEdit* searchField() const { return m_search; }
    QPushButton* resetAllButton() const { return m_resetAll; }
    QListWidget* groups() const { return m_groups; }
    QString trouble() const;

  signals:
    void changeRequested(const QString& key, const QVariant& value);
    void resetRequested(const QString& key);
    void resetAllRequested();
    void left(); // Escape

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeHead();
    void addGroup(QVBoxLayout& column, const QString& group, std::span<const Setting> settings);
    void filter();

    std::vector<SettingRow*> m_rows;
    std::map<QString, QWidget*> m_sections; // by group
    QLineEdit* m_search;
    QListWidget* m_groups;
    QScrollArea* m_scroll;
    QLabel* m_trouble;
    QLabel* m_none;
    QLabel* m_file;
    QPushButton* m_resetAll;
};

} // namespace lockstep
