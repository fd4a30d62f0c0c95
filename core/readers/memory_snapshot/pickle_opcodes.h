// SPDX-License-Identifier: Apache-2.0
// Pickle opcodes, named as in Python's pickletools: opcodes that carry data, and opcodes that are rejected
// with a reason. Used only by the pickle machine.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::pickle {

// clang-format off
enum Opcode : uint8_t {
    kMark = '(', kStop = '.', kPop = '0', kPopMark = '1', kDup = '2', kNone = 'N', kNewTrue = 0x88, kNewFalse = 0x89,
    kBinInt = 'J', kBinInt1 = 'K', kBinInt2 = 'M', kLong1 = 0x8A, kLong4 = 0x8B, kBinFloat = 'G',
    kShortBinUnicode = 0x8C, kBinUnicode = 'X', kBinUnicode8 = 0x8D, kShortBinBytes = 'C', kBinBytes = 'B',
    kBinBytes8 = 0x8E, kShortBinString = 'U', kBinString = 'T', kEmptyList = ']', kEmptyTuple = ')', kEmptyDict = '}',
    kAppend = 'a', kAppends = 'e', kSetItem = 's', kSetItems = 'u', kTuple = 't', kTuple1 = 0x85, kTuple2 = 0x86,
    kTuple3 = 0x87, kList = 'l', kDict = 'd', kProto = 0x80, kFrame = 0x95, kMemoize = 0x94, kBinPut = 'q',
    kLongBinPut = 'r', kBinGet = 'h', kLongBinGet = 'j',
    // Protocol 0: the argument of each opcode is a line of text.
    kInt = 'I', kLong = 'L', kFloat = 'F', kString = 'S', kUnicode = 'V', kPut = 'p', kGet = 'g'
};
// clang-format on

struct Refusal {
    uint8_t opcode;
    const char* name;
    const char* reason;
};

inline constexpr const char* kNamesCode = "names Python code to load";
inline constexpr const char* kCallsCode = "would call Python code";
inline constexpr const char* kElsewhere = "refers to objects outside the file";
inline constexpr std::array<Refusal, 17> kRefusals{{
    {'c', "GLOBAL", kNamesCode},
    {0x93, "STACK_GLOBAL", kNamesCode},
    {'R', "REDUCE", kCallsCode},
    {'b', "BUILD", kCallsCode},
    {'i', "INST", kCallsCode},
    {'o', "OBJ", kCallsCode},
    {0x81, "NEWOBJ", kCallsCode},
    {0x92, "NEWOBJ_EX", kCallsCode},
    {'P', "PERSID", kElsewhere},
    {'Q', "BINPERSID", kElsewhere},
    {0x82, "EXT1", kNamesCode},
    {0x83, "EXT2", kNamesCode},
    {0x84, "EXT4", kNamesCode},
    {0x97, "NEXT_BUFFER", kElsewhere},
    {0x98, "READONLY_BUFFER", kElsewhere},
    {0x96, "BYTEARRAY8", "contains a mutable byte array"},
    {0x8F, "EMPTY_SET", "contains a set"},
}};

} // namespace lockstep::pickle
