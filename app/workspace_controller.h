// SPDX-License-Identifier: Apache-2.0
// WorkspaceController: what can be done with the reports of a window: open, close, hide, align, say whose
// they are. It has the files read, keeps the list of reports, and tells the SceneMaker what changed. UI
// thread; nothing here blocks it.
#pragma once

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <QObject>
#include <QTimer>

#include "app/scene_maker.h"
#include "ui/async/folder_walk.h"
#include "ui/async/load_queue.h"
#include "ui/models/alignment_choice.h"
#include "ui/models/report_list.h"

namespace lockstep {

class WorkspaceController : public QObject {
    Q_OBJECT

  public:
    // More files of folders than this are offered for choice before any is opened.
    static constexpr size_t kFewFiles = 12;
    // What arrived is taken up by a scene that is begun after so long.
    static constexpr int kLeastPause_ms = 30, kMostPause_ms = 500, kTimesCost = 3;

    // memory: of open reports and those being opened together; outlives this. open: openFile() with what the
    // session beside a file says of its steps; align and step as SceneMaker; unless a test brings its own.
    WorkspaceController(const Workers& workers, MemoryBudget& memory, QObject* parent = nullptr,
                        LoadJob::Open open = {}, SceneMaker::Align align = {}, SceneMaker::Step step = {});

    // What a path is, is found out off the UI thread: files are opened then, folders are walked first. Few
    // files of folders that fit the memory limit are opened too; else choiceNeeded() tells them and nothing
    // is. A file that is open or loading already is left alone.
    void open(const std::vector<std::filesystem::path>& paths);
    // Opens what findReports() found: `chosen` are positions in found.reports.
    void openFound(const FoundReports& found, const std::vector<size_t>& chosen);
    void cancel(ReportKey key); // of a loading one: it leaves the list
    void cancelAll();
    void retry(ReportKey key);   // of a failed or held one; a held one is opened whatever the limit
    void dismiss(ReportKey key); // of a failed or held one
    void close(const std::vector<ReportKey>& keys); // of open ones; their memory is freed
    void setShown(const std::vector<ReportKey>& keys, bool isShown);
    // The next scenes' lanes are grouped so.
    void setLaneOptions(const LaneOptions& options);

    // For who makes reports beside files, as a run that is watched does: a key that nobody else gets, and a
    // scene that takes up what changed of them. waits: with the next one that is made.
    ReportKey newKey() { return m_list.newKey(); }
    void changeScene(SceneChange change, bool waits);

    // How clocks are aligned.
    const AlignmentChoice& alignmentChoice() const { return m_choice; }
    void setAlignment(const AlignmentChoice& choice);

    // Replaces what the user said of whose reports are, by key; lanes follow at once.
    void setStated(const std::map<ReportKey, Identity>& stated);

    const ReportList& reports() const { return m_list; }
    // Never null. What was asked for since is in one of the next.
    const ScenePtr& scene() const { return m_maker.scene(); }
    // Files looked at and all files of the folder that is walked; {0, 0} while none is.
    std::pair<uint64_t, uint64_t> walked() const { return m_walk.done(); }
    // True while a folder is walked, a report loads, clocks are being aligned or a scene is being made.
    bool isBusy() const;

  signals:
    void sceneChanged();
    void failed(const QString& reason); // see SceneMaker
    void alignmentChanged();            // the choice; its effect comes with sceneChanged()
    void statedChanged();
    // Folders hold too much to be opened unasked.
    void choiceNeeded(const FoundReports& found);
    // A workspace file was read; its reports are entries now, with these keys in the file's order.
    void workspaceOpened(const std::filesystem::path& path,
                         const std::map<std::string, std::string>& sections,
                         const std::vector<ReportKey>& keys);

  private:
    // The item to open; none for a file that is listed already and did not fail.
    std::optional<LoadQueue::Item> addFile(const std::filesystem::path& path, const FoundFile& file);
    void takeNamed(const std::vector<NamedFile>& files);
    void takeFound(const Result<FoundReports>& found);
    void takeLoaded(ReportKey key, const Result<OpenedFile>& outcome);
    void takeHeld(const std::vector<LoadQueue::Held>& items);
    void takeScene();
    // With the next scene. While files come, scenes of them take a part of the time only, however many are
    // open already: the pause is kTimesCost of what the last one took, within the limits.
    void tellSoon();
    void pollProgress();

    MemoryBudget& m_memory;
    MemoryBudget::Lease m_openMemory; // what open reports take
    ReportList m_list;
    AlignmentChoice m_choice;
    QTimer m_giveBack; // what closed reports took goes back to the system, once nothing holds them
    QTimer m_tell;     // many files that finish together are told once
    SceneMaker m_maker;
    FolderWalk m_walk;
    LoadQueue m_loads;
};

} // namespace lockstep
