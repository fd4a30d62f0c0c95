// WorkspaceController: owns what is opened: asks for the loads, keeps their entries, aligns the clocks off
// the UI thread, and hands out the reports that are shown as one value. Lives on the UI thread; nothing here
// blocks it.
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

#include "core/align/alignment.h"
#include "core/readers/report_search.h"
#include "ui/async/latest_job.h"
#include "ui/async/load_queue.h"
#include "ui/models/alignment_choice.h"
#include "ui/models/notes_model.h"
#include "ui/models/report_entry.h"

namespace lockstep {

// What is on screen: the reports whose boxes are checked, aligned together with the hidden ones so that
// hiding a report never moves the others.
struct ShownReports {
    Workspace workspace;
    Alignment alignment;
    std::vector<std::shared_ptr<const ReportLod>> lods; // by ReportId
    std::vector<int> keys;                              // ReportEntry::key by ReportId
};

// All open reports in the order of their entries, with their identities settled.
struct OpenReports {
    Workspace workspace;
    std::vector<int> keys; // ReportEntry::key by ReportId
};

class WorkspaceController : public QObject {
    Q_OBJECT

  public:
    // More files of folders than this are offered for choice before any is opened.
    static constexpr size_t kFewFiles = 12;

    // open: openFile() with what the session beside a file says of its steps, unless a test brings its own.
    explicit WorkspaceController(QObject* parent = nullptr, LoadJob::Open open = {});
    ~WorkspaceController() override;

    // Files are opened at once; folders are walked first. Few files of folders that fit the memory limit are
    // opened too; else choiceNeeded() tells them and nothing is. A file that is open or loading already is
    // left alone.
    void open(const std::vector<std::filesystem::path>& paths);
    // Opens what findReports() found: `chosen` are positions in found.reports.
    void openFound(const FoundReports& found, const std::vector<size_t>& chosen);
    void cancel(int key); // of a loading one: it leaves the list
    void cancelAll();
    void retry(int key);   // of a failed or held one; a held one is opened whatever the limit
    void dismiss(int key); // of a failed or held one
    void close(const std::vector<int>& keys); // of open ones; their memory is freed
    void setShown(const std::vector<int>& keys, bool isShown);

    // Of open reports and those being opened together; 0 = none.
    void setMemoryLimit(uint64_t limit_bytes) { m_loads.setMemoryLimit(limit_bytes); }
    uint64_t memoryLimit_bytes() const { return m_loads.memoryLimit_bytes(); }

    // How clocks are aligned. `manual` of the options is not used: shifts are by ReportEntry::key.
    const AlignmentChoice& alignmentChoice() const { return m_choice; }
    const AlignOptions& alignOptions() const { return m_choice.options; }
    // ns, by key; those of 0 are not there
    const std::map<int, int64_t>& shifts() const { return m_choice.shifts; }
    void setAlignment(const AlignmentChoice& choice);
    void setAlignment(const AlignOptions& options, const std::map<int, int64_t>& shifts);
    // The reports that the last alignment speaks of, shown or not, and what it says of them.
    OpenReports alignedReports() const { return {m_alignedWorkspace, m_alignedKeys}; }
    const Alignment& alignment() const { return m_aligned; }

    // Replaces what the user said of whose reports are, by key; lanes follow at once.
    void setStated(const std::map<int, Identity>& stated);

    // In the order they were asked for.
    const std::vector<ReportEntry>& entries() const { return m_entries; }
    const std::vector<PassedOver>& skipped() const { return m_skipped; }
    const ShownReports& shown() const { return m_shown; }
    const OpenReports& openReports() const { return m_openReports; }
    // Of all open reports and their level of detail.
    size_t residentBytes() const;
    // Files looked at and all files of the folder that is walked; {0, 0} while none is.
    std::pair<uint64_t, uint64_t> walked() const;
    // True while a folder is walked, a report loads, or clocks are being aligned.
    bool isBusy() const;

  signals:
    void entriesChanged();
    // Fractions of loading entries or the walk moved; at most 20 times a second.
    void progressed();
    void shownChanged();
    void alignmentChanged(); // the choice; its effect comes with shownChanged()
    void statedChanged();
    // Folders hold too much to be opened unasked.
    void choiceNeeded(const FoundReports& found);
    // A workspace file was read; its reports are entries now, with these keys in the file's order.
    void workspaceOpened(const std::filesystem::path& path,
                         const std::map<std::string, std::string>& sections, const std::vector<int>& keys);

  private:
    struct Walked {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    ReportEntry* find(int key);
    // The item to open; none for a file that is listed already and did not fail.
    std::optional<LoadQueue::Item> addFile(const std::filesystem::path& path, const FoundFile& file);
    void walk(const std::vector<std::filesystem::path>& folders);
    void takeFound(const Result<FoundReports>& found);
    void takeLoaded(int key, const Result<OpenedFile>& outcome);
    std::vector<int> addOpened(size_t at, const OpenedFile& file);
    void takeHeld(const std::vector<LoadQueue::Held>& items);
    void removeEntry(int key);
    void settle();
    void pollProgress();
    void alignAll();
    void showAligned();

    int m_nextKey = 1;
    std::vector<ReportEntry> m_entries;
    std::map<int, std::shared_ptr<const ReportLod>> m_lods;
    std::vector<PassedOver> m_skipped;
    AlignmentChoice m_choice;
    OpenReports m_openReports;
    Workspace m_alignedWorkspace;
    std::vector<int> m_aligningKeys; // the open reports that are being aligned, in order
    Workspace m_aligningWorkspace;
    std::vector<int> m_alignedKeys; // those that m_aligned speaks of
    Alignment m_aligned;
    ShownReports m_shown;
    int m_walks = 0;
    std::stop_source m_walkStop;
    std::shared_ptr<Walked> m_walked;
    QTimer m_walkPoll;
    QTimer m_tell; // many files that finish together are told once
    LoadQueue m_loads;
    LatestJob<Alignment> m_align;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
