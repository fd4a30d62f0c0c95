// SPDX-License-Identifier: Apache-2.0
// LaneSetsController manages named lane layouts: hidden and pinned lanes, grouping and order. The user saves
// and applies layouts from the button above the lane headers, the "View" menu and the command palette. They
// are stored in the "lane_sets" section of the workspace file. Owned by the timeline. UI thread.
#pragma once

#include <QObject>

#include "app/window/window_parts.h"
#include "core/lanes/lane_state.h"

class QMenu;

namespace lockstep {

class PromptLine;
class TimelineView;

inline constexpr const char* kLaneSetsSection = "lane_sets";

struct LaneSet {
    std::string name; // unique, not empty
    LaneState lanes;  // uses only hidden, pinned, opened, grouping, sort and order

    friend bool operator==(const LaneSet&, const LaneSet&) = default;
};
using LaneSets = std::vector<LaneSet>; // in the order of first saving

// Returns the layouts as JSON. Equal layouts give equal bytes.
std::string laneSetsText(const LaneSets& sets);
// Parses JSON. Skips invalid layouts and counts them in `dropped`. Error: unsupported (unknown version).
Result<LaneSets> parseLaneSets(std::string_view text, size_t* dropped = nullptr);

class LaneSetsController : public QObject {
    Q_OBJECT

  public:
    LaneSetsController(TimelineView& timeline, const WindowParts& parts);

    // Saves the current lanes under this name, replacing a layout with the same name.
    void store(const QString& name);
    void recall(const QString& name);
    void remove(const QString& name);
    const LaneSets& sets() const { return m_sets; }
    // Replaces the layouts with those of a workspace file, or with none.
    void reset(LaneSets sets, bool wasRead = false)
    {
        m_sets = std::move(sets);
        m_wasRead = wasRead;
    }
    // Returns true if a workspace file should store the layouts. An empty list is stored only if a list was
    // read from the file before: it must not replace a section that could not be read.
    bool isForFile() const { return m_wasRead || !m_sets.empty(); }

  signals:
    void changed(); // emitted for changes by the user

  private:
    void fillMenu(QMenu& menu);
    void promptForName();
    void reportRecalled();
    void change(const QString& what, LaneSets sets);

    TimelineView& m_timeline;
    WindowParts m_parts;
    PromptLine* m_line;
    LaneSets m_sets;
    std::optional<LaneSet> m_recalled; // layout that was applied but not reported to the user yet
    bool m_wasRead = false;            // true if the layouts were read from a file
};

} // namespace lockstep
