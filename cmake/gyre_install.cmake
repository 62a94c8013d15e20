# cmake --install: libraries, the headers that the facades reach, programs, and
# what find_package(gyre) reads. cpack makes Debian packages of it.
include(CMakePackageConfigHelpers)

# Collects what `header` (as it is included) reaches, into GYRE_PUBLIC_HEADERS.
function(gyre_collect_headers header)
  get_property(seen GLOBAL PROPERTY GYRE_PUBLIC_HEADERS)
  if(header IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY GYRE_PUBLIC_HEADERS ${header})
  string(REPLACE "gyre/" "" path ${header})
  set(file ${PROJECT_SOURCE_DIR}/${path})
  if(NOT EXISTS ${file})
    set(file ${PROJECT_SOURCE_DIR}/include/${header})
  endif()
  file(STRINGS ${file} lines REGEX "^#include [<\"]gyre/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include [<\"]([^>\"]+)[>\"].*" "\\1" next ${line})
    gyre_collect_headers(${next})
  endforeach()
endfunction()

gyre_collect_headers(gyre/gyre.h)
get_property(headers GLOBAL PROPERTY GYRE_PUBLIC_HEADERS)
foreach(header ${headers})
  cmake_path(GET header PARENT_PATH folder)
  string(REPLACE "gyre/" "" path ${header})
  set(file ${PROJECT_SOURCE_DIR}/${path})
  if(NOT EXISTS ${file})
    set(file ${PROJECT_SOURCE_DIR}/include/${header})
  endif()
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
          COMPONENT dev)
endforeach()

set(libraries gyre_usage gyre_all gyre_simd)
foreach(room ${GYRE_ROOMS})
  list(APPEND libraries gyre_${room})
endforeach()
if(GYRE_MPI)
  list(APPEND libraries gyre_mpi)
endif()
install(TARGETS ${libraries} EXPORT gyre
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gyre)
install(EXPORT gyre NAMESPACE gyre:: FILE gyreTargets.cmake
  DESTINATION ${package} COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gyreConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gyreConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gyreConfig.cmake
  ${PROJECT_BINARY_DIR}/gyreConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindDNNL.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindAsmjit.cmake
  DESTINATION ${package} COMPONENT dev)

if(GYRE_BUILD_APPS)
  install(TARGETS gyre RUNTIME COMPONENT programs)
  if(TARGET weather_loss)
    install(TARGETS weather_loss RUNTIME COMPONENT programs)
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Gyre maintainers <gyre@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_ALL programs dev)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME gyre)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "libncarg-data")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgyre-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(dev_depends libabsl-dev libxsimd-dev xtl-dev libdnnl-dev libxxhash-dev pkg-config)
if(Asmjit_FOUND)
  list(APPEND dev_depends libasmjit-dev)
endif()
if(GYRE_GRPC)
  list(APPEND dev_depends libgrpc++-dev libssl-dev)
endif()
if(GYRE_MPI)
  list(APPEND dev_depends libopenmpi-dev)
endif()
list(JOIN dev_depends ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "gyre")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
