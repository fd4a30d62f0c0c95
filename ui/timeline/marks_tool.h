// SPDX-License-Identifier: Apache-2.0
// MarksTool sets, removes and shows the markers of a timeline, and edits their notes. The markers are in a
// MarkStore, which the window owns. UI thread.
#pragma once

#include <QObject>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class HoverTool;
class MarkStore;
class NavigationTool;
class NoteEditor;
class SelectionTool;
struct Mark;

class MarksTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    // All arguments must outlive the tool.
    MarksTool(TimelineContext& context, NavigationTool& navigation, SelectionTool& selection,
              const HoverTool& hover);
    ~MarksTool() override;

    // Shows the markers of `store` and adds new ones to it. `store` must outlive this tool.
    void setStore(MarkStore& store);
    // Adds a marker at the selection; without a selection, at the time under the cursor; without a cursor, in
    // the middle of the view. If there is already a marker at that position, removes it instead.
    void toggle();
    // Adds a marker with a note at the position that toggle() uses, and opens an editor for the note.
    void writeNote();
    // Selects the slice or range of the marker and shows it.
    void goTo(int64_t number);
    // Returns false in a view that has no markers, such as the pane of another workspace.
    bool hasStore() const { return m_store != nullptr; }
    // Adds a range with a note. Requires hasStore().
    void addMeasurement(const EdgePoint& begin, const EdgePoint& end, const QString& note);

    void paint(QPainter& painter) override;

  signals:
    void markChosen(int64_t number); // the marker was clicked

  private:
    void choose(const std::vector<int64_t>& numbers);
    // Returns false if no marker can be set. Shows a message in a pane whose reports are not in the window's
    // workspace.
    bool canMark();
    Mark markHere() const;
    void saveNote(Mark mark, int64_t existing, const QString& note);

    TimelineContext& m_context;
    TimelineState& m_state;
    NavigationTool& m_navigation;
    SelectionTool& m_selection;
    const HoverTool& m_hover;
    NoteEditor* m_noteEditor;
    MarkStore* m_store = nullptr;
};

} // namespace lockstep
