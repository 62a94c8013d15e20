# ninja docs: the API reference over the headers that the facades in
# include/gyre name, with every warning of Doxygen an error. No part of `all`.
find_program(GYRE_DOXYGEN doxygen)
find_package(Python3 COMPONENTS Interpreter)
if(NOT GYRE_DOXYGEN OR NOT Python3_FOUND)
  return()
endif()

# Without facades, all headers of the rooms.
function(gyre_public_headers result)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gyre/*.h)
  foreach(facade ${headers})
    file(STRINGS ${facade} lines REGEX "^#include [\"<]gyre/[a-z_]+/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include [\"<]gyre/([^\">]+).*" "\\1" path ${line})
      list(APPEND headers ${PROJECT_SOURCE_DIR}/${path})
    endforeach()
  endforeach()
  if(NOT headers)
    list(TRANSFORM GYRE_ROOMS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE
      rooms)
    list(TRANSFORM rooms APPEND /*.h)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${rooms})
  endif()
  list(REMOVE_DUPLICATES headers)
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

gyre_public_headers(headers)
set(api ${PROJECT_SOURCE_DIR}/docs/api)
set(GYRE_DOCS_OUTPUT ${PROJECT_BINARY_DIR}/docs)
list(JOIN headers "\" \\\n  \"" GYRE_DOCS_INPUT)
set(GYRE_DOCS_INPUT "\"${api}/mainpage.md\" \\\n  \"${GYRE_DOCS_INPUT}\"")
configure_file(${api}/Doxyfile.in ${GYRE_DOCS_OUTPUT}/Doxyfile @ONLY)
add_custom_target(docs
  COMMAND ${GYRE_DOXYGEN} ${GYRE_DOCS_OUTPUT}/Doxyfile
  COMMENT "API reference: ${GYRE_DOCS_OUTPUT}/html/index.html"
  DEPENDS ${api}/Doxyfile.in ${api}/comments.py VERBATIM)
