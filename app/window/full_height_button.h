// SPDX-License-Identifier: Apache-2.0
// FullHeightButton is placed to the right of the tabs of the bottom panels. The button expands the panels to
// the full height of the window or restores their previous height, and shows its shortcut. It follows the
// tabs when they change or move. UI thread.
#pragma once

#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QMainWindow;
class QTabBar;
class QToolButton;

namespace lockstep {

class FullHeightButton : public QWidget {
    Q_OBJECT

  public:
    // The button triggers `action`. `action` and `window` must outlive the button. `neighbor` is placed to
    // the left of the button, which takes ownership of it.
    FullHeightButton(QAction& action, QMainWindow& window, QWidget* neighbor = nullptr);

    void setFull(bool isFull);
    QToolButton* button() const { return m_button; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // Returns the lowest visible tab bar. Other tab bars are not considered, because docks at the sides have
    // tabs as well.
    QTabBar* tabs() const;
    void place();

    QMainWindow& m_window;
    QToolButton* m_button;
    QLabel* m_key;
    QTimer m_placeTimer; // delays positioning until the window has laid out its docks
};

} // namespace lockstep
