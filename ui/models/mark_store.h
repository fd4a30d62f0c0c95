// SPDX-License-Identifier: Apache-2.0
// MarkStore: the marks and notes of a window's workspace, where each lies on the scene that is shown, and
// every change of them as a step that can be undone. Owned by the window; the timeline, the list of notes,
// Go to and the workspace file read it. UI thread.
#pragma once

#include <unordered_map>

#include <QObject>

#include "core/scene/mark_list.h"

class QUndoStack;

namespace lockstep {

class MarkStore : public QObject {
    Q_OBJECT

  public:
    // undo outlives the store; nullptr: changes are made at once and for good.
    explicit MarkStore(QUndoStack* undo, QObject* parent = nullptr);

    const MarkList& marks() const { return m_marks; }
    // Never null. Places all marks anew. O(marks).
    void setScene(ScenePtr scene);
    const ScenePtr& scene() const { return m_scene; }
    // The mark must be there.
    const PlacedMark& placed(int64_t number) const { return m_placed.at(number); }
    // Why it is not quite where it was set, or nowhere; "" where it is.
    QString explain(int64_t number) const;

    // One step each. invalid: the list is full or the text too long; nothing changes.
    Result<int64_t> add(Mark mark);
    Status setText(int64_t number, const std::string& text); // notFound: there is no such mark
    void remove(const std::vector<int64_t>& numbers);

    // No step, and none before can be undone onto it: what a workspace file holds, or nothing.
    void reset(MarkList marks);
    // The same for what another workspace brings along; how many found no room.
    size_t append(const MarkList& marks);

  signals:
    void changed(); // marks, or where they lie

  private:
    friend class MarkEdit;
    using States = std::map<int64_t, std::optional<Mark>>; // by number; none: there is no such mark

    void push(const QString& text, States after);
    void apply(const States& states);
    void placeAll();

    QUndoStack* m_undo;
    MarkList m_marks;
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::unordered_map<int64_t, PlacedMark> m_placed; // all of them, by number
};

} // namespace lockstep
