// SPDX-License-Identifier: Apache-2.0
#include "core/session/host_facts.h"

#include <algorithm>

#include "core/base/mapped_file.h"

namespace lockstep {

Result<std::vector<HostFacts>> loadHostFacts(const std::filesystem::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    Result<std::vector<HostFacts>> facts = hostFactsFromJson(file.text());
    if (!facts) return tl::make_unexpected(withContext(facts.error(), path.string()));
    return facts;
}

const HostFacts* findHostFacts(std::span<const HostFacts> facts, std::string_view host)
{
    const auto found =
        std::find_if(facts.begin(), facts.end(), [&](const HostFacts& f) { return f.host == host; });
    return found == facts.end() ? nullptr : &*found;
}

const NsysFacts* nsysOnPath(const HostFacts& facts)
{
    if (!facts.nsys) return nullptr;
    const auto found =
        std::find_if(facts.nsys->begin(), facts.nsys->end(), [](const auto& n) { return n.isOnPath; });
    return found == facts.nsys->end() ? nullptr : &*found;
}

std::optional<std::string> knownNsysVersion(std::span<const HostFacts> facts)
{
    for (const HostFacts& host : facts) {
        if (const NsysFacts* nsys = nsysOnPath(host)) return nsys->version;
    }
    return std::nullopt;
}

// Returns true for the folder itself and for paths inside it.
static bool holds(std::string_view folder, std::string_view path)
{
    while (folder.size() > 1 && folder.back() == '/')
        folder.remove_suffix(1);
    if (folder == "/") return path.starts_with('/');
    return !folder.empty() && path.starts_with(folder) &&
           (path.size() == folder.size() || path[folder.size()] == '/');
}

const CheckoutFacts* findCheckout(const HostFacts& facts, std::string_view folder, Framework framework)
{
    const CheckoutFacts* only = nullptr;
    size_t count = 0;
    for (const CheckoutFacts& checkout : facts.checkouts) {
        if (checkout.framework != framework) continue;
        if (holds(checkout.path, folder)) return &checkout;
        only = &checkout;
        ++count;
    }
    return count == 1 ? only : nullptr;
}

const DiskFacts* findDisk(const HostFacts& facts, std::string_view path)
{
    const DiskFacts* best = nullptr;
    for (const DiskFacts& disk : facts.disks) {
        if (holds(disk.path, path) && (best == nullptr || disk.path.size() > best->path.size())) best = &disk;
    }
    return best;
}

} // namespace lockstep
