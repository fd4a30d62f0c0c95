// SPDX-License-Identifier: Apache-2.0
// MemoryPanel: the memory of one device at a time, or of all of them compared: the views of PyTorch's memory
// viewer and more, a list of them at the left, a card with the peak, failures and leak suspects at the right.
// All figures come from the replay that the scene holds; nothing is computed on the UI thread. UI thread.
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
    // view outlives the panel, which follows what is selected there, selects blocks and moves it.
    explicit MemoryPanel(ViewState& view, QWidget* parent = nullptr);
    ~MemoryPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    bool tellsSelection() const override;

    QListWidget* views() const { return m_views; }
    QComboBox* snapshots() const { return m_snapshots; }
    MemoryCard* card() const { return m_card; }
    QLabel* hint() const { return m_hint; }
    // Why the view at the front has nothing to show; hidden where it has.
    QLabel* why() const { return m_why; }
    // The view of that class, brought to the front.
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

    // The cursor of all views.
    const MemoryPointed& pointed() const { return m_pointed; }

  signals:
    void timelineShown(); // it was sent somewhere, and should be seen

  protected:
    void rebuild() override;

  private:
    QWidget* makeSide();
    void addPanes();
    void remakePanes();
    void addPane(MemoryPane* pane, MemoryNeed need = MemoryNeed::nothing);
    void showWhy(); // the view at the front, or why it has nothing to show
    void look(int snapshot);
    void showBadges();
    void takeFacts(std::shared_ptr<const MemoryFacts> facts);
    void showState(MemoryMoment moment);
    void takeSources(std::vector<MemorySource> sources);
    void tell(bool isNew = false); // on the card: the selected block beside a view of blocks, else the device
    void follow();                 // what is selected in the timeline: to its snapshot, if it is another
    void point();                  // the views at what is selected there
    void pointAt(MemoryMoment moment);
    void choose(BlockLifeId life);
    void tellPointed();
    // The row of the snapshot that what is selected belongs to, the one that is looked at if it does; -1:
    // none.
    int rowOfSelected() const;
    void showInTimeline(MemoryMoment moment);
    void showLifeInTimeline(BlockLifeId life);

    ViewState& m_viewState;
    QListWidget* m_views = nullptr;
    QComboBox* m_snapshots = nullptr;
    QStackedWidget* m_front; // m_stack, or m_why
    QStackedWidget* m_stack;
    QLabel* m_why;
    QLabel* m_hint;
    QWidget* m_body;
    MemoryCard* m_card;
    std::vector<MemoryPane*> m_panes; // by row of m_views
    std::vector<MemoryNeed> m_needs;  // likewise
    MemorySources m_sources = std::make_shared<const std::vector<MemorySource>>();
    const Theme* m_theme = &lightTheme();
    int m_current = -1;
    std::shared_ptr<const MemoryFacts> m_known; // of the current one; nullptr while worked out
    MemoryPointed m_pointed;                    // of the current source
    BlockLifeId m_told;                         // on the card; invalid: the device
    BlockRef m_followedBlock;
    SliceRef m_followedSlice;
    LatestJob<std::shared_ptr<const MemoryFacts>> m_facts;
};

} // namespace lockstep
