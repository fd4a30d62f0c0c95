// SPDX-License-Identifier: Apache-2.0
// Pickle opcodes, named as in Python's pickletools: opcodes that carry data, opcodes for objects,
// and why each of the latter is rejected. Used only by the pickle machine.
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
    kInt = 'I', kLong = 'L', kFloat = 'F', kString = 'S', kUnicode = 'V', kPut = 'p', kGet = 'g',
    // Objects other than plain data.
    kGlobal = 'c', kStackGlobal = 0x93, kReduce = 'R', kBuild = 'b', kInst = 'i', kObj = 'o', kNewObj = 0x81,
    kNewObjEx = 0x92, kPersId = 'P', kBinPersId = 'Q', kExt1 = 0x82, kExt2 = 0x83, kExt4 = 0x84, kNextBuffer = 0x97,
    kReadOnlyBuffer = 0x98, kByteArray8 = 0x96, kEmptySet = 0x8F, kAddItems = 0x90, kFrozenSet = 0x91
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
    {kGlobal, "GLOBAL", kNamesCode},
    {kStackGlobal, "STACK_GLOBAL", kNamesCode},
    {kReduce, "REDUCE", kCallsCode},
    {kBuild, "BUILD", kCallsCode},
    {kInst, "INST", kCallsCode},
    {kObj, "OBJ", kCallsCode},
    {kNewObj, "NEWOBJ", kCallsCode},
    {kNewObjEx, "NEWOBJ_EX", kCallsCode},
    {kPersId, "PERSID", kElsewhere},
    {kBinPersId, "BINPERSID", kElsewhere},
    {kExt1, "EXT1", kNamesCode},
    {kExt2, "EXT2", kNamesCode},
    {kExt4, "EXT4", kNamesCode},
    {kNextBuffer, "NEXT_BUFFER", kElsewhere},
    {kReadOnlyBuffer, "READONLY_BUFFER", kElsewhere},
    {kByteArray8, "BYTEARRAY8", "contains a mutable byte array"},
    {kEmptySet, "EMPTY_SET", "contains a set"},
}};

} // namespace lockstep::pickle
