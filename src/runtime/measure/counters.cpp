// Hardware counters through PAPI where it was found when building; without it, open() says so.
#include "runtime/measure/counters.hpp"

#ifdef CH_HAVE_PAPI
#include <papi.h>
#endif

namespace chop::runtime {

HardwareCounters::HardwareCounters(HardwareCounters&& other) noexcept
    : events_(std::exchange(other.events_, kNone)), names_(std::move(other.names_)) {}

HardwareCounters& HardwareCounters::operator=(HardwareCounters&& other) noexcept {
  std::swap(events_, other.events_);
  std::swap(names_, other.names_);
  return *this;
}

#ifdef CH_HAVE_PAPI

namespace {

struct Event {
  int code;
  const char* name;
};
constexpr Event kEvents[] = {{PAPI_TOT_INS, "instructions"},
                             {PAPI_TOT_CYC, "cycles"},
                             {PAPI_L1_DCM, "L1 data misses"},
                             {PAPI_L2_TCM, "L2 misses"},
                             {PAPI_L3_TCM, "L3 misses"}};

Error failed(const char* what, int code) {
  return Error{.what = cat("hardware counters: ", what, ": ", PAPI_strerror(code))};
}

}  // namespace

Result<HardwareCounters> HardwareCounters::open() {
  if (PAPI_is_initialized() == PAPI_NOT_INITED)
    if (const int code = PAPI_library_init(PAPI_VER_CURRENT); code != PAPI_VER_CURRENT)
      return failed("PAPI does not start", code);
  HardwareCounters counters;
  if (const int code = PAPI_create_eventset(&counters.events_); code != PAPI_OK)
    return failed("PAPI makes no set of events", code);
  int refused = PAPI_OK;
  for (const Event& event : kEvents) {
    if (const int code = PAPI_add_event(counters.events_, event.code); code != PAPI_OK)
      refused = code;
    else
      counters.names_.emplace_back(event.name);
  }
  if (counters.names_.empty()) return failed("this machine gives none", refused);
  return counters;
}

Status HardwareCounters::start() {
  if (const int code = PAPI_start(events_); code != PAPI_OK)
    return failed("counting does not start", code);
  return {};
}

Result<std::vector<CounterValue>> HardwareCounters::stop() {
  std::vector<long long> values(names_.size());
  if (const int code = PAPI_stop(events_, values.data()); code != PAPI_OK)
    return failed("counting does not stop", code);
  std::vector<CounterValue> counted;
  for (std::size_t i = 0; i < names_.size(); ++i) counted.push_back({names_[i], values[i]});
  return counted;
}

HardwareCounters::~HardwareCounters() {
  if (events_ == kNone) return;
  PAPI_cleanup_eventset(events_);
  PAPI_destroy_eventset(&events_);
}

#else

Result<HardwareCounters> HardwareCounters::open() {
  return Error{.what = "hardware counters: this ch was built without PAPI",
               .hint = "install libpapi-dev and build again"};
}

Status HardwareCounters::start() {
  return {};
}

Result<std::vector<CounterValue>> HardwareCounters::stop() {
  return std::vector<CounterValue>();
}

HardwareCounters::~HardwareCounters() = default;

#endif

}  // namespace chop::runtime
