"""What Verilator says about emitted files."""
import subprocess


def lint(folder, top):
    """Its exit code and messages; the report of its own run, which 5.032 prints, is none."""
    files = (folder / "rtl/files.f").read_text().split()
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", top, *files], cwd=folder,
                          capture_output=True, text=True, check=False)
    said = (done.stderr + done.stdout).splitlines()
    return done.returncode, [line for line in said if not line.startswith("- ")]
