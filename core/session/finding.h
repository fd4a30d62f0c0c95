// SPDX-License-Identifier: Apache-2.0
// Finding: something a person should know about a set-up before the run, at the field it concerns. Made by
// preflight() and by the imports, shown beside the form's fields and printed by `lockstep --plan`. A plain
// value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

enum class Severity : uint8_t {
    note,    // worth knowing
    warning, // something asked for will not be recorded, or not as one may expect
    error    // the run fails, or records nothing of what the field asks for
};

// "note", "warning", "error".
std::string_view severityName(Severity severity);

struct Finding {
    Severity severity = Severity::note;
    std::string field;  // path of session_fields.h; a host's begin with "hosts.", e.g. "hosts.node0"
    std::string rule;   // stable word for scripts and tests, e.g. "steps.duplicate"
    std::string reason; // one sentence
    std::string fix;    // what to do, "" where nothing is to be done
    std::function<void(SessionConfig&)> apply; // does the fix; empty where a person must
    bool isMissing = false;                    // nothing is wrong: what a run needs was not given yet
};

using Findings = std::vector<Finding>;

using SessionEdit = std::function<void(SessionConfig&)>;
void addFinding(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix = {}, SessionEdit apply = {});

// As addFinding(), of what was not given yet.
void addMissing(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix, SessionEdit apply = {});

bool hasErrors(const Findings& findings);
// Warnings about keys that nothing reads become errors: what --strict asks for.
void makeStrict(Findings& findings);
// One line each, "error  steps: reason. Fix: ...", most severe first, else in the order found.
std::string findingsText(const Findings& findings);

} // namespace lockstep
