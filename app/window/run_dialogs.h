// SPDX-License-Identifier: Apache-2.0
// Dialogs for runs: one to enter the values of secrets, one to choose a run to attach to. UI thread; never
// blocks.
#pragma once

#include <functional>

#include "core/session/session_config.h"
#include "ui/run/run_list.h"

namespace lockstep {

// Asks for the values of the named variables in password fields. Passes the values to `take` and does not
// store them.
void promptForSecrets(QWidget& window, const std::vector<std::string>& names,
                      const std::function<void(const TextPairs& values)>& take);
// Shows a list of runs, which the caller fills through the returned widget. `attach` receives the id of the
// chosen run.
RunList* promptForRun(QWidget& window, const std::function<void(const QString& id)>& attach);

} // namespace lockstep
