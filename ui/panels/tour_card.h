// SPDX-License-Identifier: Apache-2.0
// TourCard: a small card beside the part of the window that it speaks of, with a frame around that part: one
// stop of the tour. The window stays usable under it. UI thread.
#pragma once

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace lockstep {

struct TourStop {
    QString title, text;
    bool isAbsent = false;    // what it would speak of is not there; the text says so
    QPointer<QWidget> anchor; // of the same window; none: the card stands in a corner
    QRect part = {};          // of the anchor; empty: all of it
};

class TourCard : public QFrame {
    Q_OBJECT

  public:
    // A child of the window, over everything in it.
    explicit TourCard(QWidget* window);
    ~TourCard() override;

    // number: from 1. The card takes the keyboard.
    void show(const TourStop& stop, int number, int count);

    QString title() const;
    QString text() const;
    QWidget* anchor() const { return m_stop.anchor; }
    QPushButton* backButton() const { return m_back; }
    QPushButton* nextButton() const { return m_next; }
    QPushButton* skipButton() const { return m_skip; }

  signals:
    void nextRequested(); // of the last stop: the end
    void backRequested();
    void dismissed(); // Escape, or Skip

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void watchAnchor(QWidget* anchor);
    void place();
    bool pressKey(QPushButton& button, int key);

    TourStop m_stop;
    QPointer<QFrame> m_frame; // around the part
    QLabel* m_count;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_skip;
    QPushButton* m_back;
    QPushButton* m_next;
};

} // namespace lockstep
