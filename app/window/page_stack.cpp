// SPDX-License-Identifier: Apache-2.0
#include "app/window/page_stack.h"

#include <algorithm>

#include <QUndoStack>

#include "app/window/panel_docks.h"
#include "ui/panels/top_strip.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

PageStack::PageStack(CommandActions& actions, TopStrip& strip, PanelDocks& docks, QWidget& statusLine)
    : m_actions(actions), m_strip(strip), m_docks(docks), m_statusLine(statusLine)
{
    setMinimumWidth(scaledPixels(480)); // the minimum does not depend on hidden pages
    connect(&strip, &TopStrip::tabRequested, this, &PageStack::showTab);
    connect(&strip, &TopStrip::pageFocusRequested, this, [this] { currentWidget()->setFocus(); });
    connect(actions.at(CommandId::undo), &QAction::triggered, this, [this] {
        if (QUndoStack* const stack = m_current->undoStack()) stack->undo();
    });
    connect(actions.at(CommandId::redo), &QAction::triggered, this, [this] {
        if (QUndoStack* const stack = m_current->undoStack()) stack->redo();
    });
}

// Disconnects the undo stacks, which emit signals when they are destroyed with their pages.
PageStack::~PageStack()
{
    for (const auto& page : m_all) {
        if (QUndoStack* const stack = page->undoStack()) stack->disconnect(this);
    }
}

void PageStack::add(std::unique_ptr<Page> added)
{
    Page& page = *added;
    const auto isOfTab = [&](const auto& other) { return other->tab().title == page.tab().title; };
    const bool isNew = !page.tab().title.isEmpty() && std::ranges::none_of(m_all, isOfTab);
    if (isNew) m_strip.addTab(page.tab().title, page.tab().tooltip);
    addWidget(page.widget());
    connect(&page, &Page::frontRequested, this, [this, &page] { bringToFront(page); });
    connect(&page, &Page::dismissed, this, &PageStack::goHome);
    if (const QUndoStack* const stack = page.undoStack())
        connect(stack, &QUndoStack::indexChanged, this, &PageStack::enableActions);
    m_all.push_back(std::move(added));
    if (m_current == nullptr) m_current = m_home = &page;
}

void PageStack::bringToFront(Page& page)
{
    const bool isNew = m_current != &page;
    m_current = &page;
    if (isNew) showCurrent();
    m_strip.setTab(page.tab().title, page.showsReports());
    enableActions();
}

void PageStack::showCurrent()
{
    const QWidget* const focused = window()->focusWidget();
    const bool hadFocus =
        focused != nullptr && (focused == currentWidget() || currentWidget()->isAncestorOf(focused));
    if (!m_current->hasDocks()) m_docks.hideDocks();
    m_statusLine.setVisible(m_current->showsReports());
    setCurrentWidget(m_current->widget());
    if (m_current->hasDocks()) m_docks.restoreDocks();
    if (hadFocus) currentWidget()->setFocus();
    m_current->onActivated();
}

void PageStack::setHome(Page& page)
{
    const bool isHome = m_current == m_home;
    m_home = &page;
    if (isHome) goHome();
}

void PageStack::goHome()
{
    bringToFront(*m_home);
}

void PageStack::showTab(const QString& title)
{
    if (m_current->tab().title == title) return bringToFront(*m_current);
    if (m_home->tab().title == title) return goHome();
    const auto page = std::ranges::find_if(m_all, [&](const auto& one) { return one->tab().title == title; });
    if (page != m_all.end()) bringToFront(**page);
}

// Shows in the menu entry what Undo or Redo would change.
void PageStack::nameStep(CommandId id, const QString& word, const QString& what)
{
    m_actions.at(id)->setText(what.isEmpty() ? word : word + ' ' + what);
}

// Disables the commands of pages that are not visible.
void PageStack::enableActions()
{
    for (const auto& page : m_all) {
        for (const CommandId id : page->actions())
            m_actions.at(id)->setEnabled(page->tab().title == m_current->tab().title);
    }
    const QUndoStack* const stack = m_current->undoStack();
    m_actions.at(CommandId::undo)->setEnabled(stack != nullptr && stack->canUndo());
    m_actions.at(CommandId::redo)->setEnabled(stack != nullptr && stack->canRedo());
    nameStep(CommandId::undo, tr("Undo"), stack != nullptr ? stack->undoText() : QString());
    nameStep(CommandId::redo, tr("Redo"), stack != nullptr ? stack->redoText() : QString());
    m_actions.setPage(!m_current->showsReports());
}

} // namespace lockstep
