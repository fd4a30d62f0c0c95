// SPDX-License-Identifier: Apache-2.0
// MemoryPane is the base of the memory panel's views: an image or a table, computed from the replay of one
// device or of all devices. The panel sets the sources, the figures and the cursor of each pane. A pane
// computes only while it is visible. UI thread.
#pragma once

#include <memory>

#include <QWidget>

#include "ui/memory/memory_facts.h"
#include "ui/memory/memory_source.h"
#include "ui/style/theme.h"

class QButtonGroup;
class QHBoxLayout;

namespace lockstep {

using MemorySources = std::shared_ptr<const std::vector<MemorySource>>;

// MemoryPointed is the cursor that all views of a source share. It is set from the timeline or from a view.
struct MemoryPointed {
    // No value if there is no cursor or if its position is unknown; `uncertainty` then states the reason.
    std::optional<MemoryMoment> moment;
    BlockLifeId life;    // selected block; invalid if none is selected
    QString uncertainty; // reason why the position is uncertain; may be empty

    friend bool operator==(const MemoryPointed&, const MemoryPointed&) = default;
};

class MemoryPane : public QWidget {
    Q_OBJECT

  public:
    explicit MemoryPane(const QString& name, QWidget* parent = nullptr);

    // Sets the sources. sources: must not be empty. current: row of the selected source.
    void setSources(MemorySources sources, size_t current);
    // Removes the sources after all reports were closed.
    void clearSources() { m_sources = nullptr; }
    // Sets the figures of the current source; nullptr until they are known.
    void setFacts(std::shared_ptr<const MemoryFacts> facts);
    // Sets the cursor of the current source. Also called for the pane in which the user moved the cursor.
    void setPointed(const MemoryPointed& pointed);
    virtual void setTheme(const Theme& theme) { m_theme = &theme; }
    // Returns true while a result that will be visible is being computed.
    virtual bool isBusy() const { return false; }
    // Returns true if the view shows blocks, so that the card describes the selected block.
    virtual bool showsBlocks() const { return false; }
    // Returns the allocator state on screen, or nullptr for views that do not show a single point in time.
    virtual const AllocatorState* shownState() const { return nullptr; }
    // Scrolls to a point in time of the current source, if the view has a time axis.
    virtual void showMoment(MemoryMoment moment) { Q_UNUSED(moment); }

  signals:
    // Requests that the timeline show this point in time of the current source. Emitted only if the source
    // has times.
    void timelineRequested(MemoryMoment moment);
    // Requests the view that shows the allocator state at this point in time.
    void stateRequested(MemoryMoment moment);
    // Emitted when the user moves the cursor in the current source or selects a block. The block is invalid
    // if none is selected.
    void momentPointed(MemoryMoment moment);
    void blockChosen(BlockLifeId life);

  protected:
    // Shows the current source. Called while the pane is visible.
    virtual void refresh() = 0;
    void outdate();

    bool hasSource() const { return m_sources && !m_sources->empty(); }
    const MemorySource& source() const { return (*m_sources)[m_current]; }
    const MemoryFacts* facts() const { return m_facts.get(); }
    virtual void factsArrived() {}
    const MemoryPointed& pointed() const { return m_pointed; }
    // Called after the cursor changed. hasMoved: true if the point in time changed, not only the block.
    virtual void pointedChanged(bool hasMoved) { Q_UNUSED(hasMoved); }
    const MemorySources& sources() const { return m_sources; }
    size_t current() const { return m_current; }
    // Returns the row of the source that was current before this one; nullopt if there was none or if it was
    // closed.
    std::optional<size_t> previous() const;
    const Theme& theme() const { return *m_theme; }

    // Adds a row of controls at the top, 36 px high.
    QHBoxLayout* makeBar();
    // Adds "Label [a][b][c]" at the end of a bar. A change marks the pane as outdated.
    QButtonGroup* addChoice(QHBoxLayout* bar, const QString& label, const QStringList& choices,
                            const QStringList& tooltips);

    void showEvent(QShowEvent* event) override;

  private:
    MemorySources m_sources;
    size_t m_current = 0;
    std::optional<MemorySource> m_previous;
    std::shared_ptr<const MemoryFacts> m_facts;
    MemoryPointed m_pointed;
    const Theme* m_theme = &lightTheme();
    bool m_isOutdated = true;
};

} // namespace lockstep
