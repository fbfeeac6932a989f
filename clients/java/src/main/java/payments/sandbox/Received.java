package payments.sandbox;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A callback received by {@link World#listen}.
 *
 * @param headers names in lower case
 * @param verified whether the signature is valid and recent
 * @param problem why the signature is invalid; empty if it is valid
 * @param responseStatus the response status; 0 before the response
 */
public record Received(
    String method, String path, Map<String, String> headers, byte[] bytes, boolean verified, String problem, int responseStatus) {
  /** The body as JSON. */
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
