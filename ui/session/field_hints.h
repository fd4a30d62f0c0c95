// SPDX-License-Identifier: Apache-2.0
// The texts of empty editors on the Session page: the value that applies ("default: 600"), and an example
// that fits the framework. UI thread.
#pragma once

#include <span>
#include <string>

#include <QString>

#include "ui/session/field_text.h"

namespace lockstep {

struct FieldChoice;
class SessionDraft;

// Returns the placeholder of a line edit.
QString fieldHint(const SessionDraft& draft, const std::string& path, FieldText kind);
// Returns the label of the choice that leaves a field unset, e.g. "default: on".
QString defaultChoiceLabel(const SessionDraft& draft, const std::string& path,
                           std::span<const FieldChoice> choices);

} // namespace lockstep
