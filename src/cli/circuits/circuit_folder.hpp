// The folder of a circuit: replaced as a whole, and by one process at a time.
#pragma once

#include <filesystem>

#include "cli/circuits/circuit.hpp"
#include "support/system/folder_lock.hpp"

namespace chop::cli {

/// A folder for a circuit which no other process replaces as long as this object lives. What is on
/// its way stands in `.NAME.new` beside it, which nobody else uses.
class CircuitFolder {
 public:
  /// An error where another process holds it, or where something is that is no circuit. `purpose`
  /// is what others are told: "`ch emit`".
  static Result<CircuitFolder> take(const std::filesystem::path& folder,
                                    const std::string& purpose);
  CircuitFolder(CircuitFolder&&) noexcept = default;
  CircuitFolder& operator=(CircuitFolder&&) noexcept = default;
  ~CircuitFolder();

  /// Writes everything beside the folder and renames it, so that nothing is left half-written. A
  /// circuit that is there already is replaced.
  Status write(const Circuit& circuit, const Vectors& vectors) const;

 private:
  CircuitFolder(std::filesystem::path folder, FolderLock lock);

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

}  // namespace chop::cli
