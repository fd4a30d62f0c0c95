// SPDX-License-Identifier: Apache-2.0
// LaneSetsController: lanes that were arranged for a question, under a name: which are hidden and pinned, how
// they are grouped and in which order they stand. Stored and recalled from the button above the headers, the
// menu "View" and the command search; kept in the workspace file as its section "lane_sets". Owned by the
// timeline. UI thread.
#pragma once

#include <QObject>

#include "app/window_parts.h"
#include "core/lanes/lane_state.h"

class QMenu;

namespace lockstep {

class AskedLine;
class TimelineView;

inline constexpr const char* kLaneSetsSection = "lane_sets";

struct LaneSet {
    std::string name; // unique, not empty
    LaneState lanes;  // of it hidden, pinned, opened, grouping, sort and order

    friend bool operator==(const LaneSet&, const LaneSet&) = default;
};
using LaneSets = std::vector<LaneSet>; // as they were first stored

// The same sets give the same bytes.
std::string laneSetsText(const LaneSets& sets);
// unsupported: of no version that this build knows. A set that makes no sense is left out and counted.
Result<LaneSets> parseLaneSets(std::string_view text, size_t* dropped = nullptr);

class LaneSetsController : public QObject {
    Q_OBJECT

  public:
    LaneSetsController(TimelineView& timeline, const WindowParts& parts);

    // As lanes are now; a set of this name is replaced.
    void store(const QString& name);
    void recall(const QString& name);
    void remove(const QString& name);
    const LaneSets& sets() const { return m_sets; }
    // What a workspace file holds, or nothing.
    void reset(LaneSets sets, bool wasRead = false)
    {
        m_sets = std::move(sets);
        m_wasRead = wasRead;
    }
    // Whether a file is to hold them: also that there are none any more, but not in place of what could not
    // be read.
    bool isForFile() const { return m_wasRead || !m_sets.empty(); }

  signals:
    void changed(); // by the user
    void told(const QString& text);

  private:
    void fillMenu(QMenu& menu);
    void askName();
    void tellRecalled();
    void change(const QString& what, LaneSets sets);

    TimelineView& m_timeline;
    WindowParts m_parts;
    AskedLine* m_line;
    LaneSets m_sets;
    std::optional<LaneSet> m_recalled; // of which nothing was told yet
    bool m_wasRead = false;            // from a file
};

} // namespace lockstep
