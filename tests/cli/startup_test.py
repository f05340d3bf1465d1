"""What every start pays for: libraries that few commands need are not loaded with the program."""
import os
import subprocess
import unittest

CH = os.environ["CH_BIN"]


class StartUp(unittest.TestCase):
    def test_libraries_few_commands_need_are_loaded_on_demand(self):
        # HDF5 brings what it takes to read from web servers, PostgreSQL Kerberos; Highway measures a clock.
        loaded = subprocess.run([CH, "--version"], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                text=True, check=True).stdout
        self.assertIn("libdnnl", loaded)
        for library in ["libhdf5", "libcurl", "libhwy", "libpq"]:
            self.assertNotIn(library, loaded)


if __name__ == "__main__":
    unittest.main()
