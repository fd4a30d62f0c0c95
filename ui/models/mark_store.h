// SPDX-License-Identifier: Apache-2.0
// MarkStore places the markers of a WorkDocument in the current scene and changes them. Every change is an
// undoable step. Owned by the window; the timeline, the Markers panel and Go to read it. UI thread.
#pragma once

#include <unordered_map>

#include <QObject>

#include "ui/models/work_document.h"

namespace lockstep {

class MarkStore : public QObject {
    Q_OBJECT

  public:
    // `document` must outlive the store.
    explicit MarkStore(WorkDocument& document, QObject* parent = nullptr);

    const MarkList& marks() const { return m_document.work().marks; }
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

  signals:
    void changed(); // the markers or their positions changed

  private:
    void place(const Work& before);

    WorkDocument& m_document;
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::unordered_map<int64_t, PlacedMark> m_placed; // positions of all markers, by number
};

} // namespace lockstep
