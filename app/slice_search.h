// SliceSearch: the slices of a workspace whose name matches, in time order, and the way through them. The search runs
// off the UI thread; the newest text counts. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QString>

#include "core/align/alignment.h"
#include "ui/async/latest_job.h"

namespace lockstep {

// Slices whose name holds text without case, or matches it as /regex/, by start on the aligned axis. invalid: a broken
// regular expression. O(distinct names + slices).
Result<std::vector<SliceRef>> findSlices(const Workspace& workspace, const Alignment& alignment,
                                         const std::string& text, const Progress& progress);

class SliceSearch {
  public:
    // Told when hits changed or a step was made.
    using Changed = std::function<void()>;

    explicit SliceSearch(Changed changed);

    void setWorkspace(const Workspace& workspace, const Alignment& alignment);
    // Empty ends the search.
    void setText(const QString& text);
    // The next or previous hit from the last one, around the end; invalid when there is none.
    SliceRef step(bool isForward);
    // "3 of 120", "no match", "searching ..."; empty without a search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning(); }

  private:
    void start();

    Changed m_changed;
    Workspace m_workspace;
    Alignment m_alignment;
    QString m_text;
    QString m_error;
    std::vector<SliceRef> m_hits;
    size_t m_at = 0; // 1-based position of the current hit; 0 = before the first
    LatestJob<std::vector<SliceRef>> m_job;
};

} // namespace lockstep
