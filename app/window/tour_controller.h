// SPDX-License-Identifier: Apache-2.0
// TourController guides the user through the window in eight stops, one per task. The tour starts with the
// first demo and from Help > Tour. After it has ended once, it no longer starts by itself. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/window/window_parts.h"
#include "ui/panels/tour_card.h"
#include "ui/window/command_table.h"

namespace lockstep {

class DemoController;
class Panel;

class TourController : public QObject {
    Q_OBJECT

  public:
    static constexpr int kStops = 9;

    // Construct after the pages, the panels and the demo.
    TourController(const WindowParts& parts, const DemoController& demo);

    // Starts the tour with the visible reports; if there are none, runs the demo first.
    void start();
    // Returns the card of the tour, or nullptr if no tour is active.
    TourCard* card() const { return m_card; }
    int stop() const { return m_stop; }

  private:
    QString key(CommandId command) const;
    TourStop stopAt(int number) const;
    TourStop stragglers() const;
    TourStop jump() const;
    TourStop memory() const;
    TourStop samples() const;
    void begin();
    void go(int number);
    void end();

    const WindowParts m_parts;
    QPointer<TourCard> m_card;
    int m_stop = 0;
    QPointer<Panel> m_before;  // bottom panel that was in front before the tour; raised again afterwards
    bool m_isAwaiting = false; // start once reports are visible
};

} // namespace lockstep
