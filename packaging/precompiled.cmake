# SPDX-License-Identifier: Apache-2.0
# lockstep_precompile(HEADER OWNER TARGETS...): compiles HEADER once, with the options of OWNER, for the sources of TARGETS,
# the first of which may be OWNER. All must be compiled at the same optimization level. Each source still includes
# what it uses.
function(lockstep_precompile HEADER OWNER)
    foreach(NAME ${ARGN})
        if(NAME STREQUAL OWNER)
            target_precompile_headers(${OWNER} PRIVATE ${CMAKE_SOURCE_DIR}/${HEADER})
        else()
            target_precompile_headers(${NAME} REUSE_FROM ${OWNER})
        endif()
    endforeach()
endfunction()
# A compiler cache never finds a precompiled header that contains the timestamps of its sources.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
