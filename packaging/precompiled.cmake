# SPDX-License-Identifier: Apache-2.0
# lockstep_precompile(HEADER OWNER TARGETS...): compiles HEADER once, with the options of OWNER, for the sources of TARGETS,
# the first of which may be OWNER. All must be optimized equally. Every source still includes what it uses.
function(lockstep_precompile HEADER OWNER)
    foreach(NAME ${ARGN})
        if(NAME STREQUAL OWNER)
            target_precompile_headers(${OWNER} PRIVATE ${CMAKE_SOURCE_DIR}/${HEADER})
        else()
            target_precompile_headers(${NAME} REUSE_FROM ${OWNER})
        endif()
    endforeach()
endfunction()
# Without the time of its sources in the result, a compiler cache finds what was compiled with it.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
