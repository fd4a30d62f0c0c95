#include "core/trace/identity_override.h"

#include <cassert>

namespace lockstep {

namespace {

template<class T>
void replace(Sourced<T>& part, const std::optional<T>& stated, const std::string& source)
{
    if (stated) part = {stated, source, Confidence::confirmed};
}

void replaceParts(Identity& identity, const IdentityOverride& stated)
{
    replace(identity.host, stated.host, stated.source);
    replace(identity.role, stated.role, stated.source);
    replace(identity.rank, stated.rank, stated.source);
    replace(identity.step, stated.step, stated.source);
}

} // namespace

std::shared_ptr<const Report> withIdentity(std::shared_ptr<const Report> report,
                                           const IdentityOverride& stated)
{
    assert(report.use_count() == 1);
    // A report is made as a mutable object and becomes constant when it is shared, which it is not yet.
    Report& own = const_cast<Report&>(*report);
    replaceParts(own.identity, stated);
    for (Process& process : own.processes)
        replaceParts(process.identity, stated);
    return report;
}

} // namespace lockstep
