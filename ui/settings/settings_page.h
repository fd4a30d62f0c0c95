// SPDX-License-Identifier: Apache-2.0
// SettingsPage: all settings of the program, by group, with a search field. The page is built from the table
// of settings. The program provides the values and applies the changes. UI thread.
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
    // `settings` must outlive the page; settings of the same group must be adjacent.
    explicit SettingsPage(std::span<const Setting> settings, QWidget* parent = nullptr);

    // Returns the row for a key in the settings file, or nullptr.
    SettingRow* row(const QString& key) const;
    // Clears the search, scrolls to the setting with this key, and gives it the focus.
    void goTo(const QString& key);
    // Shows an error line at the top, e.g. that the file cannot be written; "" hides it.
    void setError(const QString& sentence);
    // Shows the path of the settings file.
    void setFile(const QString& path);

    QLineEdit* searchField() const { return m_search; }
    QPushButton* resetAllButton() const { return m_resetAll; }
    QListWidget* groups() const { return m_groups; }
    QString trouble() const;

  signals:
    void changeRequested(const QString& key, const QVariant& value);
    void resetRequested(const QString& key);
    void resetAllRequested();
    void dismissed(); // Escape

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeHeader();
    void addGroup(QVBoxLayout& column, const QString& group, std::span<const Setting> settings);
    void filter();

    std::vector<SettingRow*> m_rows;
    std::map<QString, QWidget*> m_sections; // keyed by group
    QLineEdit* m_search;
    QListWidget* m_groups;
    QScrollArea* m_scroll;
    QLabel* m_error;
    QLabel* m_none;
    QLabel* m_file;
    QPushButton* m_resetAll;
};

} // namespace lockstep
