package payments.sandbox;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A callback as it came to {@link World#listen}.
 *
 * @param headers names in lower case
 * @param verified whether the world's secret signed these bytes, of late
 * @param problem why not; empty when it is verified
 * @param answered the status that it was answered with; 0 while it is not
 */
public record Received(
    String method, String path, Map<String, String> headers, byte[] bytes, boolean verified, String problem, int answered) {
  /** Its JSON. */
  public Json body() {
    return Json.parse(text());
  }

  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  Received with(int status) {
    return new Received(method, path, headers, bytes, verified, problem, status);
  }
}
