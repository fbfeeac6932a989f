package payments.sandbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The clock of a world. It does not affect other worlds. */
public final class Clock {
  private final Connection connection;

  Clock(Connection connection) {
    this.connection = connection;
  }

  public Instant now() {
    return Instant.parse(show().get("now").asText());
  }

  /** Returns the time, the speed and the pending jobs. */
  public Json show() {
    return connection.ask("GET", "/sandbox/clock");
  }

  /** Freezes the clock: jobs run only through ``advance`` and ``settle``. */
  public void freeze() {
    connection.ask("POST", "/sandbox/clock/freeze");
  }

  /** Resumes the clock at the speed of real time. */
  public void resume() {
    connection.ask("POST", "/sandbox/clock/resume");
  }

  /** Runs the clock at a multiple of real time. */
  public void speed(double factor) {
    connection.ask("POST", "/sandbox/clock/speed", Map.of("speed", factor));
  }

  /** Advances the clock by a duration, such as {@code 72h}. Returns the jobs that ran. */
  public Json advance(String by) {
    return connection.ask("POST", "/sandbox/clock/advance", Map.of("by", by));
  }

  public Json advance(Duration by) {
    return advance(Durations.text(by));
  }

  /** Advances the clock to a time. Returns the jobs that ran. */
  public Json advance(Instant to) {
    return connection.ask("POST", "/sandbox/clock/advance", Map.of("to", to));
  }
}
