# cmake -D COMPILER= -D CASE= -D ROOT= -D INCLUDE= -D FLAGS= -D HEADERS=
#   -P check.cmake
#
# HEADERS: a folder for the public headers, which the case "headers" compiles
# once and the others read.
set(compile ${COMPILER} -std=c++20 ${FLAGS} -I${ROOT} -I${ROOT}/include
    -I${INCLUDE})
if(COMPILER MATCHES "clang")
  set(compiled ${HEADERS}/public.h.pch)
  set(read_headers -include-pch ${compiled})
else()
  set(compiled ${HEADERS}/public.h.gch)
  set(read_headers -include ${HEADERS}/public.h)
endif()
if(CASE STREQUAL "headers")
  file(WRITE ${HEADERS}/public.h "#include <gyre/gyre.h>\n")
  execute_process(
    COMMAND ${compile} -x c++-header ${HEADERS}/public.h -o ${compiled}
    COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()
list(APPEND compile ${read_headers} -fsyntax-only)

file(STRINGS ${CASE} expect REGEX "^// EXPECT( FIRST)?: " LIMIT_COUNT 1)
string(REGEX MATCH "^// EXPECT FIRST" first_of_many "${expect}")
string(REGEX REPLACE "^// EXPECT( FIRST)?: " "" expect "${expect}")
if(expect STREQUAL "")
  message(FATAL_ERROR "${CASE} has no line \"// EXPECT: message\"")
endif()

execute_process(COMMAND ${compile} -DGYRE_FAIL ${CASE}
  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(code EQUAL 0)
  message(FATAL_ERROR "compiles, and should fail with: ${expect}")
endif()
# The first error is the one that a user reads.
string(REGEX MATCH "error:[^\n]*" first "${text}")
string(FIND "${first}" "${expect}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "should fail with: ${expect}\nbut says:\n${text}")
endif()
if(first_of_many)
  # It must stand where it is seen: on the first screen.
  string(FIND "${text}" "${expect}" at)
  string(SUBSTRING "${text}" 0 ${at} before)
  string(REGEX MATCHALL "\n" lines "${before}")
  list(LENGTH lines count)
  if(count GREATER 20)
    message(FATAL_ERROR "says it after ${count} lines:\n${text}")
  endif()
  # The correct form is close to it.
  execute_process(COMMAND ${compile} ${CASE}
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "the correct form does not compile:\n${text}")
  endif()
else()
  # It must be the only one: then nothing else is wrong with the case.
  string(REGEX MATCHALL " error: " errors "${text}")
  list(LENGTH errors count)
  if(count GREATER 1)
    message(FATAL_ERROR "should give one error, gives ${count}:\n${text}")
  endif()
endif()
