// One pool of worker threads for the whole process.
//
// Callers cut their work into tasks whose number and bounds depend on the problem alone,
// never on the number of threads; that is what makes results bit-identical for any number.
#pragma once

#include <type_traits>

#include "support/layers.hpp"

namespace chop::support {

/// A reference to something that can be called with a number; it must outlive the reference.
class TaskRef {
 public:
  template <class Task>
  requires(!std::is_same_v<std::remove_cvref_t<Task>, TaskRef>) TaskRef(
      Task&& task)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(task)))),
        call_([](void* object, std::int64_t i) {
          (*static_cast<std::remove_reference_t<Task>*>(object))(i);
        }) {}
  void operator()(std::int64_t i) const { call_(object_, i); }

 private:
  void* object_;
  void (*call_)(void*, std::int64_t);
};

int hardware_threads();

/// Calls task(i) once for every i in [0, count) on at most `threads` threads, the caller's
/// included, and returns when all are done. With one thread or one task it is a plain loop.
/// What a task throws is thrown again here, once all tasks are done.
/// A task may call parallel_for again; the inner call then runs on the task's own thread.
/// Tasks treat denormal numbers as the caller does (denormals.hpp).
void parallel_for(int threads, std::int64_t count, TaskRef task);

/// Calls task(i) once for every i in [0, tasks), each on a thread of its own where there are as
/// many processors, the caller's for task 0, and returns when all are done. It costs its caller
/// about 0.15 us, so tasks may take less than a microsecond. There are at most 65,535 tasks. A call
/// inside of a task, or beside another one, is a plain loop.
void parallel_short(int tasks, TaskRef task);

/// How many tasks a call of parallel_short should have now, at most `wanted`: 1 where it would not
/// pay, because there is one processor, the machine is busy or processors are far from each other.
int short_threads(int wanted);
/// The next calls of it give 1: a thread came late, so the machine is busy.
void rest_short_threads();

/// Whether short_threads() gives what is wanted even where it does not pay: tests ask for that.
enum class Sharing : std::uint8_t { WhereItPays, Always };
void set_sharing(Sharing sharing);
Sharing sharing();

}  // namespace chop::support
