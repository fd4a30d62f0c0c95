// SPDX-License-Identifier: Apache-2.0
// SpoolCollectives: collectives from NVTX payloads of NCCL or of the program: communicator, size, rank,
// sequence. Stored next to the ranges for clock alignment and straggler analysis, as for nsys exports. One
// worker; call finish() after all blocks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/capture_spool/spool_carry.h"
#include "core/readers/capture_spool/spool_reading.h"
#include "core/readers/nsys_sqlite/payload_schemas.h"

namespace lockstep {

class SpoolCollectives {
  public:
    explicit SpoolCollectives(SpoolReading& reading) : m_reading(reading) {}

    // `json` is defined in FORMAT.md. JSON that is not a schema is ignored.
    void addSchema(uint64_t domain, uint64_t schema, std::string_view json);
    // Adds the bytes of a payload with a schema, for the range at `source`.
    void addPayload(SourceRow source, StringId name, uint64_t domain, uint64_t schema,
                    std::string_view bytes);
    // `after` receives the state that later parts of the file need.
    void finish(SpoolCarry* after = nullptr);
    // Restores the state after the earlier parts of the file.
    void begin(const SpoolCarry& before);

  private:
    struct Payload {
        SourceRow source;
        StringId name;
        std::string binary; // with the 32-byte prefix that PayloadSchemas::decode() expects
    };

    bool addProgramCollective(const Payload& payload);
    void carry(SpoolCarry& after, const std::set<SourceRow>& initializations) const;
    uint32_t globalPeer(const CollectiveOp& op, uint32_t peer) const;

    SpoolReading& m_reading;
    PayloadSchemas m_schemas;
    std::vector<Payload> m_payloads;
    std::vector<SpoolCarry::Schema> m_added;
};

} // namespace lockstep
