// SPDX-License-Identifier: Apache-2.0
// MemoryPanel shows the memory of one device, or a comparison of all devices. It provides the views of
// PyTorch's memory viewer and additional ones. A list of views is on the left; a card with the peak, failures
// and leak suspects is on the right. Workers compute all figures from the scene's replay. UI thread.
#pragma once

#include <vector>

#include "core/timeline/selection.h"
#include "ui/async/latest_job.h"
#include "ui/memory/memory_needs.h"
#include "ui/memory/memory_pane.h"
#include "ui/window/panel.h"

class QComboBox;
class QLabel;
class QListWidget;
class QStackedWidget;

namespace lockstep {

class MemoryCard;
class ViewState;

class MemoryPanel : public Panel {
    Q_OBJECT

  public:
    // `view` must outlive the panel. The panel follows the selection in `view`, selects blocks there and
    // changes its visible range.
    explicit MemoryPanel(ViewState& view, QWidget* parent = nullptr);
    ~MemoryPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    bool showsSelection() const override;

    QListWidget* views() const { return m_views; }
    QComboBox* snapshots() const { return m_snapshots; }
    MemoryCard* card() const { return m_card; }
    QLabel* hint() const { return m_hint; }
    // Returns the label that explains why the current view is empty; hidden otherwise.
    QLabel* why() const { return m_why; }
    // Opens the memory view of class T and returns it.
    template<class T>
    T& open()
    {
        for (size_t i = 0; i < m_panes.size(); ++i) {
            if (auto* const pane = qobject_cast<T*>(m_panes[i])) {
                openView(static_cast<int>(i));
                return *pane;
            }
        }
        Q_UNREACHABLE();
    }
    void openView(int row);
    MemoryPane* pane(int row) const { return m_panes[static_cast<size_t>(row)]; }

    // Returns the cursor shared by all views.
    const MemoryPointed& pointed() const { return m_pointed; }

  signals:
    void timelineShown(); // the timeline view was moved and should become visible

  protected:
    void rebuild() override;

  private:
    QWidget* makeSide();
    void addPanes();
    void remakePanes();
    void addPane(MemoryPane* pane, MemoryNeed need = MemoryNeed::nothing);
    void showViewOrReason(); // shows the current view, or the reason why it is empty
    void showSnapshot(int snapshot);
    void showBadges();
    void applyFacts(std::shared_ptr<const MemoryFacts> facts);
    void showState(MemoryMoment moment);
    void applySources(std::vector<MemorySource> sources);
    void updateCard(bool isNew = false); // updates the card, which shows a block or the device
    void followSelection();              // switches to the snapshot of the timeline's selection
    void pointAtSelection();             // moves the cursor to the timeline's selection
    void pointAt(MemoryMoment moment);
    void choose(BlockLifeId life);
    void applyPointed();
    // Returns the row of the source that the timeline's selection belongs to, preferring the current source;
    // -1 if there is none.
    int rowOfSelected() const;
    void showInTimeline(MemoryMoment moment);
    void showLifeInTimeline(BlockLifeId life);

    ViewState& m_viewState;
    QListWidget* m_views = nullptr;
    QComboBox* m_snapshots = nullptr;
    QStackedWidget* m_front; // shows m_stack or m_why
    QStackedWidget* m_stack;
    QLabel* m_why;
    QLabel* m_hint;
    QWidget* m_body;
    MemoryCard* m_card;
    std::vector<MemoryPane*> m_panes; // one per row of m_views
    std::vector<MemoryNeed> m_needs;  // one per row of m_views
    MemorySources m_sources = std::make_shared<const std::vector<MemorySource>>();
    const Theme* m_theme = &lightTheme();
    int m_current = -1;
    std::shared_ptr<const MemoryFacts> m_facts; // figures of the current source; nullptr until computed
    MemoryPointed m_pointed;                    // cursor in the current source
    BlockLifeId m_shownBlock;                   // block on the card; invalid if the card shows the device
    BlockRef m_followedBlock;
    SliceRef m_followedSlice;
    LatestJob<std::shared_ptr<const MemoryFacts>> m_factsJob;
};

} // namespace lockstep
