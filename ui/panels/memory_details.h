// SPDX-License-Identifier: Apache-2.0
// MemoryDetails fills the memory sections of the Details panel: for a slice on a GPU, the memory that was
// live when the slice started, by stack; for a block, its properties, its stack and the GPU kernels that ran
// during its lifetime. It adds sections to the panel's tree and fills them with results computed by a worker.
// UI thread.
#pragma once

#include <QObject>

#include "core/timeline/memory_pointing.h"
#include "ui/async/latest_job.h"
#include "ui/style/theme.h"

class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

// Item roles for rows that link to a slice: the slice ID, and the key of the report.
inline constexpr int kDetailSliceRole = Qt::UserRole;
inline constexpr int kDetailReportRole = Qt::UserRole + 1;

class MemoryDetails : public QObject {
    Q_OBJECT

  public:
    // `tree` must outlive this object.
    explicit MemoryDetails(QTreeWidget& tree, QObject* parent = nullptr);

    // Drops all references to rows. Call before the tree is cleared.
    void clear();
    // Adds the section about memory at the start of a slice. Does nothing if there is no memory snapshot for
    // the slice's GPU.
    void addToSlice(const ScenePtr& scene, SliceRef slice, const Theme& theme);
    // Adds the sections for a block. A lane of the scene must show the block.
    void addBlock(const ScenePtr& scene, const BlockRef& block, const Theme& theme);
    bool isRunning() const { return m_memory.isRunning() || m_kernels.isRunning(); }

  private:
    QTreeWidgetItem* addSection(const QString& title);
    QTreeWidgetItem* addRow(QTreeWidgetItem* section, const QString& name, const QString& value);
    void addLink(QTreeWidgetItem* section, const QString& name, SliceRef slice);
    void takeMemory(const Result<std::vector<MemoryAtStart>>& outcome);
    void applyKernels(const Result<std::vector<KernelsOfLife>>& outcome);

    QTreeWidget& m_tree;
    const Theme* m_theme = &lightTheme();
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::optional<TimeRange> m_life;
    QTreeWidgetItem* m_section = nullptr; // section with a pending result
    LatestJob<std::vector<MemoryAtStart>> m_memory;
    LatestJob<std::vector<KernelsOfLife>> m_kernels;
};

// Returns e.g. "2.0 GiB block".
QString blockTitle(const MemoryPlace& place, BlockLifeId life);

} // namespace lockstep
