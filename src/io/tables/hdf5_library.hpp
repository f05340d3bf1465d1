// HDF5's library, loaded when a file is to be read: with what it needs in turn (it can read from
// web servers) it takes longer to load than the rest of the program.
#pragma once

#include <hdf5.h>

#include "support/result.hpp"

// What we call of it.
#define CH_HDF5_SYMBOLS(X)      \
  X(H5Dclose)                   \
  X(H5Dget_create_plist)        \
  X(H5Dget_space)               \
  X(H5Dget_storage_size)        \
  X(H5Dget_type)                \
  X(H5Dopen2)                   \
  X(H5Dread)                    \
  X(H5Eset_auto2)               \
  X(H5Fclose)                   \
  X(H5Fopen)                    \
  X(H5Lget_info)                \
  X(H5Pclose)                   \
  X(H5Pcreate)                  \
  X(H5Pget_external_count)      \
  X(H5Pget_layout)              \
  X(H5Pget_nfilters)            \
  X(H5Pset_fapl_core)           \
  X(H5Pset_file_image)          \
  X(H5Sclose)                   \
  X(H5Screate_simple)           \
  X(H5Sget_simple_extent_dims)  \
  X(H5Sget_simple_extent_ndims) \
  X(H5Sselect_hyperslab)        \
  X(H5Tclose)                   \
  X(H5Tcreate)                  \
  X(H5Tget_class)               \
  X(H5Tget_member_class)        \
  X(H5Tget_member_index)        \
  X(H5Tget_member_name)         \
  X(H5Tget_nmembers)            \
  X(H5Tget_size)                \
  X(H5Tinsert)                  \
  X(H5free_memory)              \
  X(H5open)                     \
  X(H5T_NATIVE_DOUBLE_g)        \
  X(H5P_CLS_FILE_ACCESS_ID_g)

namespace chop::io {

/// Addresses of functions and variables under their own names.
struct Hdf5 {
#define CH_HDF5_MEMBER(name) decltype(&::name) name = nullptr;
  CH_HDF5_SYMBOLS(CH_HDF5_MEMBER)
#undef CH_HDF5_MEMBER
};

/// Loaded and initialised; stays so until the program ends.
Result<const Hdf5*> load_hdf5();

}  // namespace chop::io
