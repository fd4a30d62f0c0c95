// SPDX-License-Identifier: Apache-2.0
// Which help page knows more of a message of an error: a table of words that such messages have, and the page
// with its section. Any thread.
#pragma once

#include <span>
#include <string_view>

#include <QString>

namespace lockstep {

struct ErrorHelp {
    std::string_view words; // as the message has them
    std::string_view place; // "ssh#A host does not answer"
};

// The first that fits counts.
std::span<const ErrorHelp> errorHelp();
// Empty: no page knows more.
QString helpPlaceOf(const QString& message);

} // namespace lockstep
