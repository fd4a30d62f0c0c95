// SPDX-License-Identifier: Apache-2.0
// MemoryDetails: what the Details panel says of memory: of a slice on a GPU what was alive when it started,
// by stack; of a block its facts, its stack and the kernels that ran while it lived. Adds sections to the
// panel's tree and fills them from a worker. UI thread.
#pragma once

#include <QObject>

#include "core/timeline/memory_pointing.h"
#include "ui/async/latest_job.h"
#include "ui/style/theme.h"

class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

// Of rows that lead to a slice: its number, and its report's key.
inline constexpr int kDetailSliceRole = Qt::UserRole;
inline constexpr int kDetailReportRole = Qt::UserRole + 1;

class MemoryDetails : public QObject {
    Q_OBJECT

  public:
    // tree outlives it.
    explicit MemoryDetails(QTreeWidget& tree, QObject* parent = nullptr);

    // Forgets its rows, which the tree is about to lose.
    void clear();
    // Nothing is added for a slice that ran on no GPU with a snapshot.
    void addToSlice(const ScenePtr& scene, SliceRef slice, const Theme& theme);
    // The block is one that a lane of the scene shows.
    void addBlock(const ScenePtr& scene, const BlockRef& block, const Theme& theme);
    bool isRunning() const { return m_memory.isRunning() || m_kernels.isRunning(); }

  private:
    QTreeWidgetItem* addSection(const QString& title);
    QTreeWidgetItem* addRow(QTreeWidgetItem* section, const QString& name, const QString& value);
    void addLink(QTreeWidgetItem* section, const QString& name, SliceRef slice);
    void takeMemory(const Result<std::vector<MemoryAtStart>>& outcome);
    void takeKernels(const Result<std::vector<KernelsOfLife>>& outcome);

    QTreeWidget& m_tree;
    const Theme* m_theme = &lightTheme();
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::optional<TimeRange> m_life;
    QTreeWidgetItem* m_section = nullptr; // that waits for an answer
    LatestJob<std::vector<MemoryAtStart>> m_memory;
    LatestJob<std::vector<KernelsOfLife>> m_kernels;
};

// "2.0 GiB block" and where it is.
QString blockTitle(const MemoryPlace& place, BlockLifeId life);

} // namespace lockstep
