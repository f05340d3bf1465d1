# ch_collect(<list> <dir> <target>): the file is the registration.
#
# Every <dir>/foo.cpp must define `foo()` returning its definition. This writes
# <list>.inc with one CH_ITEM(foo) line per file, in name order, and compiles the files
# into <target>. A file that does not define its own name is a link error that says
# which name is missing. Names that are C++ keywords or standard functions in the way
# carry a trailing underscore in the file name too.
function(ch_collect list dir target)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/${dir}" "${dir}/*.cpp")
  list(SORT sources)
  set(text "// Generated from ${dir}/. Do not edit.\n")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    string(APPEND text "CH_ITEM(${name})\n")
    target_sources(${target} PRIVATE "${dir}/${source}")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${list}.inc" CONTENT "${text}" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/generated")
endfunction()
