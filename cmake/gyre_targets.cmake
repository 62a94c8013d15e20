# gyre_sources(TARGET [DIRS dir...] [PATTERN glob])
# Adds the sources of the current folder and of DIRS below it. With GYRE_UNITY,
# those of one folder are compiled ten at a time.
function(gyre_sources target)
  cmake_parse_arguments(ARG "" "PATTERN" "DIRS" ${ARGN})
  if(NOT ARG_PATTERN)
    set(ARG_PATTERN *.cc)
  endif()
  foreach(dir . ${ARG_DIRS})
    cmake_path(SET folder NORMALIZE ${CMAKE_CURRENT_SOURCE_DIR}/${dir})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/${ARG_PATTERN})
    list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
    set(count 0)
    foreach(source ${sources})
      math(EXPR group "${count} / 10")
      set_property(SOURCE ${source} PROPERTY
        UNITY_GROUP ${target}_${dir}_${group})
      math(EXPR count "${count} + 1")
    endforeach()
    target_sources(${target} PRIVATE ${sources})
  endforeach()
endfunction()

# Compiles a target of ours as GYRE_UNITY says, with the precompiled header of
# `pch`.
function(gyre_compile target pch)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(GYRE_UNITY)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

# Precompiles `header` for all targets that say gyre_compile(TARGET NAME).
function(gyre_pch name header)
  if(GYRE_UNITY)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but its header.\n")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(${name} PRIVATE gyre_usage gyre_build ${ARGN})
    target_precompile_headers(${name} PRIVATE ${header})
  endif()
endfunction()

gyre_pch(gyre_pch ${CMAKE_CURRENT_LIST_DIR}/pch.h absl::statusor)

# gyre_library(NAME [TEXT] [DIRS dir...] [DEPS target...]
#              [PRIVATE_DEPS target...])
# One static library a room: every .cc of the folder and of DIRS below it.
# DEPS are those whose headers ours include. TEXT: it reads and writes records
# and computes nothing of a step, so a release compiles it for half the time.
function(gyre_library name)
  cmake_parse_arguments(ARG "TEXT" "" "DIRS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(gyre_${name} STATIC)
  add_library(gyre::${name} ALIAS gyre_${name})
  gyre_sources(gyre_${name} DIRS ${ARG_DIRS})
  target_link_libraries(gyre_${name}
    PUBLIC gyre_usage ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:gyre_build>)
  set_target_properties(gyre_${name} PROPERTIES EXPORT_NAME ${name})
  if(ARG_TEXT)
    target_compile_options(gyre_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  gyre_compile(gyre_${name} gyre_pch)
endfunction()

# gyre_program(NAME [SOURCES source...] [DEPS target...])
# A program of ours; those of a build with MPI can all use it.
function(gyre_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${ARG_DEPS} $<TARGET_NAME_IF_EXISTS:gyre_mpi> gyre_build)
  gyre_compile(${name} gyre_pch)
endfunction()

# gyre_test(NAME [DIRS dir...] [DEPS target...] [LABELS label...])
# One test program a room: every *_test.cc of the folder and of DIRS.
function(gyre_test name)
  cmake_parse_arguments(ARG "" "" "DIRS;DEPS;LABELS" ${ARGN})
  add_executable(${name}_test)
  gyre_sources(${name}_test DIRS ${ARG_DIRS} PATTERN *_test.cc)
  target_link_libraries(${name}_test PRIVATE
    ${ARG_DEPS} gyre_build gyre_test_flags GTest::gmock GTest::gtest_main)
  gyre_compile(${name}_test gyre_test_pch)
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}.
    DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS "${ARG_LABELS}")
endfunction()
