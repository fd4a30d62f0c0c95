// SPDX-License-Identifier: Apache-2.0
// MarkStore holds the markers of a window's workspace and their positions in the current scene. Every change
// is an undoable step. Owned by the window; the timeline, the Markers panel, Go to and the workspace file
// read it. UI thread.
#pragma once

#include <unordered_map>

#include <QObject>

#include "core/scene/mark_list.h"

class QUndoStack;

namespace lockstep {

class MarkStore : public QObject {
    Q_OBJECT

  public:
    // `undo` must outlive the store. If `undo` is nullptr, changes are applied at once and cannot be undone.
    explicit MarkStore(QUndoStack* undo, QObject* parent = nullptr);

    const MarkList& marks() const { return m_marks; }
    // Sets the scene, which must not be null, and computes the positions of all markers in that scene.
    // O(markers).
    void setScene(ScenePtr scene);
    const ScenePtr& scene() const { return m_scene; }
    // Returns the position of a marker, which must exist.
    const PlacedMark& placed(int64_t number) const { return m_placed.at(number); }
    // Returns why a marker has no position or is not exactly where it was set; otherwise an empty string.
    QString explain(int64_t number) const;

    // Each of the following calls is one undoable step. Error: invalid (the list is full or the text is too
    // long); in this case nothing is changed.
    Result<int64_t> add(Mark mark);
    Status setText(int64_t number, const std::string& text); // notFound: no such marker
    void remove(const std::vector<int64_t>& numbers);

    // Replaces all markers, e.g. with those of a workspace file. Not undoable; earlier steps must not be
    // undone afterwards.
    void reset(MarkList marks);
    // Adds the markers of another workspace. Like reset(), not undoable. Returns the number of markers that
    // did not fit.
    size_t append(const MarkList& marks);

  signals:
    void changed(); // the markers or their positions changed

  private:
    friend class MarkEdit;
    using States =
        std::map<int64_t, std::optional<Mark>>; // keyed by number; nullopt if the marker does not exist

    void push(const QString& text, States after);
    void apply(const States& states);
    void placeAll();

    QUndoStack* m_undo;
    MarkList m_marks;
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::unordered_map<int64_t, PlacedMark> m_placed; // positions of all markers, by number
};

} // namespace lockstep
