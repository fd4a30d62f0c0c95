// SPDX-License-Identifier: Apache-2.0
// FullHeightButton: stands at the right of the tabs of the panels at the bottom, gives them the whole window
// and back, and tells the key that does it. Keeps its place as the tabs come, go and move. UI thread.
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
    // The action is what it triggers; both outlive it. beside: what stands left of it; its own from then on.
    FullHeightButton(QAction& action, QMainWindow& window, QWidget* beside = nullptr);

    void setFull(bool isFull);
    QToolButton* button() const { return m_button; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // The lowest one that is shown: docks at the side have tabs, too.
    QTabBar* tabs() const;
    void place();

    QMainWindow& m_window;
    QToolButton* m_button;
    QLabel* m_key;
    QTimer m_later; // until the window has laid out its docks
};

} // namespace lockstep
