# Build-wide choices. One -march for the whole build: kernels are inline
# templates, and mixed flags would break the one-definition rule.
option(GYRE_BUILD_TESTS "Build the tests" ON)
option(GYRE_BUILD_BENCHMARKS "Build tests/bench (needs libbenchmark-dev)" OFF)
option(GYRE_MPI "Build the MPI backend where MPI is installed" ON)
option(GYRE_WERROR "Treat warnings as errors" OFF)
set(GYRE_MARCH "x86-64-v3" CACHE STRING
    "Instruction set of the build: x86-64-v3, x86-64-v4 or native")
set(GYRE_SANITIZE "" CACHE STRING "address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(GYRE_CCACHE ccache)
if(GYRE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GYRE_CCACHE})
endif()

# No contraction: the scalar, SIMD and generated forms of one expression must
# give the same bits, so a fused multiply-add is written where it is wanted.
add_library(gyre_flags INTERFACE)
target_compile_options(gyre_flags INTERFACE
  -march=${GYRE_MARCH} -ffp-contract=off -Wall -Wextra
  $<$<BOOL:${GYRE_WERROR}>:-Werror>)
target_include_directories(gyre_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(GYRE_SANITIZE)
  target_compile_options(gyre_flags INTERFACE
    -fsanitize=${GYRE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(gyre_flags INTERFACE -fsanitize=${GYRE_SANITIZE})
endif()
