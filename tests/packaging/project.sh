#!/bin/bash
# Writes a project that uses an installed Keel, in C and in Fortran, for CMake and compilers:  tests/packaging/project.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"

cat >calls.c <<'END'
/* Calls keel.h, and has a loop that says schedule(runtime). */
#include <keel.h>
#include <stdio.h>

int main(void)
{
    char schedule[64];
    long sum = 0;
    int code = keel_set_schedule("fac2,16");

    keel_get_schedule(schedule, sizeof schedule);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    printf("%d %s %ld\n", code, schedule, sum);
    return 0;
}
END

cat >bare.c <<'END'
/* A loop without a schedule clause, which only the plugin brings under Keel. */
#include <stdio.h>

int main(void)
{
    long sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
END

cat >shares.c <<'END'
/* A loop that all ranks share. */
#include <keel_mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int level, rank;
    long sum = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    code += keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d %ld\n", code, sum);
    }
    MPI_Finalize();
    return 0;
}
END

cat >choose.f90 <<'END'
! The Fortran module, which is compiled with the program.
include 'keel.f90'

program choose
  use keel
  implicit none
  integer :: i, total

  call keel_set_schedule('fac2,16')
  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 0, 999
    total = total + i
  end do
  print '(i0)', total
end program choose
END

cat >shares.f90 <<'END'
! A loop that all ranks share, through the Fortran module.
include 'keel_mpi.f90'

program shares
  use mpi
  use keel_mpi
  implicit none
  integer :: i, rank, level, total, ierror

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, level, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call keel_mpi_share(MPI_COMM_WORLD)
  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 0, 999
    total = total + i
  end do
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0)', total
  call MPI_Finalize(ierror)
end program shares
END

cat >CMakeLists.txt <<'END'
# A project that uses an installed Keel.
cmake_minimum_required(VERSION 3.13)
project(uses_keel C Fortran)
find_package(OpenMP REQUIRED)
find_package(MPI REQUIRED)
find_package(Keel 0.1 REQUIRED COMPONENTS mpi plugin)

add_executable(calls calls.c)
target_link_libraries(calls Keel::keel OpenMP::OpenMP_C)

# The other way round: libkeel.so has to come before libgomp all the same.
add_executable(turned calls.c)
target_link_libraries(turned OpenMP::OpenMP_C Keel::keel)

add_executable(bare bare.c)
target_link_libraries(bare Keel::plugin OpenMP::OpenMP_C)

add_executable(shares shares.c)
target_link_libraries(shares Keel::mpi OpenMP::OpenMP_C MPI::MPI_C)

add_executable(choose choose.f90)
target_include_directories(choose PRIVATE ${Keel_PREFIX}/include)
target_link_libraries(choose Keel::keel OpenMP::OpenMP_Fortran)
END
