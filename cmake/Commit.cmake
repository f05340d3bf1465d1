# ch_commit(<source>): gives <source> a generated file commit.inc that defines CH_COMMIT, renewed when
# HEAD moves. Without git, or outside a clone, it is "unknown".
#
# As a script (cmake -D OUTPUT=FILE -P Commit.cmake): writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git rev-parse --short=12 HEAD OUTPUT_VARIABLE commit RESULT_VARIABLE failed
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(commit unknown)
  endif()
  file(WRITE "${OUTPUT}" "#define CH_COMMIT \"${commit}\"\n")
  return()
endif()

function(ch_commit source)
  execute_process(COMMAND git rev-parse --git-path logs/HEAD WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    OUTPUT_VARIABLE log ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set(output "${CMAKE_BINARY_DIR}/generated/commit.inc")
  if(NOT EXISTS "${log}" OR IS_DIRECTORY "${log}")
    set(log "")
  endif()
  add_custom_command(OUTPUT "${output}" DEPENDS ${log} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${output}" -P "${CMAKE_SOURCE_DIR}/cmake/Commit.cmake"
    COMMENT "Noting the commit")
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${output}"
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
