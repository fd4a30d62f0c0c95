// SPDX-License-Identifier: Apache-2.0
// Imports any supported text: a session, the configuration file of a framework, a list of overrides,
// variables, or a launch script. importText() detects the kind from the text. Pure, except
// readSourcedFile(). Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/session/finding.h"
#include "core/session/session_config.h"

namespace lockstep {

// A value that a script does not contain, and on which something depends that was left unset.
struct UnknownValue {
    std::string name;   // variable, or number of an argument
    std::string reason; // such as "line 6: $(nproc) runs a command"
    std::string note;   // of the first finding about what was left unset
};

// ImportedSession is a session imported from text, together with the findings from the import. Unknown
// settings are kept in otherOverrides, environment or importedYaml.
struct ImportedSession {
    SessionConfig config;
    Findings findings;
    std::vector<UnknownValue> unknown = {};
};

struct ImportOptions {
    std::string path = {}; // absolute path of the text; "" = unknown, so files that it sources are not read
    std::function<Result<std::string>(const std::string& path)> readFile = {}; // reads a sourced file
    TextPairs values = {}; // values of variables that only the host knows; arguments are "1", "2", ...
};

// Errors: invalid if the text is none of the supported kinds, or if it is malformed (with line and column).
Result<ImportedSession> importText(std::string_view text, const ImportOptions& options = {});
// Returns the content of a script that another script sources. Errors: io; invalid if it is not a plain file
// or larger than 1 MiB.
Result<std::string> readSourcedFile(const std::string& path);

// Returns true for the YAML configuration of a framework, which is imported. Any other YAML is a session.
bool isConfigurationText(std::string_view text);

// Returns true if parts of the text are missing from the session or were changed, according to the findings.
bool isImportPartial(const Findings& findings);

// Imports a pasted command line, or a list of Hydra overrides, with shell quoting and line continuations.
// Arguments before the first override become the command, and assignments before the command become the
// environment. Known profiler settings become fields; all other overrides are kept as written. The version of
// the framework is inferred from the keys. Findings report overrides that Hydra would have rejected or
// ignored. Errors: invalid for an unclosed quote, with line and column.
Result<ImportedSession> importOverrideList(std::string_view text);

} // namespace lockstep
