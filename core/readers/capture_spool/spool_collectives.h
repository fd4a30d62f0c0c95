// SPDX-License-Identifier: Apache-2.0
// SpoolCollectives: what NCCL says of its operations in NVTX payloads, and a program of its own:
// communicator, size, rank, sequence; kept beside the ranges for clocks and stragglers, as from nsys's
// exports. One worker's; finish() when all blocks are read.
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

    // json: as FORMAT.md has it; what is no schema is passed over.
    void addSchema(uint64_t domain, uint64_t schema, std::string_view json);
    // Bytes that follow a schema, of the range that stands at `source`.
    void addPayload(SourceRow source, StringId name, uint64_t domain, uint64_t schema,
                    std::string_view bytes);
    // after: takes what later parts of the file need.
    void finish(SpoolCarry* after = nullptr);
    // What earlier parts of the file said.
    void begin(const SpoolCarry& before);

  private:
    struct Payload {
        SourceRow source;
        StringId name;
        std::string binary; // behind the 32 bytes that PayloadSchemas::decode() wants
    };

    bool addOwn(const Payload& payload);
    void carry(SpoolCarry& after, const std::set<SourceRow>& setUps) const;
    uint32_t globalPeer(const CollectiveOp& op, uint32_t peer) const;

    SpoolReading& m_reading;
    PayloadSchemas m_schemas;
    std::vector<Payload> m_payloads;
    std::vector<SpoolCarry::Schema> m_added;
};

} // namespace lockstep
