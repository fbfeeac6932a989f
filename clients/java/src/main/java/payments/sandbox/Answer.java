package payments.sandbox;

import java.util.Map;

/**
 * An answer as it came, whatever its status.
 *
 * @param headers names in lower case
 */
public record Answer(int status, Map<String, String> headers, String text) {
  public boolean isJson() {
    return headers.getOrDefault("content-type", "").contains("json") && !text.isEmpty();
  }

  /** @throws IllegalArgumentException when it is none */
  public Json json() {
    return Json.parse(text);
  }

  /** By which the record, and {@link Requests#explain}, know the request. */
  public String requestId() {
    return headers.getOrDefault("sandbox-request-id", "");
  }
}
