// SPDX-License-Identifier: Apache-2.0
// ViewsController manages nine saved views of a workspace: visible range, selection, lanes and scroll
// position. Ctrl plus a digit saves a view, the digit alone recalls it. Views are listed in the "View" menu
// and stored in the "views" section of the workspace file. Owned by the timeline. UI thread.
#pragma once

#include <array>

#include <QObject>

#include "app/window/window_parts.h"
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
using StoredViews = std::array<std::optional<StoredView>, kViewCount>; // index 0 is the view of key 1

// Returns the views as JSON. Equal views give equal bytes.
std::string storedViewsText(const StoredViews& views);
// Parses JSON. Skips invalid views and counts them in `dropped`. Error: unsupported (unknown version).
Result<StoredViews> parseStoredViews(std::string_view text, size_t* dropped = nullptr);

class ViewsController : public QObject {
    Q_OBJECT

  public:
    ViewsController(TimelineView& timeline, const WindowParts& parts);

    void store(int key); // 1 to 9
    void recall(int key);
    const StoredViews& views() const { return m_views; }
    // Replaces the views with those of a workspace file, or with none.
    void reset(const StoredViews& views) { m_views = views; }
    // Returns the start and length of a saved view, such as "1.204 s, 38 ms long", or an empty string.
    QString nameOf(int key) const;

  signals:
    void changed(); // emitted for changes by the user

  private:
    void fillMenu(QMenu& menu);
    QString howToStore(int key) const;

    TimelineView& m_timeline;
    WindowParts m_parts;
    StoredViews m_views;
};

} // namespace lockstep
