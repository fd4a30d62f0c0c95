// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/hidden_names_note.h"

#include "ui/window/view_state.h"

namespace lockstep {

HiddenNamesNote::HiddenNamesNote(const ViewState& view, QWidget* parent) : QLabel(parent), m_view(view)
{
    setObjectName("hiddenNamesNote");
    setProperty("muted", true);
    connect(&view, &ViewState::hiddenNamesChanged, this, &HiddenNamesNote::updateText);
    updateText();
}

void HiddenNamesNote::updateText()
{
    const auto names = static_cast<int>(m_view.hiddenNames().size());
    setText(tr("%n name(s) hidden in lanes but counted here", nullptr, names));
    setToolTip(m_view.hiddenNames().mid(0, 20).join('\n'));
    setVisible(names > 0);
}

} // namespace lockstep
