// SPDX-License-Identifier: Apache-2.0
// CuptiRecords converts CUPTI activity records to records of the capture file. Later CUPTI versions only
// append fields to their layouts, so one reader supports all versions since CUDA 10.0. Fields that a version
// lacks are 0. Used on the writer thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/inject/block_builder.h"
#include "capture/inject/cupti_library.h"

namespace lockstep::capture {

class CuptiRecords {
  public:
    explicit CuptiRecords(const CuptiLibrary& library) : m_library(library) {}

    void encode(const CUpti_Activity& record, BlockBuilder& block);
    // Rewrites devices, contexts and streams, and the record counts of other kinds.
    void writeEntities(BlockBuilder& block);

  private:
    struct Entity {
        LockstepSpoolKind kind;
        std::vector<uint64_t> numbers;
        std::vector<std::string> texts; // after the first index
    };

    uint32_t kernelName(const char* name, BlockBuilder& block);
    uint32_t apiName(bool isDriver, uint32_t id, BlockBuilder& block);
    void kernel(const CUpti_Activity& record, BlockBuilder& block);
    void copy(const CUpti_Activity& record, BlockBuilder& block);
    void peerCopy(const CUpti_Activity& record, BlockBuilder& block);
    void set(const CUpti_Activity& record, BlockBuilder& block);
    void api(const CUpti_Activity& record, BlockBuilder& block);
    void sync(const CUpti_Activity& record, BlockBuilder& block);
    void overhead(const CUpti_Activity& record, BlockBuilder& block);
    void graph(const CUpti_Activity& record, BlockBuilder& block);
    void memory(const CUpti_Activity& record, BlockBuilder& block);
    void event(const CUpti_Activity& record, BlockBuilder& block);
    void device(const CUpti_Activity& record, BlockBuilder& block);
    void context(const CUpti_Activity& record, BlockBuilder& block);
    void stream(const CUpti_Activity& record, BlockBuilder& block);
    void storeEntity(const std::string& key, Entity entity, BlockBuilder& block);
    static void writeEntity(const Entity& entity, BlockBuilder& block);

    const CuptiLibrary& m_library;
    std::map<std::string, Entity> m_entities;
    struct Known {
        uint64_t generation = 0;
        uint32_t number = 0;
    };
    std::unordered_map<const void*, Known> m_names; // names in the current block
    std::unordered_map<uint64_t, std::string> m_apiNames;
    std::map<uint32_t, uint64_t> m_others; // counts by kind that have not been written yet
};

} // namespace lockstep::capture
