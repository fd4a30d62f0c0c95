// SPDX-License-Identifier: Apache-2.0
// SampleFormat: one format of sample records in JSON. The reader of sample records
// (sample_records_reader.cpp) reads a file object by object and passes each to the format that recognizes the
// first one. A new format is a file in this folder and a line in sample_formats.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "core/readers/json_records.h"
#include "core/readers/samples/sample_rows.h"

namespace lockstep {

// Reads the records of one recording, in order. One thread.
class SampleRecords {
  public:
    virtual ~SampleRecords() = default;

    // Reads one object. Returns false if it is damaged. Parts that are missing or of another type are not
    // damage: a record without them is still counted and shown.
    virtual bool read(simdjson::ondemand::object object, const JsonRecords& records) = 0;
    // Called once after the last object, before SampleRows::finish().
    virtual void finish() {}
};

struct SampleFormat {
    std::string_view name; // "OTLP spans", shown as the schema of the report
    std::string_view tool; // "OpenTelemetry"
    ClockDomain clock;     // of the timestamps
    // Keys of the first object that occur together in no other format.
    std::vector<std::string_view> keys;
    std::unique_ptr<SampleRecords> (*make)(SampleRows& rows);
    PartNaming parts = PartNaming::none; // how the files of a recording are named
};

} // namespace lockstep
