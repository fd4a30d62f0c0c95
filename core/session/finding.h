// SPDX-License-Identifier: Apache-2.0
// Finding is a problem or note about a session field that is reported before the run. preflight() and the
// imports create findings. The form shows them next to the fields, and `lockstep --plan` prints them. Value
// type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

enum class Severity : uint8_t {
    note,    // useful information
    warning, // a requested recording will be missing, or will differ from what the user may expect
    error    // the run fails, or records nothing that the field requests
};

// Returns "note", "warning" or "error".
std::string_view severityName(Severity severity);

struct Finding {
    Severity severity = Severity::note;
    std::string field;  // path of the field in session_fields.h; for a host "hosts.NAME"
    std::string rule;   // stable identifier for scripts and tests, e.g. "steps.duplicate"
    std::string reason; // one sentence
    std::string fix;    // remedy; "" if there is nothing to do
    std::function<void(SessionConfig&)> apply; // applies the fix; empty if only the user can apply it
    bool isMissing = false;                    // not a mistake: a required value has not been set yet
};

using Findings = std::vector<Finding>;

using SessionEdit = std::function<void(SessionConfig&)>;
void addFinding(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix = {}, SessionEdit apply = {});

// Same as addFinding(), for a required value that has not been set yet.
void addMissing(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix, SessionEdit apply = {});

bool hasErrors(const Findings& findings);
// Turns warnings about unknown keys into errors, as --strict requests.
void makeStrict(Findings& findings);
// Returns the findings as text, most severe first, otherwise in their original order: "error    steps:
// reason", followed by the indented fix.
std::string findingsText(const Findings& findings);

} // namespace lockstep
