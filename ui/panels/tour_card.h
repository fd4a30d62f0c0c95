// SPDX-License-Identifier: Apache-2.0
// TourCard is a small card that shows one stop of the tour. It is placed next to the part of the window that
// it describes, and draws a frame around that part. The window remains usable. UI thread.
#pragma once

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace lockstep {

struct TourStop {
    QString title, text;
    bool isAbsent = false;    // true if the described part does not exist; the text explains why
    QPointer<QWidget> anchor; // widget in the same window; if null, the card is in a corner
    QRect part = {};          // rectangle within the anchor; an empty rectangle means the whole anchor
};

class TourCard : public QFrame {
    Q_OBJECT

  public:
    // The card is a child of `window` and stacked above all other children.
    explicit TourCard(QWidget* window);
    ~TourCard() override;

    // Shows a stop; `number` is one-based. The card takes the keyboard focus.
    void show(const TourStop& stop, int number, int count);

    QString title() const;
    QString text() const;
    QWidget* anchor() const { return m_stop.anchor; }

  signals:
    void nextRequested(); // at the last stop, this requests the end of the tour
    void backRequested();
    void dismissed(); // Esc or End tour

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void watchAnchor(QWidget* anchor);
    void place();
    bool pressKey(QPushButton& button, int key);

    TourStop m_stop;
    QPointer<QFrame> m_frame; // frame around the described part
    QLabel* m_count;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_skip;
    QPushButton* m_back;
    QPushButton* m_next;
};

} // namespace lockstep
