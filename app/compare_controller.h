// SPDX-License-Identifier: Apache-2.0
// CompareController: what of a window is compared: it asks, opens what is compared with what is open, has the
// halves made off the UI thread, and gives them to the timeline's page and to the panel of what changed. UI
// thread.
#pragma once

#include <memory>

#include <QPointer>

#include "app/window_parts.h"
#include "core/timeline/compared_halves.h"
#include "ui/async/latest_job.h"
#include "ui/compare/compare_dialog.h"

namespace lockstep {

class CompareView;
class TimelineView;
class WhatChangedPanel;

class CompareController : public QObject {
    Q_OBJECT

  public:
    // All of them outlive the controller.
    CompareController(CompareView& view, TimelineView& timeline, const WindowParts& parts);
    ~CompareController() override;

    // The window shows another scene. True: the timeline's is given by what is compared, soon.
    bool takeScene(const ScenePtr& scene);
    // Asks what is to be compared. a, b: what the halves should be; empty: whatever suits.
    void ask(const std::vector<ReportKey>& a = {}, const std::vector<ReportKey>& b = {});
    void compare(const SideChoice& a, const SideChoice& b);
    void swap();
    void close();
    // Files or folders to compare with, beside what is open: offered in the dialog once they are there.
    void openOther(const std::vector<std::filesystem::path>& paths);
    CompareDialog* dialog() const { return m_dialog; }
    bool isBusy() const;

  signals:
    // Other halves are shown, or none any more.
    void compared();

  private:
    struct Sides {
        std::vector<ComparableSide> sides;
        std::optional<int64_t> stepInHand;
    };

    void connectActions();
    void showDialog(Sides offered);
    void askForFile(bool isFolder);
    void takeOther();
    void offerOther();
    TraceTime timeInHand() const;
    std::optional<HalfRequest> requestOf(const SideChoice& choice) const;
    void make();
    void take(Result<std::shared_ptr<const ComparedHalves>> made);
    void jump(SliceRef a, SliceRef b);

    CompareView& m_view;
    TimelineView& m_timeline;
    WindowParts m_parts;
    WhatChangedPanel& m_panel;
    QPointer<CompareDialog> m_dialog;
    std::vector<std::vector<ReportKey>> m_asked{2}; // the reports of A and B that were asked for
    std::unique_ptr<WorkspaceController> m_other;   // what was opened to compare with; null: nothing
    QString m_otherName;
    std::optional<std::pair<SideChoice, SideChoice>> m_choice; // what is compared, or is being made ready
    ScenePtr m_otherScene;                                     // that B's keys are of
    int m_own = 0;                                             // which half is the window's timeline
    LatestJob<Sides> m_sides;
    LatestJob<std::vector<ComparableSide>> m_otherSides;
    LatestJob<std::shared_ptr<const ComparedHalves>> m_job;
};

} // namespace lockstep
