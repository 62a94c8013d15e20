# cmake -D COMPILER= -D CASE= -D ROOT= -D INCLUDE= -D MARCH= -P check.cmake
file(STRINGS ${CASE} expect REGEX "^// EXPECT: " LIMIT_COUNT 1)
string(REPLACE "// EXPECT: " "" expect "${expect}")
if(expect STREQUAL "")
  message(FATAL_ERROR "${CASE} has no line \"// EXPECT: message\"")
endif()

execute_process(
  COMMAND ${COMPILER} -std=c++20 -march=${MARCH} -I${ROOT} -I${ROOT}/include
          -I${INCLUDE} -fsyntax-only -DGYRE_FAIL ${CASE}
  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(code EQUAL 0)
  message(FATAL_ERROR "compiles, and should fail with: ${expect}")
endif()
# The first error is the one that a user reads. It must be the only one: then
# nothing else is wrong with the case.
string(REGEX MATCH "error:[^\n]*" first "${text}")
string(FIND "${first}" "${expect}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "should fail with: ${expect}\nbut says:\n${text}")
endif()
string(REGEX MATCHALL " error: " errors "${text}")
list(LENGTH errors count)
if(count GREATER 1)
  message(FATAL_ERROR "should give one error, gives ${count}:\n${text}")
endif()
