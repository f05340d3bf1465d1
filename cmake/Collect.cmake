# ch_collect(<list> <dir> <target> <namespace> <type> [ALONE]): the file is the registration.
#
# Every <dir>/foo.cpp must define `foo::define()` in <namespace>, which returns its definition, a
# <type>. This writes <list>.inc, which declares them and defines `collected()`, all of them in the
# order of their names, for the source of <target> that includes it. A file that does not define its
# own name is a link error that says which name is missing. Names that are C++ keywords or names of
# functions that definitions call carry a trailing underscore in the file name too.
#
# ALONE is for files that Highway compiles several times: they define `foo()`.
function(ch_collect list dir target namespace type)
  cmake_parse_arguments(PARSE_ARGV 5 arg "ALONE" "" "")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/${dir}" "${dir}/*.cpp")
  list(SORT sources)
  set(text "// Generated from ${dir}/. Do not edit.\nnamespace ${namespace} {\n")
  set(calls "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    if(arg_ALONE)
      string(APPEND text "${type} ${name}();\n")
      string(APPEND calls "${name}(), ")
    else()
      string(APPEND text "namespace ${name} { ${type} define(); }\n")
      string(APPEND calls "${name}::define(), ")
    endif()
  endforeach()
  string(APPEND text "inline std::vector<${type}> collected() { return {${calls}}; }\n}\n")
  list(TRANSFORM sources PREPEND "${dir}/")
  if(arg_ALONE)
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    ch_definitions_together(${target} ${list} ${sources})
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${list}.inc" CONTENT "${text}" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/generated")
endfunction()

# ch_collect_simd(<list> <dir> <target>): the vector forms <dir>/foo-simd.hpp, for the one source that
# puts loops around them. <list>.inc has a CH_ITEM(foo) for each, <list>_files.inc includes them.
function(ch_collect_simd list dir target)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/src" "${dir}/*-simd.hpp")
  list(SORT files)
  set(items "// Generated from ${dir}/. Do not edit.\n")
  set(includes "${items}")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    string(REPLACE "-simd" "" name "${name}")
    string(APPEND items "CH_ITEM(${name})\n")
    string(APPEND includes "#include \"${file}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${list}.inc" CONTENT "${items}" @ONLY)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${list}_files.inc" CONTENT "${includes}" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/generated")
endfunction()

# ch_together(<target> <name> <source>...): compiles the files about a dozen at a time, because most
# of the time of a small file goes into what they all use. So names in unnamed namespaces must be
# unique among the files of a layer; definitions each stand in a namespace of their own.
function(ch_together target name)
  if(NOT CH_FAST_BUILD)
    return()
  endif()
  list(LENGTH ARGN count)
  math(EXPR groups "(${count} + 11) / 12")
  set(number 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${number} * ${groups} / ${count}")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${name}_${group}")
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# ch_definitions_together(<target> <name> <source>...): the same for definitions. The name of a file
# alone decides with which others it is compiled, so a new definition recompiles one group.
function(ch_definitions_together target name)
  if(NOT CH_FAST_BUILD)
    return()
  endif()
  list(LENGTH ARGN count)
  set(groups 1)
  while(count GREATER_EQUAL 16)
    math(EXPR count "${count} / 2")
    math(EXPR groups "${groups} * 2")
  endwhile()
  foreach(source IN LISTS ARGN)
    string(MD5 hash "${source}")
    string(SUBSTRING "${hash}" 0 4 hash)
    math(EXPR group "0x${hash} % ${groups}")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${name}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
