"""The parts of ./bench: workers, rounds, rows, and how they are shown."""
