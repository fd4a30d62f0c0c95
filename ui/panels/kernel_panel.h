// KernelPanel: cuda_gpu_kern_sum over what is seen, selected or everything, in total or per rank, with a
// chart of the largest beside it. Recomputed off the UI thread when its range changes; only while it is on
// screen. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QTimer>
#include <QWidget>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/scene/scene.h"
#include "ui/async/latest_job.h"
#include "ui/style/theme.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QSplitter;

namespace lockstep {

class KernelChart;
class TableModel;
class TableView;

class KernelPanel : public QWidget {
    Q_OBJECT

  public:
    enum class RangeChoice { visible, selected, whole };

    explicit KernelPanel(QWidget* parent = nullptr);
    ~KernelPanel() override;

    // Never null. The table stays until the new one is there: its rows name slices by keys that last.
    void setScene(ScenePtr scene);
    // Ranges are on the aligned axis.
    void setVisibleRange(TimeRange range);
    void setSelectedRange(std::optional<TimeRange> range);
    void setRangeChoice(RangeChoice choice);
    void setPerRank(bool isPerRank);
    void setFullNames(bool isFull);
    void setTheme(const Theme& theme);

    TableView* view() const { return m_view; }
    KernelChart* chart() const { return m_chart; }
    // What the table on screen says; nullptr before the first one.
    const Table* table() const;
    bool isComputing() const { return m_job.isRunning() || m_soon.isActive(); }

  signals:
    // A row was activated: its longest instance.
    void sliceActivated(SliceRef slice);
    void summaryChanged(const QString& text);
    // A new table is on screen.
    void tableChanged();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeBar();
    QButtonGroup* addChoice(QWidget* bar, const QStringList& labels, const QStringList& tooltips);
    void later();
    void compute();
    void take(Result<std::shared_ptr<const Table>> outcome);
    void showHint();
    Scope scope() const;

    ScenePtr m_scene = std::make_shared<const Scene>();
    TimeRange m_visible;
    std::optional<TimeRange> m_selected;
    QButtonGroup* m_range = nullptr;
    QButtonGroup* m_grouping = nullptr;
    QButtonGroup* m_names = nullptr;
    QLineEdit* m_find = nullptr;
    QLabel* m_hint = nullptr;
    QSplitter* m_split = nullptr;
    TableModel* m_model;
    TableView* m_view;
    KernelChart* m_chart;
    bool m_isStale = true;
    QString m_error;
    QString m_layout; // columns whose widths and order are set
    QTimer m_soon;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
