// SPDX-License-Identifier: Apache-2.0
#include "app/cli/import_command.h"

#include <filesystem>
#include <iterator>

#include "app/cli/export_command.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/session/import_text.h"
#include "core/session/session_yaml.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

Result<std::string> textOf(const std::string& source, std::istream& in)
{
    if (source != "-")
        return std::string(LOCKSTEP_TRY(MappedFile::open(source)).text().substr(0, kYamlMaxBytes + 1));
    std::string text;
    char buffer[65536];
    while (text.size() <= kYamlMaxBytes && (in.read(buffer, sizeof buffer) || in.gcount() > 0))
        text.append(buffer, static_cast<size_t>(in.gcount()));
    return text;
}

Result<Findings> import(const std::string& source, const std::string& output, const TextPairs& values,
                        std::istream& in, std::ostream& out)
{
    const std::string text = LOCKSTEP_TRY(textOf(source, in));
    ImportOptions options{{}, readSourcedFile, values};
    std::error_code ignored; // without a path, the script's folder is unknown
    if (source != "-") options.path = std::filesystem::canonical(source, ignored).string();
    Result<ImportedSession> made = importText(text, options);
    if (!made)
        return tl::make_unexpected(withContext(made.error(), source == "-" ? "standard input" : source));
    SessionConfig& config = made->config;
    if (config.name.empty() && source != "-") config.name = std::filesystem::path(source).stem().string();
    if (output == "-") {
        out << yamlFromSession(config);
    } else {
        LOCKSTEP_TRY(lockstep::saveSession(config, output));
    }
    return std::move(made->findings);
}

} // namespace

int importCommand(const std::string& source, const std::string& output, const TextPairs& values, bool isQuiet,
                  std::istream& in, std::ostream& out, std::ostream& err)
{
    const Result<Findings> findings = import(source, output, values, in, out);
    if (!findings) {
        err << "lockstep: " << printable(findings.error().message) << "\n";
        return exitStatus::kNothing;
    }
    for (const Finding& finding : *findings) {
        if (isQuiet && finding.severity == Severity::note) continue;
        err << "lockstep: " << severityName(finding.severity) << ": " << printable(finding.reason)
            << (finding.fix.empty() ? "" : "; ") << printable(finding.fix) << "\n";
    }
    return isImportPartial(*findings) ? exitStatus::kPart : exitStatus::kComplete;
}

} // namespace lockstep
