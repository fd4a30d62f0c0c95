// WorkspaceController: owns what is opened: asks for the loads, keeps their entries, and hands out the Scene
// that they make: the next one is made off the UI thread from the last and all that changed meanwhile, and
// clocks are aligned beside it, one alignment at a time. Lives on the UI thread; nothing here blocks it.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "core/readers/report_search.h"
#include "core/scene/next_scene.h"
#include "ui/async/latest_job.h"
#include "ui/async/load_queue.h"
#include "ui/models/alignment_choice.h"
#include "ui/models/notes_model.h"
#include "ui/models/report_entry.h"

namespace lockstep {

class WorkspaceController : public QObject {
    Q_OBJECT

  public:
    // More files of folders than this are offered for choice before any is opened.
    static constexpr size_t kFewFiles = 12;

    using Align = std::function<Result<Alignment>(const Workspace& reports, const AlignOptions& options,
                                                  const Progress& progress)>;

    // open: openFile() with what the session beside a file says of its steps; align: alignReports(); unless a
    // test brings its own.
    explicit WorkspaceController(QObject* parent = nullptr, LoadJob::Open open = {}, Align align = {});
    ~WorkspaceController() override;

    // Files are opened at once; folders are walked first. Few files of folders that fit the memory limit are
    // opened too; else choiceNeeded() tells them and nothing is. A file that is open or loading already is
    // left alone.
    void open(const std::vector<std::filesystem::path>& paths);
    // Opens what findReports() found: `chosen` are positions in found.reports.
    void openFound(const FoundReports& found, const std::vector<size_t>& chosen);
    void cancel(ReportKey key); // of a loading one: it leaves the list
    void cancelAll();
    void retry(ReportKey key);   // of a failed or held one; a held one is opened whatever the limit
    void dismiss(ReportKey key); // of a failed or held one
    void close(const std::vector<ReportKey>& keys); // of open ones; their memory is freed
    void setShown(const std::vector<ReportKey>& keys, bool isShown);

    // Of open reports and those being opened together; 0 = none.
    void setMemoryLimit(uint64_t limit_bytes) { m_loads.setMemoryLimit(limit_bytes); }
    uint64_t memoryLimit_bytes() const { return m_loads.memoryLimit_bytes(); }

    // How clocks are aligned.
    const AlignmentChoice& alignmentChoice() const { return m_choice; }
    void setAlignment(const AlignmentChoice& choice);

    // Replaces what the user said of whose reports are, by key; lanes follow at once.
    void setStated(const std::map<ReportKey, Identity>& stated);

    // In the order they were asked for.
    const std::vector<ReportEntry>& entries() const { return m_entries; }
    const std::vector<PassedOver>& skipped() const { return m_skipped; }
    // Never null. What was asked for since is in one of the next.
    const ScenePtr& scene() const { return m_scene; }
    // The open reports with what is said of them by now, whether the scene has it yet or not.
    Workspace openReports() const;
    // Of all open reports and their level of detail.
    size_t residentBytes() const;
    // Files looked at and all files of the folder that is walked; {0, 0} while none is.
    std::pair<uint64_t, uint64_t> walked() const;
    // True while a folder is walked, a report loads, clocks are being aligned or a scene is being made.
    bool isBusy() const;

  signals:
    void entriesChanged();
    // Fractions of loading entries or the walk moved; at most 20 times a second.
    void progressed();
    void sceneChanged();
    void alignmentChanged(); // the choice; its effect comes with sceneChanged()
    void statedChanged();
    // Folders hold too much to be opened unasked.
    void choiceNeeded(const FoundReports& found);
    // A workspace file was read; its reports are entries now, with these keys in the file's order.
    void workspaceOpened(const std::filesystem::path& path,
                         const std::map<std::string, std::string>& sections,
                         const std::vector<ReportKey>& keys);

  private:
    struct Walked {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    ReportEntry* find(ReportKey key);
    // The item to open; none for a file that is listed already and did not fail.
    std::optional<LoadQueue::Item> addFile(const std::filesystem::path& path, const FoundFile& file);
    void walk(const std::vector<std::filesystem::path>& folders);
    void takeFound(const Result<FoundReports>& found);
    void takeLoaded(ReportKey key, const Result<OpenedFile>& outcome);
    std::vector<ReportKey> addOpened(size_t at, const OpenedFile& file);
    void takeHeld(const std::vector<LoadQueue::Held>& items);
    void removeEntry(ReportKey key);
    void pollProgress();
    std::vector<ReportKey> openKeys() const;
    // Makes it part of the next scene.
    void change(SceneChange change);
    void makeNext();
    void takeScene(const Result<ScenePtr>& outcome);
    void alignAgain();
    void takeAlignment(Result<Alignment> outcome);

    uint32_t m_nextKey = 0;
    std::vector<ReportEntry> m_entries;
    std::vector<PassedOver> m_skipped;
    ScenePtr m_scene = std::make_shared<const Scene>();
    SceneChange m_change; // what the next scene is to take up
    AlignmentChoice m_choice;
    const Align m_alignReports;
    bool m_movesClocks = false; // the scene that is being made, by what it takes up
    bool m_isOutOfDate = false; // the alignment, by what changed since it was begun
    int m_walks = 0;
    std::stop_source m_walkStop;
    std::shared_ptr<Walked> m_walked;
    QTimer m_walkPoll;
    QTimer m_tell; // many files that finish together are told once
    LoadQueue m_loads;
    LatestJob<ScenePtr> m_next;
    LatestJob<Alignment> m_align;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
