// SPDX-License-Identifier: Apache-2.0
// CompareController runs the comparison of a window: it shows the dialog, opens additional files for the
// comparison, builds both panes off the UI thread, and passes the panes to the timeline page and the Changes
// panel. UI thread.
#pragma once

#include <memory>

#include <QPointer>

#include "app/window/window_parts.h"
#include "core/compare/compared_sides.h"
#include "ui/async/latest_job.h"
#include "ui/compare/compare_dialog.h"
#include "ui/models/work_document.h"

namespace lockstep {

class CompareView;
class TimelineView;
class ChangesPanel;

class CompareController : public QObject {
    Q_OBJECT

  public:
    // All arguments outlive the controller.
    CompareController(CompareView& view, TimelineView& timeline, const WindowParts& parts);
    ~CompareController() override;

    // Updates the comparison for a new scene. Returns true if the comparison will set the timeline's scene.
    bool applyScene(const ScenePtr& scene);
    // Shows the dialog, with the reports `a` and `b` as proposed sides; empty means no proposal.
    void chooseSides(const std::vector<ReportKey>& a = {}, const std::vector<ReportKey>& b = {});
    void compare(const SideChoice& a, const SideChoice& b);
    void swap();
    void close();
    // Opens files or folders to compare with, in addition to the open reports. The dialog offers them once
    // they are open.
    void openOther(const std::vector<std::filesystem::path>& paths);
    CompareDialog* dialog() const { return m_dialog; }
    bool isBusy() const;

  signals:
    // Emitted when the panes changed or the comparison ended.
    void compared();

  private:
    struct Sides {
        std::vector<CandidateSide> sides;
        std::optional<int64_t> selectedStep;
    };

    void connectActions();
    void showDialog(Sides offered);
    void promptForFile(bool isFolder);
    void updateOther();
    void offerOther();
    TraceTime selectedTime() const;
    std::optional<SideRequest> requestOf(const SideChoice& choice) const;
    void make();
    void take(Result<std::shared_ptr<const ComparedSides>> made);
    void jump(SliceRef a, SliceRef b);

    CompareView& m_view;
    TimelineView& m_timeline;
    WindowParts m_parts;
    ChangesPanel& m_panel;
    QPointer<CompareDialog> m_dialog;
    std::vector<std::vector<ReportKey>> m_proposed{2}; // requested reports of A and B
    std::unique_ptr<WorkDocument> m_otherWork;         // of the files opened for the comparison
    std::unique_ptr<WorkspaceController> m_other;      // files opened for the comparison, or null
    QString m_otherName;
    std::optional<std::pair<SideChoice, SideChoice>> m_choice; // the comparison shown or in preparation
    // Scene of the reports opened for the comparison.
    ScenePtr m_otherScene;
    int m_ownPane = 0; // index of the pane that is the window's timeline
    LatestJob<Sides> m_sides;
    LatestJob<std::vector<CandidateSide>> m_otherSides;
    LatestJob<std::shared_ptr<const ComparedSides>> m_job;
};

} // namespace lockstep
