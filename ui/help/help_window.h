// SPDX-License-Identifier: Apache-2.0
// HelpWindow shows the help pages in a separate window, which contains a list of pages with a search field,
// the selected page, and a Back button. UI thread.
#pragma once

#include <vector>

#include <QHash>
#include <QImage>
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
    // The window deletes itself when it is closed.
    explicit HelpWindow(const KeyMap& keys, QWidget* parent = nullptr);

    // Shows these keys in the pages.
    void setKeys(const KeyMap& keys);

    // Opens a page, e.g. "clocks" or "clocks#Correct a wrong clock". For an unknown page, opens the index;
    // for an unknown section, the top of the page.
    void open(const QString& link);
    // Returns the name of the page on screen.
    QString page() const { return m_history.empty() ? QString() : m_history.back().section('#', 0, 0); }

    QLineEdit* searchField() const { return m_search; }
    QListWidget* list() const { return m_list; }
    QTextBrowser* text() const { return m_text; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fillList();
    void showLink(const QString& link);
    // Returns the folder with the images, located relative to the program both in the build tree and in an
    // installation. The folder may not exist.
    static QString pictureFolder();
    static QString textOf(const HelpPage& page);
    // Returns an image of the pages in its original size; null if there is no such file. Decodes each file
    // once.
    QImage picture(const QString& name);
    void fitPictures();
    void showSection(const QString& section);
    void highlightMatches();
    void follow(const QUrl& link);

    HelpLibrary m_library;
    QLineEdit* m_search;
    QListWidget* m_list;
    QTextBrowser* m_text;
    QPushButton* m_back;
    std::vector<QString> m_history;    // visited pages, with section; the last one is shown
    QHash<QString, QImage> m_pictures; // decoded images by file name
};

} // namespace lockstep
