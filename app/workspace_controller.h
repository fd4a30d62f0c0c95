// WorkspaceController: owns what is opened: runs the loads, keeps their entries, aligns the clocks off the UI
// thread, and hands out the reports that are shown as one value. Lives on the UI thread; nothing here blocks
// it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "core/align/alignment.h"
#include "ui/async/latest_job.h"
#include "ui/async/load_job.h"
#include "ui/models/notes_model.h"
#include "ui/models/report_entry.h"

namespace lockstep {

struct FoundReports;

// What is on screen: the reports whose boxes are checked, aligned together with the hidden ones so that
// hiding a report never moves the others.
struct ShownReports {
    Workspace workspace;
    Alignment alignment;
    std::vector<std::shared_ptr<const ReportLod>> lods; // by ReportId
    std::vector<int> keys;                              // ReportEntry::key by ReportId
};

class WorkspaceController : public QObject {
    Q_OBJECT

  public:
    explicit WorkspaceController(QObject* parent = nullptr, LoadJob::Open open = openReport);
    ~WorkspaceController() override;

    // Files are opened at once; folders are walked first. A file that is open or loading already is left
    // alone.
    void open(const std::vector<std::filesystem::path>& paths);
    void cancel(int key); // of a loading one: it leaves the list
    void cancelAll();
    void retry(int key);                      // of a failed one
    void dismiss(int key);                    // of a failed one
    void close(const std::vector<int>& keys); // of open ones; their memory is freed
    void setShown(const std::vector<int>& keys, bool isShown);

    // In the order they were asked for.
    const std::vector<ReportEntry>& entries() const { return m_entries; }
    const std::vector<PassedOver>& skipped() const { return m_skipped; }
    const ShownReports& shown() const { return m_shown; }
    // Of all open reports and their level of detail.
    size_t residentBytes() const;
    // True while a folder is walked, a report loads, or clocks are being aligned.
    bool isBusy() const;

  signals:
    void entriesChanged();
    // Fractions of loading entries moved; at most 20 times a second.
    void progressed();
    void shownChanged();

  private:
    ReportEntry* find(int key);
    void addFile(const std::filesystem::path& path);
    void startLoad(const ReportEntry& entry);
    void takeLoaded(int key, const Result<OpenedReport>& outcome);
    void takeFound(const Result<FoundReports>& found);
    void removeEntry(int key);
    void pollProgress();
    void alignAll();
    void showAligned();

    LoadJob::Open m_open;
    int m_nextKey = 1;
    std::vector<ReportEntry> m_entries;
    std::map<int, LoadJob*> m_jobs;
    std::map<int, std::shared_ptr<const ReportLod>> m_lods;
    std::vector<PassedOver> m_skipped;
    std::vector<int> m_alignedKeys; // the open reports that m_aligned speaks of, in order
    Alignment m_aligned;
    ShownReports m_shown;
    int m_walks = 0;
    std::stop_source m_walkStop;
    QTimer m_poll;
    LatestJob<Alignment> m_align;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
