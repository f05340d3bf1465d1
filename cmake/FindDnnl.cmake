# oneDNN as the target DNNL::dnnl. The CMake files in libdnnl-dev insist on OpenCL's headers
# for a GPU runtime we do not use, so the library and its header are looked up directly.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dnnl REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR)
mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)
if(Dnnl_FOUND AND NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
endif()
