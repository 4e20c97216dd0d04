// One limit for the current that all parts of a drive draw together, and who gets its share of it next: what
// parts vendors call peak power management, done by the controllers. Each flash controller asks before a
// tenure that moves data or starts an array, and says afterwards what is drawn and until when.
//
// First asked, first served: a client that is refused waits in one queue for the whole drive, and none that
// asks later gets anything before. So an erase is not starved by reads that would fit beside what runs.
//
// Times need not be in order among controllers. What is granted fits under the limit at every time from its
// beginning on, whatever has been granted for later; so the sum never exceeds the limit. A controller that
// does not ask (a foreign one) is not in the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Of one tenure and what it starts; microamperes.
struct PowerDemand {
  std::int64_t transfer = 0; // while page data cross the bus, from the beginning of the tenure
  std::int64_t array = 0;    // from `lead` after that, and not before `not_before`
  TimePs lead = 0;           // the array does not start earlier
  TimePs not_before = 0;     // ... nor before this: it is busy with the operation in front
  bool none() const { return transfer == 0 && array == 0; }
};

class PowerGrant {
 public:
  class Client {
   public:
    /// The one that was refused last time may ask again at `at`, which is not before the kernel's time.
    virtual void power_from(std::uint32_t who, TimePs at) = 0;

   protected:
    ~Client() = default;
  };
  class Observer {
   public:
    /// A client has waited for power from `since` until `until`; `who` as the client counts.
    virtual void on_power_wait(std::uint32_t channel, std::uint32_t who, TimePs since, TimePs until) = 0;

   protected:
    ~Observer() = default;
  };

  /// `limit`: microamperes, without what is drawn all the time.
  explicit PowerGrant(std::int64_t limit) : limit_(limit) {}
  void attach(Observer& observer) { observers_.push_back(&observer); }

  /// Before the simulation starts. Returns the number to ask with.
  std::uint32_t add_client(Client& client, std::uint32_t channel);

  struct Asker {
    std::uint32_t client = 0;
    std::uint32_t who = 0;
    bool operator==(const Asker& other) const { return client == other.client && who == other.who; }
  };
  /// At most `at`: granted, to be followed by draw() and settle(). Later: refused, and this is when it may
  /// ask again; kNever: it will be told.
  TimePs ask(const Asker& asker, const PowerDemand& demand, TimePs at);
  /// Does not want any more what it was refused.
  void withdraw(const Asker& asker);
  /// `end`: kNever while it is not known.
  void draw(const Asker& asker, TimePs start, TimePs end, std::int64_t microamperes);
  /// What the asker draws ends at `at`, if it would not earlier.
  void cut(const Asker& asker, TimePs at);
  /// The same of what it draws until a time that is not known.
  void close(const Asker& asker, TimePs at);
  /// Behind each change, which happened at `at`: tells who is next. `now`: the kernel's time.
  void settle(TimePs at, TimePs now);

  bool waits(const Asker& asker) const { return place_of(asker) != queue_.size(); }
  /// Tells the observers of the clients that wait still.
  void tell_waiting(TimePs at) const;

 private:
  struct Waiter {
    Asker asker;
    PowerDemand demand;
    TimePs since = 0;
    TimePs told = kNever; // from then on there is power for it
  };
  struct Draw {
    Asker asker;
    TimePs start = 0, end = 0;
    std::int64_t microamperes = 0;
  };
  struct Member {
    Client* client;
    std::uint32_t channel;
  };
  struct Step {
    TimePs at;
    std::int64_t change;
  };
  std::size_t place_of(const Asker& asker) const;
  void tell(const Waiter& waiter, TimePs until) const;
  TimePs earliest(const PowerDemand& demand, TimePs from);
  TimePs last_above(std::int64_t level);

  std::int64_t limit_;
  std::vector<Member> members_;
  std::vector<Observer*> observers_;
  std::vector<Waiter> queue_;
  std::vector<Draw> draws_;
  std::vector<Step> steps_; // scratch
};

} // namespace twinplane::hw
