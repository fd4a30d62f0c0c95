// SPDX-License-Identifier: Apache-2.0
// What a run asks of the person, as dialogs: values of secrets, and which run to attach to. UI thread; they
// do not block.
#pragma once

#include <functional>

#include "core/session/session_config.h"
#include "ui/run/run_list.h"

namespace lockstep {

// A hidden field for each of the named variables. What is typed is handed to `take` and kept nowhere else.
void askForSecrets(QWidget& window, const std::vector<std::string>& names,
                   const std::function<void(const TextPairs& values)>& take);
// A list that is filled through the returned widget; `attach` gets the id of the chosen run.
RunList* askForRun(QWidget& window, const std::function<void(const QString& id)>& attach);

} // namespace lockstep
