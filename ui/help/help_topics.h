// SPDX-License-Identifier: Apache-2.0
// Help pages for errors and import notes. Any thread.
#pragma once

#include <string_view>

#include <QString>

#include "core/base/help_topic.h"

namespace lockstep {

// Returns the help page and section, for example "ssh#A host does not answer"; empty for HelpTopic::none.
QString helpPageOf(HelpTopic topic);
// Returns the help topic for import notes of this kind (ImportNote::kind, as stored in workspaces).
HelpTopic helpTopicOfNote(std::string_view kind);

} // namespace lockstep
