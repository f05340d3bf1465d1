# How files are compiled in a Release build: the level of optimisation, and from which precompiled
# header they start. Both together, because GCC may crash when a header was compiled at a lower
# level than the file that uses it. Other configurations keep their own flags.

# ch_compile_with(<header> <level> <target>...): the first target compiles the header, all start
# from it. ch_compile_like(<first> <level> <target>...): more targets for a first one.
function(ch_compile_with header level first)
  if(CH_FAST_BUILD)
    target_precompile_headers(${first} PRIVATE "${CMAKE_SOURCE_DIR}/${header}")
  endif()
  target_compile_options(${first} PRIVATE $<$<CONFIG:Release>:${level}>)
  ch_compile_like(${first} ${level} ${ARGN})
endfunction()

function(ch_compile_like first level)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
    if(CH_FAST_BUILD)
      target_precompile_headers(${target} REUSE_FROM ${first})
    endif()
  endforeach()
endfunction()

# ch_optimise(<level> <pattern>...): single files, whatever their target says, alone and without
# the header. Their arrays are registers: only functions with buffers of characters have the stack
# protector, which would cost a product of one row a twentieth of its time.
function(ch_optimise level)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_source_files_properties(${files} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:${level};-fstack-protector>" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# ch_optimise_simd(<level>): the files with Highway's kernels.
function(ch_optimise_simd level)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS src/*.cpp)
  foreach(file IN LISTS files)
    file(STRINGS "${file}" found REGEX "^#include \"hwy/highway.h\"" LIMIT_COUNT 1)
    if(found)
      ch_optimise(${level} "${file}")
    endif()
  endforeach()
endfunction()
