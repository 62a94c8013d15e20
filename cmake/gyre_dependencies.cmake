# What Gyre is built from. Parts that a user may leave out are options, and
# their folders have a stand-in.
find_package(absl REQUIRED)
find_package(xtl REQUIRED)  # which xsimd links and does not find
find_package(xsimd REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(cxxopts REQUIRED)
find_package(DNNL REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

if(GYRE_GRPC)
  pkg_check_modules(GRPCPP IMPORTED_TARGET grpc++)
  find_package(OpenSSL)
  if(NOT GRPCPP_FOUND OR NOT OpenSSL_FOUND)
    message(FATAL_ERROR "GYRE_GRPC needs gRPC and OpenSSL (Debian: "
      "libgrpc++-dev, libssl-dev); -DGYRE_GRPC=OFF builds without ranks on "
      "several hosts")
  endif()
endif()
if(GYRE_JIT)
  find_package(Asmjit)
endif()
if(GYRE_MPI)
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "No MPI (libopenmpi-dev): built without --collectives mpi")
    set(GYRE_MPI OFF)
  endif()
endif()
if(GYRE_DATA)
  find_package(xtensor QUIET)
  pkg_check_modules(NETCDF QUIET IMPORTED_TARGET netcdf)
  pkg_check_modules(UDUNITS QUIET IMPORTED_TARGET udunits)
  find_path(GYRE_TOML_INCLUDE_DIR toml++/toml.h)
  if(NOT xtensor_FOUND OR NOT NETCDF_FOUND OR NOT UDUNITS_FOUND
     OR NOT GYRE_TOML_INCLUDE_DIR)
    message(STATUS "Not all of libxtensor-dev, libnetcdf-dev, libudunits2-dev "
      "and libtomlplusplus-dev: built without gyre::data and weather_loss")
    set(GYRE_DATA OFF)
  endif()
endif()
