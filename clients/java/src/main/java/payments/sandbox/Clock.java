package payments.sandbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** A world's time; the clocks of other worlds do not notice. */
public final class Clock {
  private final Connection connection;

  Clock(Connection connection) {
    this.connection = connection;
  }

  public Instant now() {
    return Instant.parse(show().get("now").asText());
  }

  /** Time, pace, and what is owed when. */
  public Json show() {
    return connection.ask("GET", "/sandbox/clock");
  }

  /** It stands still, and nothing happens by itself. */
  public void freeze() {
    connection.ask("POST", "/sandbox/clock/freeze");
  }

  /** It goes on at the pace of real time. */
  public void resume() {
    connection.ask("POST", "/sandbox/clock/resume");
  }

  /** It goes on so many times as fast. */
  public void speed(double factor) {
    connection.ask("POST", "/sandbox/clock/speed", Map.of("speed", factor));
  }

  /** Leaps on by a duration, such as {@code 72h}; answers what ran on the way. */
  public Json advance(String by) {
    return connection.ask("POST", "/sandbox/clock/advance", Map.of("by", by));
  }

  public Json advance(Duration by) {
    return advance(Durations.text(by));
  }

  /** Leaps on to a time; answers what ran on the way. */
  public Json advance(Instant to) {
    return connection.ask("POST", "/sandbox/clock/advance", Map.of("to", to));
  }
}
