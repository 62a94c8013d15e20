# asmjit, from which elementwise loops are generated. Optional: without it
# the tile interpreter does the work.
find_path(ASMJIT_INCLUDE_DIR NAMES asmjit/x86.h)
find_library(ASMJIT_LIBRARY NAMES asmjit)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Asmjit
  REQUIRED_VARS ASMJIT_LIBRARY ASMJIT_INCLUDE_DIR)
if(Asmjit_FOUND AND NOT TARGET Asmjit::asmjit)
  add_library(Asmjit::asmjit UNKNOWN IMPORTED)
  set_target_properties(Asmjit::asmjit PROPERTIES
    IMPORTED_LOCATION ${ASMJIT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ASMJIT_INCLUDE_DIR})
endif()
