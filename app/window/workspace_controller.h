// SPDX-License-Identifier: Apache-2.0
// WorkspaceController opens, closes, hides and aligns the reports of a window and sets their identities. It
// starts loading files, holds the list of reports, and passes changes to the SceneMaker. UI thread; never
// blocks.
#pragma once

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/window/scene_maker.h"
#include "ui/async/folder_walk.h"
#include "ui/async/load_queue.h"
#include "ui/models/report_list.h"
#include "ui/models/work_document.h"

namespace lockstep {

class WorkspaceController : public QObject {
    Q_OBJECT

  public:
    // If folders contain more files than this, the user chooses which to open.
    static constexpr size_t kFewFiles = 12;
    // Bounds of the pause before a scene with newly loaded reports is started; see scheduleScene().
    static constexpr int kMinPause_ms = 30, kMaxPause_ms = 20'000, kTimesCost = 5;

    // `document` holds which reports are hidden, how they are aligned and their identities; the controller
    // follows it. `memory` covers open and loading reports. Both outlive the controller. By default, `open`
    // is openFile() plus the steps from the session stored next to a file; `align` and `step` default as in
    // SceneMaker.
    WorkspaceController(WorkDocument& document, const Workers& workers, MemoryBudget& memory,
                        QObject* parent = nullptr, LoadJob::Open open = {}, SceneMaker::Align align = {},
                        SceneMaker::Step step = {});

    // Opens files and searches folders, off the UI thread. If the folders contain at most kFewFiles files and
    // these fit into the memory limit, opens them; otherwise opens none of them and emits choiceNeeded().
    // Ignores files that are open or loading.
    void open(const std::vector<std::filesystem::path>& paths);
    // Opens reports found by findReports(); `chosen` are indexes into found.reports.
    void openFound(const FoundReports& found, const std::vector<size_t>& chosen);
    void cancel(ReportKey key); // removes a loading report from the list
    void cancelAll();
    void retry(ReportKey key);   // retries a failed report, or opens a held one despite the limit
    void dismiss(ReportKey key); // removes a failed or held report from the list
    void close(const std::vector<ReportKey>& keys); // closes open reports and frees their memory
    void setShown(const std::vector<ReportKey>& keys, bool isShown); // one undoable step
    // Set the grouping of lanes, the order and grouping of samples, and the lanes of SQL answers for the next
    // scenes.
    void setLaneArrangement(LaneGrouping grouping, SampleLaneChoice samples);
    void setQueryLanes(QueryLaneList lanes);

    // The following functions are for reports that do not come from files, such as those of a watched run.
    // newKey() returns a unique key; changeScene() applies changes to such reports. If `waits` is true, the
    // change is deferred to the next scene.
    ReportKey newKey() { return m_list.newKey(); }
    void changeScene(SceneChange change, bool waits);

    const ReportList& reports() const { return m_list; }
    // Returns the current scene, never null. Pending changes become part of a later scene.
    const ScenePtr& scene() const { return m_maker.scene(); }
    // Returns how many files the folder search has searched, and how many it has to search in total; {0, 0}
    // if no search is running.
    std::pair<uint64_t, uint64_t> walked() const { return m_walk.done(); }
    // Returns true while a folder is searched, a report is loaded, clocks are aligned or a scene is made.
    bool isBusy() const;

  signals:
    void sceneChanged();
    void failed(const QString& reason, lockstep::HelpTopic help); // see SceneMaker
    // Emitted if folders contain too many reports to open them without asking.
    void choiceNeeded(const FoundReports& found);
    // Emitted when a workspace file has been read. Its reports are in the list, with the given keys in file
    // order.
    void workspaceOpened(const std::filesystem::path& path,
                         const std::map<std::string, std::string>& sections,
                         const std::vector<ReportKey>& keys);

  private:
    // Returns the item to load, or nullopt for a file that is open or loading.
    std::optional<LoadQueue::Item> addFile(const std::filesystem::path& path, const FoundFile& file);
    void handleListedFiles(const std::vector<NamedFile>& files);
    void handleFound(const Result<FoundReports>& found);
    void handleLoaded(ReportKey key, const Result<OpenedFile>& outcome);
    void handleHeld(const std::vector<LoadQueue::Held>& items);
    void applyScene();
    void applyWork(const Work& before);
    void applyHidden();
    void applyStated();
    void applyLaneOptions();
    // Starts the next scene after a pause of kTimesCost times the cost of the last scene, clamped to
    // kMinPause_ms and kMaxPause_ms. The pause limits how much time is spent on scenes while many files
    // are loading.
    void scheduleScene();
    void pollProgress();

    WorkDocument& m_document;
    MemoryBudget& m_memory;
    MemoryBudget::Lease m_openMemory; // memory of the open reports
    ReportList m_list;
    LaneOptions m_laneOptions;
    QTimer m_trimTimer;   // returns memory of closed reports to the system after a delay
    QTimer m_notifyTimer; // combines files that finish loading at about the same time
    SceneMaker m_maker;
    FolderWalk m_walk;
    LoadQueue m_loads;
};

} // namespace lockstep
