// SPDX-License-Identifier: Apache-2.0
// askToSave(): the question before changes are lost. UI thread; does not block.
#pragma once

#include <functional>

class QString;
class QWidget;

namespace lockstep {

// "Save" runs save, dropText runs drop, "Stay" nothing.
void askToSave(QWidget& window, const QString& text, const QString& dropText,
               const std::function<void()>& save, const std::function<void()>& drop);

} // namespace lockstep
