// SPDX-License-Identifier: Apache-2.0
// TourController: the tour through a window: eight stops, each a thing that a person will want to do, shown
// where it is done. Begins by itself with the first demo, and from Help > Tour; once it was ended it does not
// come by itself again. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/window_parts.h"
#include "ui/panels/tour_card.h"

namespace lockstep {

class DemoController;

class TourController : public QObject {
    Q_OBJECT

  public:
    static constexpr int kStops = 8;

    // After pages, panels and the demo were made.
    TourController(const WindowParts& parts, const DemoController& demo);

    // With what is open; where nothing is, the demo is run first.
    void start();
    // nullptr: there is no tour going on.
    TourCard* card() const { return m_card; }
    int stop() const { return m_stop; }

  private:
    TourStop stopAt(int number) const;
    TourStop stragglers() const;
    TourStop jump() const;
    TourStop memory() const;
    void begin();
    void go(int number);
    void end();

    const WindowParts m_parts;
    QPointer<TourCard> m_card;
    int m_stop = 0;
    QPointer<Panel> m_before;  // at the bottom, in front; it is again afterwards
    bool m_isAwaiting = false; // begins with the next reports that are shown
};

} // namespace lockstep
