// SPDX-License-Identifier: Apache-2.0
// HelpWindow: the help pages beside the window that they are of: a list with a search, the page, and the way
// back. UI thread.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/help/help_library.h"

class QLineEdit;
class QListWidget;
class QPushButton;
class QTextBrowser;
class QUrl;

namespace lockstep {

class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    // Deletes itself when it is closed.
    explicit HelpWindow(QWidget* parent = nullptr);

    // place: "clocks" or "clocks#A clock is wrong"; an unknown page is the index, an unknown section the top.
    void open(const QString& place);
    // The page on screen.
    QString page() const { return m_history.empty() ? QString() : m_history.back().section('#', 0, 0); }

    QLineEdit* searchField() const { return m_search; }
    QListWidget* list() const { return m_list; }
    QTextBrowser* text() const { return m_text; }
    QPushButton* backButton() const { return m_back; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fillList();
    void showPlace(const QString& place);
    // Where the pictures of pages lie; empty: they were not built with the program.
    static QString pictureFolder();
    static QString textOf(const HelpPage& page);
    void fitPictures();
    void showSection(const QString& section);
    void markWords();
    void follow(const QUrl& link);

    HelpLibrary m_library;
    QLineEdit* m_search;
    QListWidget* m_list;
    QTextBrowser* m_text;
    QPushButton* m_back;
    std::vector<QString> m_history; // places; the last is shown
};

} // namespace lockstep
