// SPDX-License-Identifier: Apache-2.0
// CuptiRecords: CUPTI's activity records as records of the spool. The layouts of later CUPTI versions only
// append, so one reading serves all from CUDA 10.0 on; fields that a version does not have yet are 0. The
// writer thread's.
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
    // Says devices, contexts and streams again, and how many records of other kinds there were.
    void sayEntities(BlockBuilder& block);

  private:
    struct Entity {
        LockstepSpoolKind kind;
        std::vector<uint64_t> numbers;
        std::vector<std::string> texts; // behind the first number
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
    void keep(const std::string& key, Entity entity, BlockBuilder& block);
    static void say(const Entity& entity, BlockBuilder& block);

    const CuptiLibrary& m_library;
    std::map<std::string, Entity> m_entities;
    struct Known {
        uint64_t generation = 0;
        uint32_t number = 0;
    };
    std::unordered_map<const void*, Known> m_names; // of the current block
    std::unordered_map<uint64_t, std::string> m_apiNames;
    std::map<uint32_t, uint64_t> m_others; // by kind, not yet said
};

} // namespace lockstep::capture
