package payments.sandbox;

import java.time.Duration;

/** Durations as the sandbox reads them. */
final class Durations {
  private Durations() {}

  static String text(Duration duration) {
    return duration.toMillis() + "ms";
  }
}
