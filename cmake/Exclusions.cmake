# ch_read_exclusions(<file> <preset>): what this build leaves out of its tests, by lines like
#
#   asan tsan | cli.train_test:Training.test_memory | why
#
# of <file>. Sets excluded_tests, the tests left out whole, and excluded_from_<test>, those left out
# of one. tests/cli/exclusions_test.py keeps the file true.
function(ch_read_exclusions file preset)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines REGEX "^[^#]")
  set(whole "")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([a-z ]+) [|] ([a-z0-9_.]+)(:([^ |]+))? [|] ")
      message(FATAL_ERROR "${file}: not 'presets | test | reason': ${line}")
    endif()
    set(presets "${CMAKE_MATCH_1}")
    set(test "${CMAKE_MATCH_2}")
    set(part "${CMAKE_MATCH_4}")
    separate_arguments(presets)
    if(NOT preset IN_LIST presets)
      continue()
    elseif(part)
      list(APPEND excluded_from_${test} "${part}")
      set(excluded_from_${test} "${excluded_from_${test}}" PARENT_SCOPE)
    else()
      list(APPEND whole "${test}")
    endif()
  endforeach()
  set(excluded_tests "${whole}" PARENT_SCOPE)
endfunction()
