"""Which BLAS this process has loaded, and on how many threads it works. PyTorch's own threads are
another number: OpenBLAS on two threads makes small products several times slower."""
import ctypes
import re


def loaded():
    """Paths of the libraries of this process that may be a BLAS. "cython_blas" is no such library."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = {line.split()[-1] for line in file if "/" in line}
    return sorted(path for path in paths
                  if re.search(r"/lib(openblas|blas|mkl_rt|mkl_core|blis|flexiblas|atlas)", path))


def openblas():
    """OpenBLAS as this process has it, or None."""
    for path in loaded():
        library = ctypes.CDLL(path)
        if hasattr(library, "openblas_set_num_threads") and hasattr(library, "openblas_get_config"):
            library.openblas_get_config.restype = ctypes.c_char_p
            return library
    return None


def core():
    """The processor OpenBLAS takes this one for, such as SkylakeX, Haswell, Prescott."""
    library = openblas()
    if not library or not hasattr(library, "openblas_get_corename"):
        return ""
    library.openblas_get_corename.restype = ctypes.c_char_p
    return library.openblas_get_corename().decode()


def name():
    """For people: "OpenBLAS 0.3.21 (SkylakeX)", "reference BLAS", "no BLAS"."""
    library = openblas()
    if library:
        return f"{' '.join(library.openblas_get_config().decode().split()[:2])} ({core()})"
    paths = loaded()
    for word, known in (("mkl", "MKL"), ("blis", "BLIS"), ("atlas", "ATLAS")):
        if any(word in path for path in paths):
            return known
    return "reference BLAS" if paths else "no BLAS"


def set_threads(count):
    library = openblas()
    if library:
        library.openblas_set_num_threads(count)


if __name__ == "__main__":
    try:
        ctypes.CDLL("libblas.so.3")
    except OSError:
        pass
    print(name())
