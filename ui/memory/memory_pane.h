// SPDX-License-Identifier: Apache-2.0
// MemoryPane: one view of the memory panel: a picture or a table of one device's replay, or of all of them.
// It is told what there is to look at, and computes only while it can be seen. Made by a line of the panel's
// list of views. UI thread.
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

// The cursor that all views of a source share: what the timeline or one of them points at.
struct MemoryPointed {
    std::optional<MemoryMoment> moment; // empty: nothing was pointed at, or why it is not known is in doubt
    BlockLifeId life;                   // the selected block; invalid: none
    QString doubt;                      // what keeps the moment from being sure; may be empty

    friend bool operator==(const MemoryPointed&, const MemoryPointed&) = default;
};

class MemoryPane : public QWidget {
    Q_OBJECT

  public:
    explicit MemoryPane(const QString& name, QWidget* parent = nullptr);

    // sources: not empty; current: the row of the one that is looked at.
    void setSources(MemorySources sources, size_t current);
    // Nothing is open any more.
    void clearSources() { m_sources = nullptr; }
    // What was worked out of the current source, once it is known; nullptr before.
    void setFacts(std::shared_ptr<const MemoryFacts> facts);
    // The cursor of the current source. A pane that caused it is told too.
    void setPointed(const MemoryPointed& pointed);
    virtual void setTheme(const Theme& theme) { m_theme = &theme; }
    // True while something is computed that will be shown.
    virtual bool isBusy() const { return false; }
    // True for a view of blocks: the card tells of the selected one beside it.
    virtual bool tellsBlocks() const { return false; }
    // Of the current source, as it is drawn; nullptr for views of no moment.
    virtual const AllocatorState* shownState() const { return nullptr; }
    // Brings a moment of the current source into sight, where the view has a time axis.
    virtual void showMoment(MemoryMoment moment) { Q_UNUSED(moment); }

  signals:
    // The timeline should go to this moment of the current source, which has times.
    void timelineRequested(MemoryMoment moment);
    // The allocator's state at a moment should be shown.
    void stateRequested(MemoryMoment moment);
    // The user put the cursor to a moment of the current source, or chose a block of it (invalid: none).
    void momentPointed(MemoryMoment moment);
    void blockChosen(BlockLifeId life);

  protected:
    // Shows the current source. Called while the pane can be seen.
    virtual void refresh() = 0;
    void outdate();

    bool hasSource() const { return m_sources && !m_sources->empty(); }
    const MemorySource& source() const { return (*m_sources)[m_current]; }
    const MemoryFacts* facts() const { return m_facts.get(); }
    virtual void factsArrived() {}
    const MemoryPointed& pointed() const { return m_pointed; }
    // hasMoved: the moment is another one than before.
    virtual void pointedChanged(bool hasMoved) { Q_UNUSED(hasMoved); }
    const MemorySources& sources() const { return m_sources; }
    size_t current() const { return m_current; }
    const Theme& theme() const { return *m_theme; }

    // A row of controls at the top, 36 high.
    QHBoxLayout* makeBar();
    // "Label [a][b][c]" at the end of a bar; a change outdates the pane.
    QButtonGroup* addChoice(QHBoxLayout* bar, const QString& label, const QStringList& choices,
                            const QStringList& tooltips);

    void showEvent(QShowEvent* event) override;

  private:
    MemorySources m_sources;
    size_t m_current = 0;
    std::shared_ptr<const MemoryFacts> m_facts;
    MemoryPointed m_pointed;
    const Theme* m_theme = &lightTheme();
    bool m_isOutdated = true;
};

} // namespace lockstep
