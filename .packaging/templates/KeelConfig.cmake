# find_package(Keel [COMPONENTS mpi plugin]): targets of programs that use Keel.
#
#   Keel::keel    calls keel.h. Name it before OpenMP::OpenMP_C: libkeel.so has to come before libgomp
#   Keel::mpi     calls keel_mpi.h; needs MPI::MPI_C, MPI::MPI_CXX or MPI::MPI_Fortran beside it
#   Keel::plugin  brings loops without a schedule clause under Keel; there where a plugin of Keel is
#                 for the compiler's version
#
#   Keel_COMMAND, Keel_FORTRAN_SOURCES (keel.f90 and keel_mpi.f90, to be compiled with the program)

get_filename_component(_keel_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(Keel_PREFIX "${_keel_lib}/@up@" ABSOLUTE)
set(Keel_COMMAND "${Keel_PREFIX}/bin/keel")
set(Keel_FORTRAN_SOURCES "${Keel_PREFIX}/include/keel.f90" "${Keel_PREFIX}/include/keel_mpi.f90")

# The target Keel::NAME of the library LIBRARY.
function(_keel_library name library)
  if(NOT TARGET Keel::${name} AND EXISTS "${_keel_lib}/lib${library}.so.1")
    add_library(Keel::${name} SHARED IMPORTED)
    set_target_properties(Keel::${name} PROPERTIES
      IMPORTED_LOCATION "${_keel_lib}/lib${library}.so.1"
      IMPORTED_SONAME "lib${library}.so.1"
      INTERFACE_INCLUDE_DIRECTORIES "${Keel_PREFIX}/include")
  endif()
endfunction()

_keel_library(keel keel)
_keel_library(mpi keel_mpi)
if(TARGET Keel::mpi)
  set_target_properties(Keel::mpi PROPERTIES INTERFACE_LINK_LIBRARIES Keel::keel)
endif()

# The compiler of the first language that a project has of these.
foreach(_keel_language C CXX Fortran)
  if(NOT TARGET Keel::plugin AND CMAKE_${_keel_language}_COMPILER_ID STREQUAL "GNU")
    string(REGEX MATCH "^[0-9]+" _keel_major "${CMAKE_${_keel_language}_COMPILER_VERSION}")
    set(_keel_plugin "${_keel_lib}/keel/gcc-${_keel_major}/keel_plugin.so")
    if(EXISTS "${_keel_plugin}")
      add_library(Keel::plugin INTERFACE IMPORTED)
      set_target_properties(Keel::plugin PROPERTIES
        INTERFACE_COMPILE_OPTIONS "-fopenmp;-fplugin=${_keel_plugin}")
    endif()
  endif()
endforeach()

set(Keel_keel_FOUND TRUE)
foreach(_keel_component mpi plugin)
  if(TARGET Keel::${_keel_component})
    set(Keel_${_keel_component}_FOUND TRUE)
  endif()
endforeach()
foreach(_keel_component ${Keel_FIND_COMPONENTS})
  if(Keel_FIND_REQUIRED_${_keel_component} AND NOT Keel_${_keel_component}_FOUND)
    set(Keel_FOUND FALSE)
    set(Keel_NOT_FOUND_MESSAGE "Keel in ${Keel_PREFIX} has no ${_keel_component} for this project")
  endif()
endforeach()
