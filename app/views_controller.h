// SPDX-License-Identifier: Apache-2.0
// ViewsController: nine views of a workspace that come back at a key: what is seen and selected, which lanes
// are shown and how far they are scrolled. Stored by Ctrl and a digit, listed in the menu "View", kept in the
// workspace file as its section "views". Owned by the timeline. UI thread.
#pragma once

#include <array>

#include <QObject>

#include "app/window_parts.h"
#include "core/lanes/lane_state.h"
#include "core/timeline/place_link.h"

class QMenu;

namespace lockstep {

class TimelineView;

inline constexpr const char* kViewsSection = "views";
inline constexpr int kViewCount = 9;

struct StoredView {
    PlaceLink place;
    LaneState lanes;
    int scroll = 0; // pixels at scale 1

    friend bool operator==(const StoredView&, const StoredView&) = default;
};
using StoredViews = std::array<std::optional<StoredView>, kViewCount>; // the first is at the key 1

// The same views give the same bytes.
std::string storedViewsText(const StoredViews& views);
// unsupported: of no version that this build knows. A view that makes no sense is left out and counted.
Result<StoredViews> parseStoredViews(std::string_view text, size_t* dropped = nullptr);

class ViewsController : public QObject {
    Q_OBJECT

  public:
    ViewsController(TimelineView& timeline, const WindowParts& parts);

    void store(int key); // 1 to 9
    void recall(int key);
    const StoredViews& views() const { return m_views; }
    // What a workspace file holds, or nothing.
    void reset(const StoredViews& views) { m_views = views; }
    // "1.204 s, 38 ms" of a stored view; "" of none.
    QString nameOf(int key) const;

  signals:
    void changed(); // by the user
    void told(const QString& text);

  private:
    void fillMenu(QMenu& menu);

    TimelineView& m_timeline;
    WindowParts m_parts;
    StoredViews m_views;
};

} // namespace lockstep
