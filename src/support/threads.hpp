// One pool of worker threads for the whole process.
//
// Callers cut their work into tasks whose number and bounds depend on the problem alone,
// never on the number of threads; that is what makes results bit-identical for any number.
#pragma once

#include <cstdint>
#include <functional>

namespace chop {

int hardware_threads();

/// Calls task(i) once for every i in [0, count) on at most `threads` threads, the caller's
/// included, and returns when all are done. With one thread or one task it is a plain loop.
/// What a task throws is thrown again here, once all tasks are done.
/// A task may call parallel_for again; the inner call then runs on the task's own thread.
void parallel_for(int threads, std::int64_t count, const std::function<void(std::int64_t)>& task);

}  // namespace chop
