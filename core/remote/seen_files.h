// SeenFiles: who told of a file first, so that a disk that several hosts see is counted once. One thread.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/remote/ledger.h"

namespace lockstep {

class SeenFiles {
  public:
    // proof is what only the same file has on two hosts: its digest, or inode and stamp. With the size and
    // the name it says that `place` is a file that another host told of: their entries become one. True where
    // the file is not one that is known already. Files of one host with equal bytes are its own affair: they
    // are two.
    bool note(Ledger& ledger, const std::string& proof, int64_t size_bytes, const LedgerPlace& place)
    {
        const std::string name = place.path.substr(place.path.rfind('/') + 1); // npos + 1 = 0
        const auto [seen, isFirst] = m_first.emplace(std::tuple(proof, size_bytes, name), place);
        if (isFirst || seen->second.host == place.host) return true;
        const auto first = ledger.find(seen->second.host, seen->second.path);
        const auto second = ledger.find(place.host, place.path);
        if (first && second) ledger.noteSame(*first, *second);
        return !first;
    }

  private:
    std::map<std::tuple<std::string, int64_t, std::string>, LedgerPlace> m_first;
};

} // namespace lockstep
