package payments.sandbox;

import java.time.Duration;

/** Formats durations for the sandbox. */
final class Durations {
  private Durations() {}

  static String text(Duration duration) {
    return duration.toMillis() + "ms";
  }
}
