package payments.sandbox;

import java.util.Map;

/**
 * A response with any status.
 *
 * @param headers names in lower case
 */
public record Answer(int status, Map<String, String> headers, String text) {
  public boolean isJson() {
    return headers.getOrDefault("content-type", "").contains("json") && !text.isEmpty();
  }

  /** @throws IllegalArgumentException if it is not JSON */
  public Json json() {
    return Json.parse(text);
  }

  /** The body; text that is not JSON as a JSON text. */
  public Json value() {
    return isJson() ? json() : new Json(text, "");
  }

  /** The id of the request in the request log and for {@link Requests#explain}. */
  public String requestId() {
    return headers.getOrDefault("sandbox-request-id", "");
  }
}
