// IdentityOverride: what a user says about a report's place in the job; it beats what files and names say.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/trace/report.h"

namespace lockstep {

struct IdentityOverride {
    std::optional<std::string> host;
    std::optional<std::string> role;
    std::optional<int> rank;
    std::optional<int> step;
    std::string source; // "identity file ranks.csv, line 3"
};

// The report with the stated parts replaced, in all its processes too; confidence confirmed. Must be called
// by the report's only owner, before it is shared: the report itself is changed, not copied.
std::shared_ptr<const Report> withIdentity(std::shared_ptr<const Report> report,
                                           const IdentityOverride& stated);

} // namespace lockstep
