# gyre_library(NAME [DIRS dir...] [DEPS target...])
# One static library a room: every .cc of the folder and of DIRS below it.
function(gyre_library name)
  cmake_parse_arguments(ARG "" "" "DIRS;DEPS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(dir ${ARG_DIRS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(gyre_${name} STATIC ${sources})
  add_library(gyre::${name} ALIAS gyre_${name})
  target_link_libraries(gyre_${name} PUBLIC gyre_flags ${ARG_DEPS})
endfunction()

# gyre_test(NAME [DIRS dir...] [DEPS target...] [LABELS label...])
# One test program a room: every *_test.cc of the folder and of DIRS.
function(gyre_test name)
  cmake_parse_arguments(ARG "" "" "DIRS;DEPS;LABELS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  foreach(dir ${ARG_DIRS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*_test.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_executable(${name}_test ${sources})
  # Tests are many and run for moments: a release spends its time on what
  # ships.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name}_test PRIVATE
    gyre_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}.
    DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS "${ARG_LABELS}")
endfunction()
