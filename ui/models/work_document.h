// SPDX-License-Identifier: Apache-2.0
// WorkDocument owns the Work of a window; all changes go through it. Every change by the user is an edit()
// and therefore a step of the undo stack. The timeline, the panels and the WorkspaceController follow
// changed(). Owned by the window. UI thread.
#pragma once

#include <functional>

#include <QObject>
#include <QUndoStack>

#include "ui/models/work.h"

namespace lockstep {

class WorkDocument : public QObject {
    Q_OBJECT

  public:
    using Change = std::function<void(Work& work)>;
    // The greatest difference between the work and the saved work. `arrangement`: only hidden reports, lanes
    // or gaps differ, so a window without a file can be closed without asking.
    enum class Difference { none, arrangement, content };

    explicit WorkDocument(QObject* parent = nullptr);

    const Work& work() const { return m_work; }
    QUndoStack& undoStack() { return m_undo; }

    // Changes the work in one undoable step with this name, such as "add note 3". Adds no step if `change`
    // has no effect. Consecutive edits with the same mergeKey, unless it is empty, become one step. Undo
    // reverts only the entries that the step changed; other members, reports and markers stay as they are.
    void edit(const QString& text, const Change& change, const std::string& mergeKey = {});
    // Changes the work without a step, for changes by the program, such as those after a report was closed.
    // They do not count as unsaved changes.
    void adopt(const Change& change);
    // Replaces the work and clears the undo stack. If isSaved is true, the new work counts as saved.
    void reset(Work work, bool isSaved);

    Difference sinceSaved() const { return m_sinceSaved; }
    // Call when `work`, which may be older than the current work, has been saved.
    void setSaved(const Work& work);

  signals:
    void changed(const lockstep::Work& before);

  private:
    class Step;

    void change(const Change& change);
    void compare();

    Work m_work, m_saved;
    Difference m_sinceSaved = Difference::none;
    QUndoStack m_undo;
};

} // namespace lockstep
