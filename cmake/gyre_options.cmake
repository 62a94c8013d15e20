# Options and flags. What a project that uses Gyre gets is gyre_usage, and
# nothing more: include folders and C++20. gyre_build is for our own sources.
option(GYRE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(GYRE_BUILD_APPS "Build gyre and weather_loss" ${PROJECT_IS_TOP_LEVEL})
option(GYRE_BUILD_BENCHMARKS "Build tests/bench (needs libbenchmark-dev)" OFF)
option(GYRE_INSTALL "Install the libraries and their headers"
       ${PROJECT_IS_TOP_LEVEL})
option(GYRE_GRPC "Ranks on several hosts, over gRPC (libgrpc++-dev)" ON)
option(GYRE_MPI "Ranks over MPI (libopenmpi-dev), where it is installed" ON)
option(GYRE_DATA "Scientific files and arrays (libnetcdf-dev, libudunits2-dev,
libxtensor-dev, libtomlplusplus-dev), where they are" ON)
option(GYRE_JIT "Generate loops at run time (libasmjit-dev), where it is" ON)
option(GYRE_WERROR "Treat warnings as errors" OFF)
option(GYRE_UNITY "Compile the sources of a folder together, with a \
precompiled header: a third of the time; OFF: one by one" ON)
set(GYRE_MARCH "x86-64-v3" CACHE STRING
    "Instruction set of the libraries: x86-64-v3, x86-64-v4 or native")
# What the processor must have (core/cpu_check.cc); native is not looked at.
string(COMPARE EQUAL "${GYRE_MARCH}" "x86-64-v4" GYRE_NEEDS_AVX512)
set(GYRE_SANITIZE "" CACHE STRING "address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  find_program(GYRE_CCACHE ccache)
  if(GYRE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${GYRE_CCACHE})
  endif()
endif()

# The rooms under one include folder: #include "gyre/optim/adam.h".
set(GYRE_ROOMS core data mesh collectives autodiff optim models monitor train
    runtime)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/gyre)
foreach(room ${GYRE_ROOMS})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room}
       ${PROJECT_BINARY_DIR}/include/gyre/${room} SYMBOLIC)
endforeach()

add_library(gyre_usage INTERFACE)
target_compile_features(gyre_usage INTERFACE cxx_std_20)
target_include_directories(gyre_usage INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# One -march for all our sources: kernels are inline templates, and mixed
# flags would break the one-definition rule.
# No contraction: the scalar, SIMD and generated forms of one expression must
# give the same bits, so a fused multiply-add is written where it is wanted.
add_library(gyre_build INTERFACE)
target_compile_options(gyre_build INTERFACE
  -march=${GYRE_MARCH} -ffp-contract=off -Wall -Wextra
  $<$<CONFIG:>:-O3>
  $<$<BOOL:${GYRE_WERROR}>:-Werror>)
target_include_directories(gyre_build INTERFACE ${PROJECT_SOURCE_DIR})
if(GYRE_SANITIZE)
  target_compile_options(gyre_build INTERFACE
    -fsanitize=${GYRE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(gyre_build INTERFACE -fsanitize=${GYRE_SANITIZE})
endif()
