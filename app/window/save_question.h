// SPDX-License-Identifier: Apache-2.0
// promptToSave() asks before changes are lost. UI thread; does not block.
#pragma once

#include <functional>

class QString;
class QWidget;

namespace lockstep {

// The "Save" button calls `save`, the button labeled `dropText` calls `drop`, and "Cancel" does nothing.
void promptToSave(QWidget& window, const QString& text, const QString& dropText,
                  const std::function<void()>& save, const std::function<void()>& drop);

} // namespace lockstep
